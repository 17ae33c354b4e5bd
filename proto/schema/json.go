package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
)

// node is a JSON Schema; its keys keep the order of the fields here.
type node struct {
	Schema      string           `json:"$schema,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Type        any              `json:"type,omitempty"` // a name, or several
	Encoding    string           `json:"contentEncoding,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	AnyOf       []*node          `json:"anyOf,omitempty"`
	Items       *node            `json:"items,omitempty"`
	Values      *node            `json:"additionalProperties,omitempty"`
	Properties  map[string]*node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Defs        map[string]*node `json:"$defs,omitempty"`
}

// JSON gives the JSON Schema (2020-12) of proto/chat, whose source is src: one
// definition per type. Unknown keys are allowed everywhere, as readers allow them.
func JSON(src fs.FS) ([]byte, error) {
	m, err := load(src)
	if err != nil {
		return nil, err
	}
	top := &node{
		Schema: "https://json-schema.org/draft/2020-12/schema", Title: "Strata chat",
		Description: "Frames, bodies and errors between the host and whatever shows a chat. A line of a stream is a Frame.",
		Ref:         ref("Frame"), Defs: map[string]*node{},
	}
	for _, e := range m.enums {
		top.Defs[e.name] = &node{Description: e.doc, Type: "string", Enum: e.values}
	}
	for _, o := range m.objects {
		n := &node{Description: o.doc, Type: "object", Properties: map[string]*node{}}
		for _, f := range o.fields {
			n.Properties[f.name] = property(f)
			if !f.optional {
				n.Required = append(n.Required, f.name)
			}
		}
		top.Defs[o.name] = n
	}
	b, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return append(b, '\n'), nil
}

func ref(name string) string { return "#/$defs/" + name }

func property(f field) *node {
	n := typeNode(f.types[0], !f.optional)
	if len(f.types) > 1 {
		n = &node{}
		for _, t := range f.types {
			n.AnyOf = append(n.AnyOf, typeNode(t, false))
		}
	}
	n.Description = f.doc
	return n
}

// typeNode describes t; nullable where Go writes null for a nil value of it.
func typeNode(t reflect.Type, nullable bool) *node {
	name := func(s string) any {
		if nullable {
			return []string{s, "null"}
		}
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return &node{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &node{Type: "integer"}
	case reflect.Float64:
		return &node{Type: "number"}
	case reflect.String:
		if t.PkgPath() != "" {
			return &node{Ref: ref(t.Name())}
		}
		return &node{Type: "string"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &node{Type: name("string"), Encoding: "base64"}
		}
		return &node{Type: name("array"), Items: typeNode(t.Elem(), false)}
	case reflect.Map:
		return &node{Type: name("object"), Values: typeNode(t.Elem(), false)}
	case reflect.Pointer:
		return typeNode(t.Elem(), false)
	case reflect.Struct:
		return &node{Ref: ref(t.Name())}
	}
	panic("schema: no rule for " + t.String())
}
