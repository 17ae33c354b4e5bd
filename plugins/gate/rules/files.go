package rules

// files look at files and folders without changing them.
var files = []Program{
	{
		Name: "ls",
		Options: `-aAbBcCdDfFgGhikIlmnNopqQrRsStuUvxXZ1 -T:num -w:num --all --almost-all --author --escape --block-size=word
			--ignore-backups --color[=always|never|auto] --directory --dired --classify[=always|never|auto] --file-type --format=word
			--full-time --no-group --group-directories-first --human-readable --si --hide=text --hyperlink[=always|never|auto]
			--indicator-style=word --inode --ignore=text --kibibytes --literal --numeric-uid-gid --hide-control-chars
			--show-control-chars --quote-name --quoting-style=word --reverse --recursive --size --sort=word --time=word
			--time-style=text --tabsize=num --width=num --context --zero`,
		Operands: "path*", Globs: true,
		Match:    []string{"ls", "ls -la", "ls -lah src", "ls --color=never -1", "ls -- -odd"},
		NotMatch: []string{"ls --frobnicate=1", "ls --color=x", "ls -lL link", "ls --colo"},
	},
	{
		Name:     "cat",
		Options:  "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
		Operands: "path*", Input: true,
		Match:    []string{"cat README.md", "cat -n main.go", "cat -", "cat"},
		NotMatch: []string{"cat", "cat -", "cat --output=x a", "cat --num a"},
	},
	{
		Name:     "head",
		Options:  "-# -c:num -n:num -qvz --bytes=num --lines=num --quiet --silent --verbose --zero-terminated",
		Operands: "path*", Input: true,
		Match:    []string{"head -n 50 main.go", "head -20 README.md", "head -c 200 README.md", "head", "head -qn5 a b"},
		NotMatch: []string{"head", "head -n x main.go", "head -x main.go", "head -20x a"},
	},
	{
		Name:     "tail", // never -f, -F or --follow: they do not end
		Options:  "-# -c:num -n:num -qvz --bytes=num --lines=num --quiet --silent --verbose --zero-terminated",
		Operands: "path*", Input: true,
		Match:    []string{"tail -n 20 README.md", "tail -n +5 main.go", "tail -5 a"},
		NotMatch: []string{"tail -f app.log", "tail -fn 20 app.log", "tail -qf a", "tail -5f a", "tail --follow=name a", "tail --retry a"},
	},
	{
		Name:     "wc",
		Options:  "-clmwL --bytes --chars --lines --words --max-line-length --total=word",
		Operands: "path*", Input: true, Globs: true,
		Match:    []string{"wc -l main.go", "wc -c README.md go.mod", "wc -lw"},
		NotMatch: []string{"wc -l", "wc --files0-from=list", "wc --line a"},
	},
	{
		Name:     "stat",
		Options:  "-c:text -ft --format=text --printf=text --terse --file-system",
		Operands: "path*", Globs: true,
		Match:    []string{"stat main.go", "stat -c %s main.go"},
		NotMatch: []string{"stat --frob a", "stat -L a"},
	},
	{
		Name: "du",
		Options: `-abchklmsSx0 -d:num -t:num -B:word --all --apparent-size --block-size=word --bytes --total --human-readable --max-depth=num
			--si --summarize --separate-dirs --threshold=num --time[=word] --exclude=text --one-file-system --null`,
		Operands: "path*", Globs: true,
		Match:    []string{"du -sh .", "du -h --max-depth=1 src", "du -hd 1"},
		NotMatch: []string{"du --files0-from=x", "du -L .", "du -X list"},
	},
	{
		Name:     "df",
		Options:  "-ahHiklmPT -t:word -x:word -B:word --all --block-size=word --human-readable --si --inodes --local --portability --print-type --total --type=word --exclude-type=word --output[=word]",
		Operands: "path*",
		Match:    []string{"df -h", "df -hT ."},
		NotMatch: []string{"df --sync", "df --frob"},
	},
	{
		Name:     "file", // never -C (writes a magic file), -z (starts decompressors), -f, -m
		Options:  "-bhikN --brief --mime --mime-type --mime-encoding --keep-going --no-dereference --no-pad",
		Operands: "path*",
		Match:    []string{"file README.md", "file -b --mime-type a"},
		NotMatch: []string{"file -C -m magic", "file -z a.gz", "file -f list"},
	},
	{
		Name:     "tree", // never -o, -R (both write), -l (follows links)
		Options:  "-aACdDfFhinprsStJ -L:num -I:text -P:text --noreport --dirsfirst --prune --gitignore --filelimit=num --du --si --sort=word",
		Operands: "path*",
		Match:    []string{"tree -L 2 src", "tree -a -I node_modules"},
		NotMatch: []string{"tree -o listing.txt", "tree -R -L 1", "tree -L 2 --noreport -o x.html -H .", "tree -al"},
	},
	{
		Name:     "realpath",
		Options:  "-emsqzLP --canonicalize-existing --canonicalize-missing --no-symlinks --quiet --zero --logical --physical",
		Operands: "path*",
		Match:    []string{"realpath src"},
		NotMatch: []string{"realpath --frob src"},
	},
	{
		Name:     "readlink",
		Options:  "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
		Operands: "path*",
		Match:    []string{"readlink -f src"},
		NotMatch: []string{"readlink --frob src"},
	},
	{
		Name:     "sha256sum",
		Options:  "-bt --binary --text --tag",
		Operands: "path*", Input: true,
		Match:    []string{"sha256sum go.mod"},
		NotMatch: []string{"sha256sum -c sums", "sha256sum"},
	},
	{
		Name:     "find", // no -L: it would follow links out of the folder
		Operands: "path*",
		Expression: `( ) ! -not -a -and -o -or -name:text -iname:text -path:text -ipath:text -wholename:text -iwholename:text -regex:text
			-iregex:text -regextype:word -type:word -xtype:word -size:num -empty -mtime:num -mmin:num -atime:num -amin:num
			-ctime:num -cmin:num -newer:path -maxdepth:num -mindepth:num -depth -mount -xdev -perm:text -user:word -group:word -links:num
			-readable -writable -executable -prune -print -print0 -printf:text -ls -true -false -daystart -P`,
		Match: []string{
			"find", "find . -name *.go -type f", "find . ( -name *.md -o -name *.txt ) -type f",
			"find src -type f -not -path */vendor/*", "find . -size +1M -print",
		},
		NotMatch: []string{
			"find . -delete", "find . -exec rm {} +", "find . -execdir sh x ;", "find . -ok a ;", "find . -okdir a ;",
			"find . -fprint x", "find . -fprintf x %p", "find . -fls x", "find . -fprint0 x", "find -L . -name x", "find . -files0-from x", "find . -name",
		},
	},
}
