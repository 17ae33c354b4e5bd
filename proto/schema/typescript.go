package schema

import (
	"fmt"
	"io/fs"
	"reflect"
	"strings"
)

// TypeScript gives declarations of proto/chat, whose source is src.
func TypeScript(src fs.FS) ([]byte, error) {
	m, err := load(src)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("// Code generated from proto/chat by proto/schema/gen. DO NOT EDIT.\n")
	for _, e := range m.enums {
		fmt.Fprintf(&b, "\n%sexport type %s =\n", comment(e.doc, ""), e.name)
		for _, v := range e.values {
			fmt.Fprintf(&b, "  | %q\n", v)
		}
		b.WriteString("  ;\n")
	}
	for _, o := range m.objects {
		fmt.Fprintf(&b, "\n%sexport interface %s {\n", comment(o.doc, ""), o.name)
		for _, f := range o.fields {
			mark := ""
			if f.optional {
				mark = "?"
			}
			var types []string
			for _, t := range f.types {
				types = append(types, typeName(t, !f.optional))
			}
			fmt.Fprintf(&b, "%s  %s%s: %s;\n", comment(f.doc, "  "), f.name, mark, strings.Join(types, " | "))
		}
		b.WriteString("}\n")
	}
	return []byte(b.String()), nil
}

func comment(doc, indent string) string {
	if doc == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(doc, "*/", "* /") + " */\n"
}

// typeName writes t; nullable where Go writes null for a nil value of it.
func typeName(t reflect.Type, nullable bool) string {
	or := ""
	if nullable {
		or = " | null"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.String:
		if t.PkgPath() != "" {
			return t.Name()
		}
		return "string"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string" + or
		}
		return typeName(t.Elem(), false) + "[]" + or
	case reflect.Map:
		return "Record<string, " + typeName(t.Elem(), false) + ">" + or
	case reflect.Pointer:
		return typeName(t.Elem(), false)
	case reflect.Struct:
		return t.Name()
	}
	panic("schema: no rule for " + t.String())
}
