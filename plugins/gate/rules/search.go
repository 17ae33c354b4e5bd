package rules

// Never -R, which follows links out of the folder, nor -D read, which waits for
// a pipe.
const grepOptions = `-# -EFGPivwxcLlnHhoqsraIzZbTUy -A:num -B:num -C:num -m:num -e:regex -f:path -d:read|recurse|skip -D:=skip
	--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=regex --file=path --ignore-case --no-ignore-case
	--word-regexp --line-regexp --null-data --no-messages --invert-match --max-count=num --byte-offset --line-number
	--line-buffered --with-filename --no-filename --label=text --only-matching --quiet --silent
	--binary-files=text|without-match|binary --text --directories=read|recurse|skip --devices==skip --recursive --include=pattern --exclude=text
	--exclude-from=path --exclude-dir=text --files-without-match --files-with-matches --count --initial-tab --null
	--before-context=num --after-context=num --context=num --color[=always|never|auto] --colour[=always|never|auto]
	--group-separator=text --no-group-separator --binary`

// Options of fd, which Debian calls fdfind. Never -x and -X (start programs), -l
// (starts ls), -L (follows links), --base-directory, --ignore-file.
const fdOptions = `-HIusigFap01q -d:num -t:word -e:word -E:text -S:size -c:never|auto|always -j:width -o:text --hidden --no-ignore --no-ignore-vcs --no-ignore-parent
	--unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --print0 --max-depth=num
	--min-depth=num --exact-depth=num --exclude=text --prune --type=word --extension=word --size=size --changed-within=text
	--changed-before=text --color=never|auto|always --threads=width --max-results=num --quiet --strip-cwd-prefix --one-file-system
	--search-path=path --and=text`

// search looks for texts and files.
var search = []Program{
	{
		Name: "grep egrep fgrep", Each: true, Options: grepOptions,
		Operands: "regex path*", Instead: "-e -f --regexp --file", Need: "-r --recursive", Deep: "*", Here: true,
		Match:    []string{"@ -rn foo src", "@ -r foo", "@ -rn --include=*.go foo .", "@ -ril todo docs"},
		NotMatch: []string{"@ -R foo src", "@ --dereference-recursive foo .", "@ -r", "@ -r --include=.env x .", "@ -rh --include=*.pem . .", "@ -rD read x", "@ -rE x{999}{999} .", "@ -r --devices=read x"},
	},
	{
		Name: "grep egrep fgrep", Each: true, Options: grepOptions,
		Operands: "regex path*", Instead: "-e -f --regexp --file", Input: true, Deep: "-d --directories",
		Match:    []string{"@ -n func main.go", "@ foo", "@ -e a -e b f", "@ -A3 -B3 -n foo main.go", "@ -c x f", "@ -f list a"},
		NotMatch: []string{"@ foo", "@", "@ -e a", "@ --reg=x f", "@ --frob a b", "@ -e ((x{1,999}){1,999}){1,99} a"},
	},
	{
		Name: "rg", // never --pre, --hostname-bin, -z (all start programs), -L (follows links), --ignore-file
		Options: `-nNisSwxvFPclopqHI0auUb. -A:num -B:num -C:num -m:num -M:num -d:num -e:text -f:path -E:word -g:pattern -j:width -r:text -t:word -T:word
			--line-number --no-line-number --ignore-case --case-sensitive --smart-case --word-regexp --line-regexp --byte-offset
			--invert-match --fixed-strings --pcre2 --count --count-matches --files-with-matches --files-without-match --include-zero
			--only-matching --quiet --with-filename --no-filename --null --null-data --text --unrestricted --multiline --multiline-dotall
			--hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-files --no-ignore-exclude
			--no-config --files --glob=pattern --iglob=pattern --glob-case-insensitive --type=word --type-not=word --type-list --type-add=added
			--after-context=num --before-context=num --context=num --max-count=num --max-depth=num --maxdepth=num
			--max-columns=num --max-columns-preview --max-filesize=num --regexp=text --file=path --encoding=word
			--threads=width --replace=text --sort=word --sortr=word --stats --json --vimgrep --column --no-column --heading --no-heading
			--color=never|auto|always|ansi --colors=text --context-separator=text --field-match-separator=text --field-context-separator=text --trim
			--engine=word --crlf --no-messages --no-ignore-messages --no-unicode
			--passthru --pretty --one-file-system --no-require-git --block-buffered --line-buffered --path-separator=text --no-follow --no-mmap`,
		Operands: "text path*", Instead: "-e -f --regexp --file --files --type-list", Deep: "*", Here: true,
		Match: []string{"rg -n foo", "rg --files -g *.go", "rg -n -C 3 foo main.go", "rg --hidden -uu -l needle", "rg -i -t go handler", "rg -g !.env x", "rg -g **/*.go x"},
		NotMatch: []string{"rg --pre=./x foo", "rg --pre ./conv.sh foo", "rg --hostname-bin=./h.sh foo", "rg -z foo logs", "rg --search-zip foo", "rg -nz foo", "rg -L foo", "rg", "rg --debug --follow x",
			"rg -uu -g .env x", "rg --glob .env* x", "rg --iglob *.ENV x", "rg -g src/** x", "rg -uuu --type-add x:.env -t x .", "rg -g=.env x"},
	},
	{
		Name: "find", // no -L and -H: they would follow links out of the folder
		// Never -exec, -ok, -delete, -fprint and their kin, -files0-from, -follow.
		Operands: "path*",
		Expression: `( ) ! , -not -a -and -o -or -name:text -iname:text -path:text -ipath:text -wholename:text -iwholename:text -regex:regex
			-iregex:regex -regextype:word -lname:text -ilname:text -type:word -xtype:word -size:size -empty -mtime:num -mmin:num -atime:num -amin:num
			-ctime:num -cmin:num -newer:path -anewer:path -cnewer:path -newermt:text -newerct:text -samefile:path -inum:num -maxdepth:num -mindepth:num
			-depth -mount -xdev -perm:text -user:word -group:word -uid:num -gid:num -nouser -nogroup -links:num -fstype:word
			-readable -writable -executable -prune -quit -print -print0 -printf:layout -ls -true -false -daystart -noleaf -nowarn -ignore_readdir_race -P`,
		Match: []string{
			"find", "find . -name *.go -type f", "find . ( -name *.md -o -name *.txt ) -type f",
			"find src -type f -not -path */vendor/*", "find . -size +1M -print", "find . -size -100c -newermt 2024-01-01",
		},
		NotMatch: []string{
			"find . -delete", "find . -exec rm {} +", "find . -execdir sh x ;", "find . -ok a ;", "find . -okdir a ;", "find . -follow",
			"find . -fprint x", "find . -fprintf x %p", "find . -printf %2000000000p", "find . -fls x", "find . -fprint0 x", "find -L . -name x", "find . -files0-from x", "find . -name", "find . -D exec",
		},
	},
	{
		Name: "fd fdfind", Each: true, Options: fdOptions, Here: true,
		Match:    []string{"@", "@ -e go -H", "@ -t f -d 2"},
		NotMatch: fdNot,
	},
	{
		Name: "fd fdfind", Each: true, Options: fdOptions, Here: true, Operands: "text path*",
		Match:    []string{"@ foo", "@ -e go main src"},
		NotMatch: fdNot,
	},
}

var fdNot = []string{"@ -x rm", "@ foo -X rm", "@ -l", "@ -L x", "@ -Hx rm", "@ --exec rm", "@ --base-directory / x"}
