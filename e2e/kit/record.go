package kit

import (
	"path/filepath"
	"testing"

	"strata.dev/bridge/e2e/kit/transcript"
	"strata.dev/bridge/proto/chat"
)

// Transcript begins e2e/transcripts/<name>.txtar, with the test's own folders
// already named. Check compares at the end; -update writes.
func Transcript(t testing.TB, home *Home, name, comment string) *transcript.Transcript {
	t.Helper()
	tr := transcript.New(filepath.Join(Root(), "e2e", "transcripts", name+".txtar"), comment)
	for _, n := range []struct{ path, name string }{
		{home.Workspace, "WORKSPACE"}, {home.Data, "DATA"}, {home.DSH, "DSH_HOME"}, {home.User, "USER"}, {home.Dir, "HOME"},
		{HarnessDir(), "HARNESS"}, {Root(), "REPO"},
	} {
		tr.Name(n.path, n.name)
	}
	return tr
}

// RecordFrames adds a run's frames to a transcript, merged (see Merge).
func RecordFrames(t testing.TB, tr *transcript.Transcript, name string, frames []chat.Frame) {
	t.Helper()
	var values []any
	for _, f := range Merge(frames) {
		values = append(values, f)
	}
	if err := tr.JSON(name, values...); err != nil {
		t.Fatal(err)
	}
}
