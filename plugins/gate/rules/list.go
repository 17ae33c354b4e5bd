package rules

// list shows what files and folders there are, and what they are like.
var list = []Program{
	{
		// Never -L and -H: they show what links lead to. -I, -D, -T and -w take a
		// value on one system and none on another.
		Name: "ls",
		Options: `-aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1 --all --almost-all --author --escape --block-size=word
			--ignore-backups --color[=always|never|auto] --directory --dired --classify[=always|never|auto] --file-type --format=word
			--full-time --no-group --group-directories-first --human-readable --si --hide=text --hyperlink[=always|never|auto]
			--indicator-style=word --inode --ignore=text --kibibytes --literal --numeric-uid-gid --hide-control-chars
			--show-control-chars --quote-name --quoting-style=word --reverse --recursive --size --sort=word --time=word
			--time-style=layout --tabsize=num --width=num --context --zero`,
		Operands: "path*", Globs: true,
		Match:    []string{"ls", "ls -la", "ls -lah src", "ls --color=never -1", "ls -- -odd"},
		NotMatch: []string{"ls --frobnicate=1", "ls --color=x", "ls -lL link", "ls --colo", "ls +x", "ls -I -- -L", "ls -I x", "ls -D x"},
	},
	{
		Name:     "stat",
		Options:  "-c:layout -ft --format=layout --printf=layout --terse --file-system --cached=word",
		Operands: "path*", Globs: true,
		Match:    []string{"stat main.go", "stat -c %s main.go"},
		NotMatch: []string{"stat --frob a", "stat -L a", "stat -c %2000000000n a"},
	},
	{
		Name: "du",
		Options: `-abchklmsSxP0 -d:num -t:num -B:word --all --apparent-size --block-size=word --bytes --total --human-readable --max-depth=num
			--si --summarize --separate-dirs --threshold=num --time[=word] --time-style=layout --exclude=text --one-file-system --null --inodes
			--count-links --no-dereference`,
		Operands: "path*", Globs: true,
		Match:    []string{"du -sh .", "du -h --max-depth=1 src", "du -hd 1", "du -ah --exclude=.git ."},
		NotMatch: []string{"du --files0-from=x", "du -L .", "du -X list", "du -D ."},
	},
	{
		Name: "df", // never --sync
		Options: `-ahHiklmPTv -t:word -x:word -B:word --all --block-size=word --human-readable --si --inodes --local --portability
			--no-sync --print-type --total --type=word --exclude-type=word --output[=word]`,
		Operands: "path*",
		Match:    []string{"df -h", "df -hT ."},
		NotMatch: []string{"df --sync", "df --frob"},
	},
	{
		Name: "file", // never -C (writes a magic file), -z and -Z (start decompressors), -f, -m, -s (devices), -S, -p (sets times), -L
		Options: `-bihklnNr0 -F:text -e:word --brief --mime --mime-type --mime-encoding --keep-going --no-dereference --no-pad
			--extension --print0 --raw --separator=text --exclude=word`,
		Operands: "path*",
		Match:    []string{"file README.md", "file -b --mime-type a", "file -i a b"},
		NotMatch: []string{"file -C -m magic", "file -z a.gz", "file -f list", "file -m x a", "file -s /dev/sda", "file -bz a", "file -L a"},
	},
	{
		Name: "tree", // never -o and -R (both write), -l (follows links), --fromfile, --infofile, --gitfile
		Options: `-aACdDfFghiJnNpqQrsStuUvxX -L:width -I>text -P>text --noreport --dirsfirst --filesfirst --prune --gitignore --filelimit=num
			--du --si --sort=word --inodes --device --ignore-case --matchdirs --metafirst --charset=word --timefmt=layout`,
		Operands: "path*",
		Match:    []string{"tree -L 2 src", "tree -a -I node_modules", "tree -d --gitignore"},
		NotMatch: []string{"tree -o listing.txt", "tree -R -L 1", "tree -L 2 --noreport -o x.html -H .", "tree -al", "tree --fromfile", "tree --info",
			"tree -Po x README.md", "tree -Il x .", "tree -IR x", "tree -L1o x y", "tree -L3K x"},
	},
	{
		Name:     "realpath",
		Options:  "-emsqzLP --canonicalize-existing --canonicalize-missing --no-symlinks --strip --quiet --zero --logical --physical --relative-to=path --relative-base=path",
		Operands: "path path*",
		Match:    []string{"realpath src", "realpath --relative-to=. src"},
		NotMatch: []string{"realpath --frob src", "realpath"},
	},
	{
		Name:     "readlink",
		Options:  "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
		Operands: "path path*",
		Match:    []string{"readlink -f src"},
		NotMatch: []string{"readlink --frob src", "readlink"},
	},
	{
		Name: "basename", Options: "-az -s:text --multiple --suffix=text --zero", Operands: "text text*",
		Match: []string{"basename src/util.go", "basename -s .go a.go"}, NotMatch: []string{"basename", "basename --frob a"},
	},
	{
		Name: "dirname", Options: "-z --zero", Operands: "text text*",
		Match: []string{"dirname src/util.go"}, NotMatch: []string{"dirname", "dirname --frob a"},
	},
	{
		Name: "test", // never -v and -R (a variable's name may hold a command), -a and -o, comparisons (-eq computes)
		Expression: `! -b:path -c:path -d:path -e:path -f:path -g:path -h:path -L:path -k:path -p:path -r:path -s:path -S:path -u:path -w:path -x:path
			-G:path -N:path -O:path -n:text -z:text`,
		Match:    []string{"test -f go.mod", "test -d src", "test ! -e x", "test -n abc"},
		NotMatch: []string{"test -v a[$(id)]", "test a -nt b", "test -f a -o -f b", "test -R x", "test a[$(id)] -eq 0", "test -f", "test x"},
	},
	{
		Name:       "[",
		Expression: `! ] -d:path -e:path -f:path -h:path -L:path -r:path -s:path -w:path -x:path -n:text -z:text`,
		Match:      []string{"[ -f go.mod ]", "[ ! -d src ]"},
		NotMatch:   []string{"[ -v a[$(id)] ]", "[ a -eq 1 ]", "[ -f a -a -f b ]"},
	},
}
