package rules

// text sorts, cuts, joins and compares lines.
var text = []Program{
	{
		Name: "sort", // never -o, -T, -S, --compress-program, --files0-from, --random-source
		Options: `-bdfghiMnRrVcCmsuz -k:word -t:text --ignore-leading-blanks --dictionary-order --ignore-case
			--general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --sort=word
			--version-sort --check[=quiet|silent|diagnose-first] --merge --stable --unique --zero-terminated --key=word --field-separator=text --parallel=width`,
		Operands: "path*", Input: true,
		Match: []string{"sort go.mod", "sort -rn", "sort -u -k2,2 -t: a", "sort -t , -k1 a"},
		NotMatch: []string{"sort", "sort -o out in", "sort -uo out in", "sort in -oout", "sort --out=o i", "sort --o o i", "sort --compress-program=x b",
			"sort -S 1b --compress-prog=./p big", "sort -rno d d", "sort -T x a", "sort --files0-from=x", "sort +1 a"},
	},
	{
		Name:     "uniq", // a second operand is written to, even one that looks like an option
		Options:  "-cdDiuz -f:num -s:num -w:num --count --repeated --all-repeated[=none|prepend|separate] --group[=separate|prepend|append|both] --ignore-case --unique --zero-terminated --skip-fields=num --skip-chars=num --check-chars=num",
		Operands: "path?", Input: true, First: true,
		Match:    []string{"uniq -c", "uniq -d in.txt"},
		NotMatch: []string{"uniq in.txt out.txt", "uniq -c - counts.txt", "uniq", "uniq in.txt -c", "uniq in.txt --"},
	},
	{
		Name:     "cut",
		Options:  "-b:word -c:word -f:word -d:text -nszw --bytes=word --characters=word --fields=word --delimiter=text --complement --only-delimited --output-delimiter=text --zero-terminated",
		Operands: "path*", Input: true,
		Match:    []string{"cut -d: -f1 README.md", "cut -c1-10", "cut -d , -f 2- a.csv"},
		NotMatch: []string{"cut -f1", "cut --frob a"},
	},
	{
		Name:     "tr",
		Options:  "-cCdst --complement --delete --squeeze-repeats --truncate-set1",
		Operands: "text text?", Input: true,
		Match:    []string{"tr a-z A-Z", "tr -d x"},
		NotMatch: []string{"tr a-z A-Z", "tr --frob a", "tr"},
	},
	{
		Name: "comm", Options: "-123iz --check-order --nocheck-order --output-delimiter=text --total --zero-terminated", Operands: "path path",
		Match: []string{"comm -12 a b"}, NotMatch: []string{"comm a", "comm --frob a b"},
	},
	{
		Name: "join", Options: "-iz -a:1|2 -v:1|2 -e:text -j:num -o:word -t:text -1:num -2:num --header --check-order --nocheck-order --ignore-case", Operands: "path path",
		Match: []string{"join -t , -1 2 -2 1 a b"}, NotMatch: []string{"join a", "join --frob a b"},
	},
	{
		Name: "paste", Options: "-sz -d:text --delimiters=text --serial --zero-terminated", Operands: "path path*",
		Match: []string{"paste -d, a b", "paste -sd+ a"}, NotMatch: []string{"paste", "paste --frob a"},
	},
	{
		Name: "shuf", Options: "-z -n:num --head-count=num", Operands: "path?", Input: true, // never -o, -r (does not end)
		Match: []string{"shuf -n 5 a"}, NotMatch: []string{"shuf", "shuf -o x a", "shuf -r a", "shuf -rn 9 a"},
	},
	{
		Name: "seq", Options: "-w -s:text --equal-width --separator=text", Operands: "width width*",
		Match: []string{"seq 5", "seq 1 10", "seq -w 1 2 9"}, NotMatch: []string{"seq 99999999", "seq 1 inf", "seq", "seq -f %x 3"},
	},
	{
		Name: "cmp", Options: "-bls -n:num -i:word --print-bytes --verbose --quiet --silent --bytes=num", Operands: "path path",
		Match: []string{"cmp a b", "cmp -s a b"}, NotMatch: []string{"cmp a", "cmp a b 5"},
	},
	{
		// Of two folders it compares what lies in them, and follows links there: so
		// only what looks like a file. Never -l (starts pr), -r, --from-file, --to-file.
		Name: "diff", Options: diffOptions, Operands: "file file", Files: true,
		Match:    []string{"diff -u README.md go.mod", "diff -U3 a.txt b.txt", "diff -y --suppress-common-lines Makefile b.mk", "diff -w .gitignore src/LICENSE"},
		NotMatch: []string{"diff a.txt", "diff -l a.txt b.txt", "diff -rl a b", "diff --to-file=x a.txt", "diff src docs", "diff . a.txt", "diff a.txt/ b.txt", "diff a.txt .."},
	},
	{
		Name: "diff", Options: diffOptions + " -r -X:path --recursive --exclude-from=path", Operands: "path path", Need: "--no-dereference", Deep: "*",
		Match: []string{"diff -rq --no-dereference src docs"}, NotMatch: []string{"diff -r -l src docs", "diff -rl --no-dereference a b"},
	},
	{
		Name: "diff", Options: diffOptions + " -r --recursive", Operands: "path path", Need: "-r --recursive", Deep: "*", Links: true,
		Match: []string{"diff -r src docs", "diff -rq src docs", "diff -ru src docs"}, NotMatch: []string{"diff -rl src docs", "diff -r a", "diff -r --to-file=x a"},
	},
}

const diffOptions = `-# -uabBcdeEiNnpqstTwyZ -U:num -C:num -W:width -x:text -I:regex -F:regex -L:text --unified[=num] --context[=num] --brief
	--ignore-all-space --ignore-space-change --ignore-trailing-space --ignore-tab-expansion --ignore-blank-lines --ignore-case --ignore-matching-lines=regex
	--side-by-side --suppress-common-lines --left-column --new-file --text --minimal --label=text --width=width --strip-trailing-cr --normal --ed --rcs
	--color[=never|always|auto] --report-identical-files --show-c-function --show-function-line=regex --expand-tabs --tabsize=width --suppress-blank-empty
	--exclude=text --no-dereference`
