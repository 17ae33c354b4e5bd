package profile

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A document is made of mappings, lists, js expressions, and strings, int64s,
// float64s, bools and nil. Order counts and is kept, so that equal input gives
// equal bytes.
type (
	mapping []field
	list    []any
	field   struct {
		key   string
		value any
	}
	// js is a `!!js` scalar, which the Harness evaluates when it starts.
	js string
)

// get gives the value of key, nil where there is none.
func (m mapping) get(key string) any {
	for _, f := range m {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// with gives m with key set, at its place or at the end.
func (m mapping) with(key string, value any) mapping {
	out := slices.Clone(m)
	for i := range out {
		if out[i].key == key {
			out[i].value = value
			return out
		}
	}
	return append(out, field{key, value})
}

// parseYAML reads one document of the Harness's dialect: JSON's types, `!!js`, no
// anchors.
func parseYAML(data []byte) (any, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, fmt.Errorf("reading YAML: %d documents, want one", len(file.Docs))
	}
	return fromAST(file.Docs[0].Body)
}

func fromAST(n ast.Node) (any, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		m := make(mapping, 0, len(n.Values))
		for _, v := range n.Values {
			f, err := fieldFromAST(v)
			if err != nil {
				return nil, err
			}
			m = append(m, f)
		}
		return m, nil
	case *ast.MappingValueNode:
		f, err := fieldFromAST(n)
		return mapping{f}, err
	case *ast.SequenceNode:
		l := make(list, 0, len(n.Values))
		for _, v := range n.Values {
			item, err := fromAST(v)
			if err != nil {
				return nil, err
			}
			l = append(l, item)
		}
		return l, nil
	case *ast.TagNode:
		value, err := fromAST(n.Value)
		text, isText := value.(string)
		if err == nil && (n.Start.Value != "!!js" || !isText) {
			err = fmt.Errorf("reading YAML: line %d: tag %s", n.Start.Position.Line, n.Start.Value)
		}
		return js(text), err
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.NullNode:
		return nil, nil
	case *ast.FloatNode:
		return n.Value, nil
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return v, nil
		case uint64:
			if v <= math.MaxInt64 {
				return int64(v), nil
			}
		}
	}
	return nil, fmt.Errorf("reading YAML: line %d: unexpected %s", n.GetToken().Position.Line, n.Type())
}

func fieldFromAST(n *ast.MappingValueNode) (field, error) {
	key, err := fromAST(n.Key)
	if err != nil {
		return field{}, err
	}
	value, err := fromAST(n.Value)
	return field{fmt.Sprint(key), value}, err
}

// renderYAML writes a document in block style.
func renderYAML(value any) []byte {
	var b strings.Builder
	writeBlock(&b, value, 0)
	return []byte(b.String())
}

// writeBlock writes value at the beginning of a line that is indented already.
func writeBlock(b *strings.Builder, value any, indent int) {
	switch v := value.(type) {
	case mapping:
		if len(v) == 0 {
			break
		}
		for i, f := range v {
			if i > 0 {
				pad(b, indent)
			}
			b.WriteString(quote(f.key) + ":")
			writeValue(b, f.value, indent)
		}
		return
	case list:
		if len(v) == 0 {
			break
		}
		for i, item := range v {
			if i > 0 {
				pad(b, indent)
			}
			b.WriteString("- ")
			writeBlock(b, item, indent+2)
		}
		return
	}
	b.WriteString(scalar(value) + "\n")
}

// writeValue writes value behind a key.
func writeValue(b *strings.Builder, value any, indent int) {
	switch v := value.(type) {
	case mapping:
		if len(v) > 0 {
			b.WriteString("\n")
			pad(b, indent+2)
			writeBlock(b, v, indent+2)
			return
		}
	case list:
		if len(v) > 0 {
			b.WriteString("\n")
			pad(b, indent+2)
			writeBlock(b, v, indent+2)
			return
		}
	}
	b.WriteString(" " + scalar(value) + "\n")
}

func pad(b *strings.Builder, n int) { b.WriteString(strings.Repeat(" ", n)) }

func scalar(value any) string {
	switch v := value.(type) {
	case mapping:
		return "{}"
	case list:
		return "[]"
	case js:
		return "!!js " + quoted(string(v))
	case string:
		return quote(v)
	case nil:
		return "null"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

// plain strings need no quotes in any YAML: they begin with a letter, hold nothing
// that has a meaning, and are no word for something else.
var (
	plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)
	words = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|inf|nan)$`)
)

func quote(s string) string {
	if plain.MatchString(s) && !words.MatchString(s) {
		return s
	}
	return quoted(s)
}

// quoted writes a JSON string, which is a double-quoted scalar of YAML too.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
