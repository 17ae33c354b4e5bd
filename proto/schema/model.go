// Package schema writes proto/chat for readers that are not Go: a JSON Schema
// and TypeScript declarations, both made from the types themselves. The files
// beside this one are committed; go run ./schema/gen (in proto/) renews them.
package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/proto/chat"
)

// roots are the types that stand on the wire by themselves; what they hold is
// found from them.
var roots = []reflect.Type{
	reflect.TypeFor[chat.Frame](),
	reflect.TypeFor[chat.StreamRequest](),
	reflect.TypeFor[chat.ApprovalRequest](),
	reflect.TypeFor[chat.StopRequest](),
	reflect.TypeFor[chat.StopAnswer](),
	reflect.TypeFor[chat.PlanRequest](),
	reflect.TypeFor[chat.PlanAnswer](),
	reflect.TypeFor[chat.OversizeRequest](),
	reflect.TypeFor[chat.OversizeAnswer](),
	reflect.TypeFor[chat.PendingAnswer](),
	reflect.TypeFor[chat.AgentStatus](),
	reflect.TypeFor[chat.ChatList](),
	reflect.TypeFor[chat.Chat](),
	reflect.TypeFor[chat.ChatPatch](),
	reflect.TypeFor[chat.PermissionList](),
	reflect.TypeFor[chat.ToolSettings](),
	reflect.TypeFor[chat.ToolsPatch](),
	reflect.TypeFor[chat.CustomToolPatch](),
	reflect.TypeFor[chat.DecisionList](),
	reflect.TypeFor[chat.TaskList](),
	reflect.TypeFor[chat.TaskSpec](),
	reflect.TypeFor[chat.TaskPatch](),
	reflect.TypeFor[chat.TaskResults](),
	reflect.TypeFor[chat.ModelsAnswer](),
	reflect.TypeFor[chat.ConnectionSpec](),
	reflect.TypeFor[chat.LocalSpec](),
	reflect.TypeFor[chat.ModelDefault](),
	reflect.TypeFor[chat.ModelOffers](),
	reflect.TypeFor[chat.ModelTest](),
	reflect.TypeFor[chat.Event](),
	reflect.TypeFor[chat.ErrorBody](),
}

// oneOf are the fields of type any, which reflection cannot see into.
var oneOf = map[string][]reflect.Type{
	"Frame.Agent": {reflect.TypeFor[bool](), reflect.TypeFor[chat.Helper]()},
}

// object is a struct as JSON has it: embedded structs are flattened.
type object struct {
	name   string
	doc    string
	fields []field
}

// field is one key of an object.
type field struct {
	name     string
	optional bool
	types    []reflect.Type // more than one: any of them
	doc      string
}

// enum is a named string type and its constants in the order of the source.
type enum struct {
	name   string
	doc    string
	values []string
}

type model struct {
	objects []object
	enums   []enum
}

// source is what only the Go source knows: constants and comments.
type source struct {
	docs   map[string]string   // "Type" or "Type.Field"
	values map[string][]string // of a named string type
}

// load reads the model of proto/chat, whose source is src.
func load(src fs.FS) (model, error) {
	s, err := parse(src)
	if err != nil {
		return model{}, err
	}
	m := model{}
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if seen[t] || t.Name() == "" || t.PkgPath() == "" {
			return
		}
		seen[t] = true
		if t.Kind() == reflect.String {
			m.enums = append(m.enums, enum{t.Name(), s.docs[t.Name()], s.values[t.Name()]})
			return
		}
		o := object{name: t.Name(), doc: s.docs[t.Name()], fields: s.fields(t, false)}
		m.objects = append(m.objects, o)
		for _, f := range o.fields {
			for _, ft := range f.types {
				visit(ft)
			}
		}
	}
	for _, t := range roots {
		visit(t)
	}
	return m, nil
}

// fields lists the keys of t. Those of an embedded pointer may all be missing.
func (s source) fields(t reflect.Type, optional bool) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if f.Anonymous && tag == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			out = append(out, s.fields(inner, optional || f.Type.Kind() == reflect.Pointer)...)
			continue
		}
		name, rest, _ := strings.Cut(tag, ",")
		key := t.Name() + "." + f.Name
		types := oneOf[key]
		if types == nil {
			types = []reflect.Type{f.Type}
		}
		out = append(out, field{
			name: name, types: types, doc: s.docs[key],
			optional: optional || slices.Contains(strings.Split(rest, ","), "omitempty"),
		})
	}
	return out
}

func parse(src fs.FS) (source, error) {
	s := source{docs: map[string]string{}, values: map[string][]string{}}
	names, err := fs.Glob(src, "*.go")
	if err != nil {
		return s, fmt.Errorf("listing proto/chat: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := fs.ReadFile(src, name)
		if err != nil {
			return s, fmt.Errorf("reading proto/chat: %w", err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.ParseComments)
		if err != nil {
			return s, fmt.Errorf("parsing proto/chat: %w", err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				s.declare(g)
			}
		}
	}
	return s, nil
}

func (s source) declare(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.docs[spec.Name.Name] = text(g.Doc, spec.Doc, spec.Comment)
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				for _, n := range f.Names {
					s.docs[spec.Name.Name+"."+n.Name] = text(f.Doc, f.Comment)
				}
			}
		case *ast.ValueSpec:
			id, ok := spec.Type.(*ast.Ident)
			if !ok {
				continue
			}
			for _, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if value, err := strconv.Unquote(lit.Value); err == nil {
						s.values[id.Name] = append(s.values[id.Name], value)
					}
				}
			}
		}
	}
}

// text is the first comment there is, on one line.
func text(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if t := strings.Join(strings.Fields(g.Text()), " "); t != "" {
			return t
		}
	}
	return ""
}
