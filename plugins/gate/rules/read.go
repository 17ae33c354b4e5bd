package rules

// read prints files, whole or in part, or what is piped in, line by line.
var read = []Program{
	{
		Name:     "cat",
		Options:  "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
		Operands: "path*", Input: true, Globs: true,
		Match:    []string{"cat README.md", "cat -n main.go", "cat -", "cat"},
		NotMatch: []string{"cat", "cat -", "cat --output=x a", "cat --num a"},
	},
	{
		Name:     "head",
		Options:  "-# -c:num -n:num -qvz --bytes=num --lines=num --quiet --silent --verbose --zero-terminated",
		Operands: "path*", Input: true, Globs: true,
		Match:    []string{"head -n 50 main.go", "head -20 README.md", "head -c 200 README.md", "head", "head -qn5 a b"},
		NotMatch: []string{"head", "head -n x main.go", "head -x main.go", "head -20x a"},
	},
	{
		Name:     "tail", // never -f, -F or --follow: they do not end. +5f is one too.
		Options:  "-# -c:num -n:num -qvz --bytes=num --lines=num --quiet --silent --verbose --zero-terminated",
		Operands: "path*", Input: true,
		Match:    []string{"tail -n 20 README.md", "tail -n +5 main.go", "tail -5 a"},
		NotMatch: []string{"tail -f app.log", "tail -fn 20 app.log", "tail -qf a", "tail -5f a", "tail --follow=name a", "tail --retry a", "tail +1f a", "tail -- +1f", "tail -n5f a"},
	},
	{
		Name: "tac", Options: "-br -s:regex --before --regex --separator=regex", Operands: "named named*", // of its input it makes a file
		Match: []string{"tac a", "tac -s , a"}, NotMatch: []string{"tac", "tac -", "tac --frob a"},
	},
	{
		Name: "rev", Operands: "path*", Input: true,
		Match: []string{"rev a", "rev"}, NotMatch: []string{"rev", "rev -x a"},
	},
	{
		Name: "nl", Options: `-p -b:regex -d:text -f:regex -h:regex -i:num -l:num -n:word -s:text -v:num -w:width --body-numbering=regex --number-format=word
			--number-separator=text --starting-line-number=num --number-width=width --line-increment=num --no-renumber`,
		Operands: "path*", Input: true,
		Match: []string{"nl -ba main.go", "nl a"}, NotMatch: []string{"nl", "nl --frob a", "nl -w 99999999 a"},
	},
	{
		Name: "fold", Options: "-# -bs -w:num --bytes --spaces --width=num", Operands: "path*", Input: true,
		Match: []string{"fold -w 80 a", "fold -sw80 a", "fold -80 a"}, NotMatch: []string{"fold", "fold --frob a"},
	},
	{
		Name: "fmt", Options: "-# -csu -w:num --width=num --split-only --uniform-spacing", Operands: "path*", Input: true,
		Match: []string{"fmt -w 72 a"}, NotMatch: []string{"fmt", "fmt -x a"},
	},
	{
		Name: "expand", Options: "-i -t:width --initial --tabs=width", Operands: "path*", Input: true,
		Match: []string{"expand -t 4 a"}, NotMatch: []string{"expand", "expand --frob a"},
	},
	{
		Name: "unexpand", Options: "-a -t:width --all --first-only --tabs=width", Operands: "path*", Input: true,
		Match: []string{"unexpand -a a"}, NotMatch: []string{"unexpand", "unexpand --frob a"},
	},
	{
		Name: "column", // BSD's and util-linux's
		Options: `-txJe -s:text -o:text -c:width -N:text -R:text -H:text --table --separator=text --output-separator=text
			--fillrows --json --table-columns=text --table-right=text --table-hide=text --table-name=text --output-width=width`,
		Operands: "path*", Input: true,
		Match: []string{"column -t", "column -t -s , a.csv"}, NotMatch: []string{"column", "column -t", "column --frob a"},
	},
	{
		Name: "wc", Options: "-clmwL --bytes --chars --lines --words --max-line-length --total=word", Operands: "path*", Input: true, Globs: true,
		Match:    []string{"wc -l main.go", "wc -c README.md go.mod", "wc -lw"},
		NotMatch: []string{"wc -l", "wc --files0-from=list", "wc --line a"},
	},
	{
		Name:    "strings",
		Options: "-afo -n:num -t:o|d|x --all --print-file-name --bytes=num --radix=o|d|x",
		// @file would be read for more arguments.
		Operands: "input*", Input: true,
		Match: []string{"strings a.bin", "strings -n 8 -t x a.bin"}, NotMatch: []string{"strings", "strings @args", "strings -T x a"},
	},
	{
		Name: "od", Options: `-abcdfiloOsvx -A:d|o|x|n -t:word -N:num -j:num -S:num -w[width] --address-radix=d|o|x|n --format=word --read-bytes=num
			--skip-bytes=num --width[=width] --output-duplicates --endian=big|little`,
		Operands: "path*", Input: true,
		Match: []string{"od -c a", "od -A x -t x1z -N 64 a"}, NotMatch: []string{"od", "od --traditional a", "od a +5"},
	},
	{
		Name: "hexdump", Options: "-bcCdovx -n:num -s:num --canonical --length=num --skip=num --no-squeezing", Operands: "path*", Input: true,
		Match: []string{"hexdump -C a", "hexdump -Cn 64 a"}, NotMatch: []string{"hexdump", "hexdump -f x a", "hexdump -e x a"},
	},
	{
		Name:     "xxd", // a second operand is written to, even one that looks like an option; never -r
		Options:  "-abCdeEiu -c:width -g:num -l:num -o:num -s:num -p",
		Operands: "path?", Input: true, First: true, Single: true,
		Match: []string{"xxd a", "xxd -l 64 -c 8 a", "xxd -p"}, NotMatch: []string{"xxd", "xxd a b", "xxd -r a", "xxd a -p", "xxd -r -p a b", "xxd -ps a b",
			"xxd -ps 5 a", "xxd -ac 5 a", "xxd -ul 5 a", "xxd -bl 5 a", "xxd -pg 5 a", "xxd -Cl 5 a", "xxd -pr a", "xxd a --", "xxd -l 64 a -- b", "xxd -cols 5 a"},
	},
	{
		Name: "base64", Options: "-d -w:num --decode --wrap=num", Operands: "path?", Input: true, // BSD's -i and -o name files
		Match: []string{"base64 a", "base64 -d", "base64 -w0 a"}, NotMatch: []string{"base64", "base64 -o x a", "base64 --output=x a", "base64 -ox a", "base64 -di a", "base64 -d -o out in"},
	},
}

// sums print checksums. Never -c: it reads names from a file.
var sums = []Program{
	{
		Name: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", Each: true,
		Options: "-btz --binary --text --tag --zero", Operands: "path*", Input: true,
		Match: []string{"@ go.mod"}, NotMatch: []string{"@", "@ -c sums", "@ --check sums"},
	},
	{Name: "cksum", Options: "-a:word --algorithm=word --untagged", Operands: "path*", Input: true, Match: []string{"cksum a"}, NotMatch: []string{"cksum", "cksum -c a"}},
	{Name: "sum", Options: "-rs --sysv", Operands: "path*", Input: true, Match: []string{"sum a"}, NotMatch: []string{"sum"}},
	{
		Name: "shasum", Options: "-bt -a:num --algorithm=num --binary --text", Operands: "path*", Input: true,
		Match: []string{"shasum -a 256 go.mod"}, NotMatch: []string{"shasum", "shasum -c x"},
	},
	{Name: "md5", Options: "-qr -s:text", Operands: "path path*", Match: []string{"md5 a"}, NotMatch: []string{"md5", "md5 -p"}},
}
