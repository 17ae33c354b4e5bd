package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"strata.dev/bridge/proto/abi"
)

const hostModule = "strata:plugin/host@" + abi.Version

// levels are the WIT's log levels in order.
var levels = []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

// offerHost gives a runtime the imports of the world. They only enqueue; a
// guest that breaks a rule is stopped by a panic with a violation.
func offerHost(ctx context.Context, r wazero.Runtime) error {
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	b := r.NewHostModuleBuilder(hostModule)
	offer := func(name string, f func(g *guest, p []uint64), results []api.ValueType, params ...api.ValueType) {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(
			func(ctx context.Context, module api.Module, stack []uint64) {
				g := ctx.Value(guestKey{}).(*guest)
				g.module = module // the initialiser may log before newGuest has it
				f(g, stack)
			},
		), params, results).Export(name)
	}
	offer("log", (*guest).hostLog, nil, i32, i32, i32)
	offer("now", func(_ *guest, p []uint64) { p[0] = uint64(time.Now().UnixMilli()) }, []api.ValueType{i64})
	offer("random", func(_ *guest, p []uint64) { p[0] = random() }, []api.ValueType{i64})
	offer("done", (*guest).hostDone, nil, i32, i32, i32, i32, i32)
	offer("failed", (*guest).hostFailed, nil, i32, i32, i32, i32, i32)
	offer("effect", (*guest).hostEffect, nil, i32, i32, i32, i32, i32, i32, i32, i32)
	_, err := b.Instantiate(ctx)
	return err
}

func random() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

func (g *guest) hostLog(p []uint64) {
	level, msg := uint32(p[0]), g.text(p[1], p[2])
	obey(rule(int(level) >= len(levels), abi.RuleEnum))
	if len(msg) > abi.MaxLogBytes {
		msg = msg[:abi.MaxLogBytes]
		for !utf8.ValidString(msg) {
			msg = msg[:len(msg)-1]
		}
	}
	g.log.Log(context.Background(), levels[level], msg, "from", "log")
}

func (g *guest) hostDone(p []uint64) {
	c := g.serving(p[0])
	obey(c.finish(end{head: g.head(p[1], p[2]), body: g.bytes(p[3], p[4], abi.MaxBodyBytes)}))
}

func (g *guest) hostFailed(p []uint64) {
	c := g.serving(p[0])
	err := refusal(g.text(p[1], p[2]), g.text(p[3], p[4]))
	err.Fault = err.Code == abi.CodePanic
	obey(c.finish(end{err: err}))
}

func (g *guest) hostEffect(p []uint64) {
	c := g.serving(p[0])
	obey(c.ask(uint32(p[1]), Effect{
		Kind: g.text(p[2], p[3]), Head: g.head(p[4], p[5]), Body: g.bytes(p[6], p[7], abi.MaxBodyBytes),
	}))
}

// serving is the call that the running export serves, which must be the one named.
func (g *guest) serving(id uint64) *call {
	obey(rule(g.entered == nil || g.entered.id != uint32(id), abi.RuleForeign))
	return g.entered
}

// bytes copies a list out of the guest's memory; nil when it is empty.
func (g *guest) bytes(ptr, n uint64, limit int) []byte {
	if uint32(n) == 0 {
		return nil
	}
	view, ok := g.module.Memory().Read(uint32(ptr), uint32(n))
	obey(rule(!ok, abi.RuleMemory))
	obey(rule(len(view) > limit, abi.RuleTooLarge))
	return append([]byte(nil), view...)
}

func (g *guest) head(ptr, n uint64) []byte {
	b := g.bytes(ptr, n, abi.MaxHeadBytes)
	obey(rule(!isHead(b), abi.RuleHead))
	return b
}

func (g *guest) text(ptr, n uint64) string {
	b := g.bytes(ptr, n, abi.MaxHeadBytes)
	obey(rule(!utf8.Valid(b), abi.RuleText))
	return string(b)
}

func rule(broken bool, sentence string) string {
	if broken {
		return sentence
	}
	return ""
}

// obey stops the guest when a rule is broken.
func obey(broken string) {
	if broken != "" {
		panic(violation(broken))
	}
}
