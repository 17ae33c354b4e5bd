// Package logx makes the host's zap logger: JSON lines into a file of its own, a
// readable form on a terminal, and nothing into either that the redaction funnel
// has not seen.
package logx

import (
	"fmt"
	"io"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"strata.dev/bridge/host/internal/redact"
)

// The keys of what is logged in more than one place.
const (
	KeyChat    = "chat"
	KeySession = "session"
	KeyRun     = "run"
	KeyTool    = "tool"
	KeyPart    = "part" // the package that speaks
)

// DefaultMaxSize is the size in bytes at which a log file is put aside: two of
// them (the current and the one before) stay well below what a person notices.
const DefaultMaxSize = 8 << 20

// Options says where to log and what must not get there.
type Options struct {
	// Level is debug, info, warn or error; "" is info.
	Level string
	// File is the path of the JSON log, made 0600; "" is none.
	File string
	// MaxSize is the file's size in bytes before it is put aside as File+".1",
	// which replaces the one before; 0 is DefaultMaxSize.
	MaxSize int64
	// Console takes the readable form of what is at least ConsoleLevel, which is
	// info where it is left out; nil is none. At level debug it takes all.
	Console      io.Writer
	ConsoleLevel zapcore.Level
	// Redact is the funnel; nil knows shapes only.
	Redact *redact.Redactor
}

// New makes the logger. Close ends the file; log nothing afterwards.
func New(o Options) (log *zap.Logger, closeFile func() error, err error) {
	level := zapcore.InfoLevel
	if o.Level != "" {
		if level, err = zapcore.ParseLevel(o.Level); err != nil {
			return nil, nil, fmt.Errorf("reading the log level: %w", err)
		}
	}
	if o.Redact == nil {
		o.Redact = redact.New()
	}
	if o.MaxSize == 0 {
		o.MaxSize = DefaultMaxSize
	}
	closeFile = func() error { return nil }
	var cores []zapcore.Core
	if o.File != "" {
		f, err := openFile(o.File, o.MaxSize)
		if err != nil {
			return nil, nil, err
		}
		closeFile = f.Close
		cores = append(cores, &core{inner: zapcore.NewCore(zapcore.NewJSONEncoder(encoding()), f, level), redact: o.Redact})
	}
	if o.Console != nil {
		c := encoding()
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		c.EncodeLevel = zapcore.CapitalLevelEncoder
		to := zapcore.Lock(zapcore.AddSync(o.Console))
		cores = append(cores, &core{inner: zapcore.NewCore(zapcore.NewConsoleEncoder(c), to, consoleLevel(level, o.ConsoleLevel)), redact: o.Redact})
	}
	// The tee is outermost: it asks each core whether the level is its own, and
	// its Write asks none.
	return zap.New(zapcore.NewTee(cores...)), closeFile, nil
}

// consoleLevel is the stricter of the two, but debug asks for everything.
func consoleLevel(file, console zapcore.Level) zapcore.Level {
	if file == zapcore.DebugLevel {
		return file
	}
	return max(file, console)
}

// Terminal gives f if a person reads it there, else nil.
func Terminal(f *os.File) io.Writer {
	if i, err := f.Stat(); err != nil || i.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return f
}

func encoding() zapcore.EncoderConfig {
	return zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", NameKey: KeyPart, MessageKey: "msg", StacktraceKey: "stack",
		LineEnding:     zapcore.DefaultLineEnding,
		EncodeTime:     zapcore.RFC3339NanoTimeEncoder,
		EncodeLevel:    zapcore.LowercaseLevelEncoder,
		EncodeDuration: zapcore.StringDurationEncoder,
		EncodeName:     zapcore.FullNameEncoder,
	}
}
