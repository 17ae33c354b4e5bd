package rules

const grepOptions = `-# -EFGPivwxcLlnHhoqsraIzZbTUy -A:num -B:num -C:num -m:num -e:text -f:path -d:read|recurse|skip -D:read|skip
	--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=text --file=path --ignore-case --no-ignore-case
	--word-regexp --line-regexp --null-data --no-messages --invert-match --max-count=num --byte-offset --line-number
	--line-buffered --with-filename --no-filename --label=text --only-matching --quiet --silent
	--binary-files=text|without-match|binary --text --directories=read|recurse|skip --devices=read|skip --recursive --include=text --exclude=text
	--exclude-from=path --exclude-dir=text --files-without-match --files-with-matches --count --initial-tab --null
	--before-context=num --after-context=num --context=num --color[=always|never|auto] --colour[=always|never|auto]
	--group-separator=text --no-group-separator --binary`

// text searches, sorts, cuts and compares text.
var text = []Program{
	{
		Name: "grep", Options: grepOptions, // never -R: it follows links out of the folder
		Operands: "text path*", Instead: "-e -f --regexp --file", Need: "-r --recursive", Deep: "*", Here: true,
		Match:    []string{"grep -rn foo src", "grep -r foo", "grep -rn --include=*.go foo .", "grep -ril todo docs"},
		NotMatch: []string{"grep -R foo src", "grep --dereference-recursive foo .", "grep -r"},
	},
	{
		Name: "grep", Options: grepOptions,
		Operands: "text path*", Instead: "-e -f --regexp --file", Input: true, Deep: "-d --directories",
		Match:    []string{"grep -n func main.go", "grep foo", "grep -e a -e b f", "grep -A3 -B3 -n foo main.go", "grep -c x f"},
		NotMatch: []string{"grep foo", "grep", "grep -e a", "grep --reg=x f", "grep --frob a b"},
	},
	{
		Name: "rg", // never --pre, --hostname-bin, -z (all start programs), -L (follows links)
		Options: `-nNisSwxvFPclopqHI0auU -A:num -B:num -C:num -m:num -M:num -d:num -e:text -f:path -E:word -g:text -j:num -r:text -t:word -T:word
			--line-number --no-line-number --ignore-case --case-sensitive --smart-case --word-regexp --line-regexp
			--invert-match --fixed-strings --pcre2 --count --count-matches --files-with-matches --files-without-match
			--only-matching --quiet --with-filename --no-filename --null --text --unrestricted --multiline --multiline-dotall
			--hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot --no-config
			--files --glob=text --iglob=text --glob-case-insensitive --type=word --type-not=word --type-list
			--after-context=num --before-context=num --context=num --max-count=num --max-depth=num --maxdepth=num
			--max-columns=num --max-columns-preview --max-filesize=num --regexp=text --file=path --encoding=word
			--threads=num --replace=text --sort=word --sortr=word --stats --json --vimgrep --column --no-column --heading --no-heading
			--color=never|auto|always|ansi --colors=text --context-separator=text --trim --engine=word --crlf --no-messages
			--passthru --pretty --one-file-system --no-require-git --block-buffered --line-buffered --path-separator=text --no-follow`,
		Operands: "text path*", Instead: "-e -f --regexp --file --files --type-list", Deep: "*", Here: true,
		Match:    []string{"rg -n foo", "rg --files -g *.go", "rg -n -C 3 foo main.go", "rg --hidden -uu -l needle", "rg -i -t go handler"},
		NotMatch: []string{"rg --pre=./x foo", "rg --pre ./conv.sh foo", "rg --hostname-bin=./h.sh foo", "rg -z foo logs", "rg --search-zip foo", "rg -nz foo", "rg -L foo", "rg"},
	},
	{
		Name: "sort", // never -o, -T, -S, --compress-program, --files0-from
		Options: `-bdfghiMnRrVcCmsuz -k:word -t:text --ignore-leading-blanks --dictionary-order --ignore-case
			--general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --sort=word
			--version-sort --check[=quiet|silent|diagnose-first] --merge --stable --unique --zero-terminated --key=word --field-separator=text --parallel=num`,
		Operands: "path*", Input: true,
		Match:    []string{"sort go.mod", "sort -rn", "sort -u -k2,2 -t: a", "sort -t , -k1 a"},
		NotMatch: []string{"sort", "sort -o out in", "sort -uo out in", "sort in -oout", "sort --out=o i", "sort --o o i", "sort --compress-program=x b", "sort -S 1b --compress-prog=./p big", "sort -rno d d"},
	},
	{
		Name:     "uniq", // a second operand is written to
		Options:  "-cdDiuz -f:num -s:num -w:num --count --repeated --all-repeated[=none|prepend|separate] --group[=separate|prepend|append|both] --ignore-case --unique --zero-terminated --skip-fields=num --skip-chars=num --check-chars=num",
		Operands: "path?", Input: true,
		Match:    []string{"uniq -c", "uniq -d in.txt"},
		NotMatch: []string{"uniq in.txt out.txt", "uniq -c - counts.txt", "uniq"},
	},
	{
		Name:     "cut",
		Options:  "-b:word -c:word -f:word -d:text -nsz --bytes=word --characters=word --fields=word --delimiter=text --complement --only-delimited --output-delimiter=text --zero-terminated",
		Operands: "path*", Input: true,
		Match:    []string{"cut -d: -f1 README.md", "cut -c1-10"},
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
		Name: "diff", // never -l (starts pr), -r (follows links), --from-file and --to-file
		Options: `-# -uabBcdeEiNnpqstTwyZ -U:num -C:num -W:num -x:text -I:text -F:text -L:text --unified[=num] --context[=num] --brief
			--ignore-all-space --ignore-space-change --ignore-trailing-space --ignore-tab-expansion --ignore-blank-lines --ignore-case --ignore-matching-lines=text
			--side-by-side --suppress-common-lines --left-column --new-file --text --minimal --label=text --width=num --strip-trailing-cr --normal --ed --rcs
			--color[=never|always|auto] --report-identical-files --show-c-function --expand-tabs --no-dereference`,
		Operands: "path path",
		Match:    []string{"diff -u README.md go.mod", "diff -U3 a b"},
		NotMatch: []string{"diff a", "diff -l a b", "diff -r a b", "diff --to-file=x a"},
	},
	{
		Name:     "sed",
		Options:  "-n --quiet --silent",
		Operands: "sed path*", Need: "-n --quiet --silent", Input: true,
		Match:    []string{"sed -n 1,20p main.go", "sed -n 10,$p main.go", "sed -n 5p"},
		NotMatch: []string{"sed 5p a", "sed -n w a", "sed -ni 1p a", "sed -n -i.bak 1,5p a", "sed -n 1,2p a -i", "sed -n 1,5p;3w a", "sed -n -f s a", "sed -n 1e a", "sed -n 5p"},
	},
}
