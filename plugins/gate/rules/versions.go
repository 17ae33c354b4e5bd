package rules

// versions tell their own version and start nothing else. Not here, since they
// may fetch another version of themselves for a project that asks for it, start
// the one it names, or leave files: go, cargo, rustc, yarn, pnpm, java, tsc.
var versions = []Program{
	{
		Name: `node npm python python3 rg jq bash sed gawk grep find make gcc g++ cc c++ clang clang++ cmake ninja perl
			ls cat head tail wc sort diff tree file curl wget tar gzip`, Each: true,
		Options: "--version", Need: "--version", Match: []string{"@ --version"}, NotMatch: []string{"@ --version --eval=1"},
	},
	{
		Name: "node npm perl", Each: true,
		Options: "-v", Need: "-v", Match: []string{"@ -v"}, NotMatch: []string{"@ -v --eval=1"},
	},
	{
		Name: "python python3 rg", Each: true,
		Options: "-V", Need: "-V", Match: []string{"@ -V"}, NotMatch: []string{"@ -V --eval=1"},
	},
}
