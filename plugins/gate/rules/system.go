package rules

// system asks the machine and the shell small questions.
var system = []Program{
	{
		Name: "pwd", Options: "-LP",
		Match: []string{"pwd", "pwd -P"}, NotMatch: []string{"pwd x", "pwd --frob"},
	},
	{
		Name: "echo", Operands: "text*", Plain: true,
		Match: []string{"echo hello", "echo -n a", "echo ---"}, NotMatch: []string{"Echo a"},
	},
	{
		Name: "printf", Operands: "printf text*", Plain: true, // -v and %n write variables
		Match:    []string{"printf %s\\n a", "printf 100%%"},
		NotMatch: []string{"printf -v a[$(id)] x", "printf %n x", "printf %5.*hn x", "printf", "printf -- x"},
	},
	{Name: "true", Match: []string{"true"}, NotMatch: []string{"true x"}},
	{Name: "false", Match: []string{"false"}, NotMatch: []string{"false x"}},
	{
		Name: "which", Options: "-a", Operands: "prog*",
		Match: []string{"which go", "which -a node npm"}, NotMatch: []string{"which --frob go", "which ./x"},
	},
	{
		Name: "command", Options: "-vV", Operands: "prog*", Need: "-v -V",
		Match: []string{"command -v node"}, NotMatch: []string{"command rm x", "command -p rm", "command -v ./x"},
	},
	{
		Name: "type", Options: "-atp", Operands: "prog*",
		Match: []string{"type go", "type -a ls"}, NotMatch: []string{"type -f x", "type ./x"},
	},
	{
		Name:     "date", // never -s, -f, or a bare operand: they set the clock or read a file
		Options:  "-uR -I[word] -d:text -r:path --utc --universal --rfc-email --iso-8601[=word] --rfc-3339=word --date=text --reference=path",
		Operands: "time?",
		Match:    []string{"date", "date -u +%Y-%m-%d", "date -Iseconds", "date -d yesterday +%s"},
		NotMatch: []string{"date -s 2020-01-01", "date --set=2020-01-01", "date 010203042026", "date -us x", "date +%s +%s"},
	},
	{Name: "whoami", Match: []string{"whoami"}, NotMatch: []string{"whoami x"}},
	{
		Name: "id", Options: "-ugGnr --user --group --groups --name --real", Operands: "prog?",
		Match: []string{"id", "id -un"}, NotMatch: []string{"id --frob", "id a b"},
	},
	{
		Name: "uname", Options: "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system",
		Match: []string{"uname -a"}, NotMatch: []string{"uname x", "uname -S x"},
	},
	{
		Name:    "ps", // never the BSD e or -E: they show environments
		Options: "-eAfFlHTjLwN -o:word -p:num -u:word -C:word --sort=word --forest --no-headers", Operands: "=aux|ax|axu|auxw|auxww|auxf|ux|x|u?",
		Match: []string{"ps", "ps aux", "ps -ef", "ps -eo pid,cmd"}, NotMatch: []string{"ps auxe", "ps e", "ps -E", "ps aux e"},
	},
	{
		Name:    "test", // never -v and -R: they look inside a variable's name, which may hold a command
		Options: "-defghkLprsSuwxzn", Operands: "path path*",
		Match: []string{"test -f go.mod", "test -d src"}, NotMatch: []string{"test -v a[$(id)]", "test a -nt b", "test -f a -o -f b", "test", "test -R x"},
	},
	{
		Name: "basename", Options: "-az -s:text --multiple --suffix=text --zero", Operands: "text text*",
		Match: []string{"basename src/util.go"}, NotMatch: []string{"basename", "basename --frob a"},
	},
	{
		Name: "dirname", Options: "-z --zero", Operands: "text text*",
		Match: []string{"dirname src/util.go"}, NotMatch: []string{"dirname", "dirname --frob a"},
	},
}
