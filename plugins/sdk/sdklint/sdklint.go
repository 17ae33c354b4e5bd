// Package sdklint finds waits in plugin code that the SDK's runtime cannot see.
// Across an effect such a wait deadlocks the module; without one it blocks the
// host's thread. It looks at names and syntax alone.
package sdklint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// waits are functions and types that wait or block by themselves, by import path.
var waits = map[string][]string{
	"sync": {"WaitGroup", "Cond", "NewCond"},
	"time": {"Sleep", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc"},
}

// Check looks at the Go files of a folder, tests left out, and gives one line for
// each wait: "file:line: what".
func Check(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	var found []string
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		found = append(found, checkFile(fset, file)...)
	}
	slices.Sort(found)
	return found, nil
}

func checkFile(fset *token.FileSet, file *ast.File) []string {
	allowed := allowedLines(fset, file)
	imports := map[string]string{} // path by the name used in this file
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	var found []string
	report := func(pos token.Pos, what string) {
		at := fset.Position(pos)
		if !allowed[at.Line] {
			found = append(found, fmt.Sprintf("%s:%d: %s", filepath.Base(at.Filename), at.Line, what))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n.Pos(), "a bare goroutine: use Group.Go")
		case *ast.SelectStmt:
			report(n.Pos(), "a select: wait with Group.Wait or an effect")
		case *ast.SendStmt:
			report(n.Pos(), "a channel send: the runtime cannot see it wait")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				report(n.Pos(), "a channel receive: the runtime cannot see it wait")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(waits[imports[x.Name]], n.Sel.Name) {
				report(n.Pos(), x.Name+"."+n.Sel.Name+": wait with Group.Wait or sdk.Sleep")
			}
		}
		return true
	})
	return found
}

// allowedLines are the lines below a comment that says //sdklint:allow and why.
func allowedLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//sdklint:allow ") {
				line := fset.Position(c.Pos()).Line
				lines[line], lines[line+1] = true, true
			}
		}
	}
	return lines
}
