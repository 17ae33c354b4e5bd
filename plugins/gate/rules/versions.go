package rules

import "strings"

// versions tell their own version and start nothing else. Not here, since they
// may fetch another version of themselves for a project that asks for it, start
// the one it names, or leave files: go, cargo, rustc, yarn, pnpm, java, tsc.
var versions = func() []Program {
	var all []Program
	for _, p := range []struct{ option, names string }{
		{"--version", `node npm python python3 rg jq bash sed gawk grep find make gcc g++ cc c++ clang clang++ cmake ninja perl
			ls cat head tail wc sort diff tree file curl wget tar gzip`},
		{"-v", "node npm perl"},
		{"-V", "python python3 rg"},
	} {
		for _, name := range strings.Fields(p.names) {
			all = append(all, Program{
				Name: name, Options: p.option, Need: p.option,
				Match: []string{name + " " + p.option}, NotMatch: []string{name + " " + p.option + " --eval=1"},
			})
		}
	}
	return all
}()
