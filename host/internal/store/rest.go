package store

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// Rest are the fields of a JSON object that the struct it is read into has not: another
// version of the host wrote them, and they stay. A struct keeps one, and calls Read and
// Write in its UnmarshalJSON and MarshalJSON with itself as a type without methods.
type Rest map[string]json.RawMessage

// Read reads an object into the struct that into points at, and what that lacks into r.
func (r *Rest) Read(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for name := range namesOf(reflect.TypeOf(into).Elem()) {
		delete(all, name)
	}
	if *r = nil; len(all) > 0 {
		*r = all
	}
	return nil
}

// Write gives v, a struct, and behind its fields the rest.
func (r Rest) Write(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil || len(r) == 0 {
		return data, err
	}
	more, err := json.Marshal(map[string]json.RawMessage(r))
	if err != nil {
		return nil, err
	}
	if len(data) == len("{}") {
		return more, nil
	}
	data[len(data)-1] = ','
	return append(data, more[1:]...), nil
}

var known sync.Map // the names of a type's fields, by the type

// namesOf gives the names that a struct's fields have in JSON, those of embedded structs
// among them.
func namesOf(t reflect.Type) map[string]bool {
	if names, ok := known.Load(t); ok {
		return names.(map[string]bool)
	}
	names := map[string]bool{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			for inner := range namesOf(f.Type) {
				names[inner] = true
			}
		case name == "":
			names[f.Name] = true
		default:
			names[name] = true
		}
	}
	known.Store(t, names)
	return names
}
