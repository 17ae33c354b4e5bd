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
		Name: "command", Options: "-vV", Operands: "prog*", Need: "-v -V", First: true, // behind the name they are the program's own
		Match: []string{"command -v node"}, NotMatch: []string{"command rm x", "command -p rm", "command -v ./x", "command rm -v x", "command node -v", "command -v node --"},
	},
	{
		Name: "type", Options: "-atpP", Operands: "prog*",
		Match: []string{"type go", "type -a ls"}, NotMatch: []string{"type -f x", "type ./x"},
	},
	{
		Name:     "date", // never -s, -f, or a bare operand: they set the clock or read a file
		Options:  "-uR -I[word] -d:text -r:path --utc --universal --rfc-email --iso-8601[=word] --rfc-3339=word --date=text --reference=path",
		Operands: "time?",
		Match:    []string{"date", "date -u +%Y-%m-%d", "date -Iseconds", "date -d yesterday +%s"},
		NotMatch: []string{"date -s 2020-01-01", "date --set=2020-01-01", "date 010203042026", "date -us x", "date +%s +%s", "date +%2000000000Y"},
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
		// Never e of BSD's, which shows environments: with -u, -U, -C or an unknown
		// column ps may read the whole line anew, and then e is that.
		Name:    "ps",
		Options: "-eAfFlHjLTw -o:column -p:num --pid=num --sort=column --forest --no-headers", Operands: "=aux|ax|axu|auxw|auxww|auxf|ux|x|u?",
		Match:    []string{"ps", "ps aux", "ps -ef", "ps -eo pid,cmd", "ps aux --sort=-%mem", "ps -p 1 -o comm"},
		NotMatch: []string{"ps auxe", "ps e", "ps -E", "ps aux e", "ps -eux", "ps -e -u x", "ps -eo pid,environ", "ps -eo pid,frob", "ps -eC x", "ps aux --sort=frob", "ps -en x"},
	},
	{
		Name: "uptime", Options: "-ps --pretty --since",
		Match: []string{"uptime", "uptime -p"}, NotMatch: []string{"uptime x"},
	},
	{
		Name: "free", Options: "-bkmghltw --human --si --lohi --total --wide --mebi --gibi", // never -s, which repeats
		Match: []string{"free -h"}, NotMatch: []string{"free -s 1", "free -hs 1", "free -c 5"},
	},
	{Name: "nproc", Options: "--all", Match: []string{"nproc"}, NotMatch: []string{"nproc x"}},
	{Name: "arch", Match: []string{"arch"}, NotMatch: []string{"arch x"}},
	{Name: "groups", Operands: "prog?", Match: []string{"groups"}, NotMatch: []string{"groups -x"}},
	{Name: "logname", Match: []string{"logname"}, NotMatch: []string{"logname x"}},
	{Name: "tty", Options: "-s", Match: []string{"tty"}, NotMatch: []string{"tty x"}},
	{
		Name: "hostname", Options: "-sI --short", // a word sets it; -f, -d, -i and -A ask the network
		Match: []string{"hostname", "hostname -s"}, NotMatch: []string{"hostname newname", "hostname -f", "hostname -F x", "hostname -A"},
	},
	{
		Name: "lscpu", Options: "-abcBJxy --all --json", // never -s, another root
		Match: []string{"lscpu"}, NotMatch: []string{"lscpu -s /x", "lscpu x"},
	},
	{
		Name: "getconf", Options: "-a", Operands: "prog?", // never -v, which starts a helper
		Match: []string{"getconf PAGE_SIZE"}, NotMatch: []string{"getconf -v x y", "getconf PATH_MAX /x"},
	},
	{
		Name: "whereis", Options: "-bms", Operands: "prog prog*",
		Match: []string{"whereis go"}, NotMatch: []string{"whereis", "whereis -B /x -f y"},
	},
	{
		Name: "ulimit", Options: "-a", Need: "-a",
		Match: []string{"ulimit -a"}, NotMatch: []string{"ulimit", "ulimit -n 5", "ulimit -a 5"},
	},
	{
		Name: "sw_vers", Match: []string{"sw_vers"}, NotMatch: []string{"sw_vers x"},
	},
	{
		Name: "cal", Options: "-1 -3 -m -y", Operands: "num?",
		Match: []string{"cal", "cal 2024"}, NotMatch: []string{"cal -x"},
	},
	{
		Name: "expr", Operands: "regex regex*", Plain: true,
		Match: []string{"expr 1 + 2"}, NotMatch: []string{"expr"},
	},
}
