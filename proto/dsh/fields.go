package dsh

import (
	"encoding/json"
	"reflect"
	"strings"
)

// unread counts the fields of data that t has no place for. It looks into what t
// reads only: a field that is not read is one count, whatever is in it.
func unread(data json.RawMessage, t reflect.Type, name string, d *Decoder) {
	switch t.Kind() {
	case reflect.Pointer:
		unread(data, t.Elem(), name, d)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Struct {
			return
		}
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil {
			return // counted as SkipWrong by the caller
		}
		for _, item := range list {
			unread(item, t.Elem(), name, d)
		}
	case reflect.Struct:
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return
		}
		for key, value := range object {
			field, ok := fieldOf(t, key)
			if !ok {
				d.Add(SkipField, name+"."+key)
				continue
			}
			unread(value, field.Type, name+"."+key, d)
		}
	}
}

// fieldOf finds the struct field that encoding/json fills from key.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if strings.EqualFold(tag, key) {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}
