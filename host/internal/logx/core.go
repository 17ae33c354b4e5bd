package logx

import (
	"encoding/json"
	"fmt"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"strata.dev/bridge/host/internal/redact"
)

// core sends messages and every field that can hold text through the funnel.
type core struct {
	inner  zapcore.Core
	redact *redact.Redactor
}

var _ zapcore.Core = (*core)(nil)

func (c *core) Enabled(l zapcore.Level) bool { return c.inner.Enabled(l) }

func (c *core) With(fields []zapcore.Field) zapcore.Core {
	return &core{inner: c.inner.With(c.fields(fields)), redact: c.redact}
}

func (c *core) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c *core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	e.Message = c.redact.Text(e.Message)
	e.Stack = c.redact.Text(e.Stack)
	return c.inner.Write(e, c.fields(fields))
}

func (c *core) Sync() error { return c.inner.Sync() }

func (c *core) fields(in []zapcore.Field) []zapcore.Field {
	out := make([]zapcore.Field, len(in))
	for i, f := range in {
		out[i] = c.field(f)
	}
	return out
}

// field gives f as text without secrets, or as it is where it holds a number, a
// truth value or a time.
func (c *core) field(f zapcore.Field) zapcore.Field {
	switch f.Type {
	case zapcore.BoolType, zapcore.DurationType, zapcore.TimeType, zapcore.TimeFullType,
		zapcore.Float32Type, zapcore.Float64Type, zapcore.Complex64Type, zapcore.Complex128Type, zapcore.UintptrType,
		zapcore.Int8Type, zapcore.Int16Type, zapcore.Int32Type, zapcore.Int64Type,
		zapcore.Uint8Type, zapcore.Uint16Type, zapcore.Uint32Type, zapcore.Uint64Type,
		zapcore.NamespaceType, zapcore.SkipType:
		return f
	case zapcore.StringType:
		f.String = c.redact.Text(f.String)
		return f
	case zapcore.BinaryType:
		return zap.String(f.Key, fmt.Sprintf("%d bytes", len(f.Interface.([]byte))))
	}
	// Errors, Stringers, byte strings, objects, arrays, inlined objects and
	// whatever is reflected: zap's own encoder says what they are.
	m := zapcore.NewMapObjectEncoder()
	f.AddTo(m)
	if f.Type == zapcore.InlineMarshalerType {
		return zap.Any(f.Key, c.value(m.Fields))
	}
	delete(m.Fields, f.Key+"Verbose") // a second, longer copy of an error
	if v, ok := m.Fields[f.Key]; ok {
		return zap.Any(f.Key, c.value(v))
	}
	return zap.Any(f.Key, c.value(m.Fields))
}

// value redacts strings as they are and everything else as its JSON.
func (c *core) value(v any) any {
	switch v := v.(type) {
	case string:
		return c.redact.Text(v)
	case bool, int, int64, float64, nil:
		return v
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[c.redact.Text(k)] = c.value(x)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = c.value(x)
		}
		return l
	}
	b, err := json.Marshal(v)
	if err != nil {
		return c.redact.Text(fmt.Sprintf("%+v", v))
	}
	var plain any
	if json.Unmarshal(b, &plain) != nil {
		return c.redact.Text(string(b))
	}
	return c.value(plain)
}
