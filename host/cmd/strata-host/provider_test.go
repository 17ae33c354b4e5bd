package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
)

// provider starts a model server that knows one key and has two models, and puts its base
// URL into a variable.
func provider(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: provider variable key-file")
	}
	key := strings.TrimSpace(ts.ReadFile(args[1]))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "no such key: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"vendor/big","name":"Big","context_length":200000,"supported_parameters":["reasoning"],"pricing":{"prompt":"0.000003","completion":"0.000015"}},{"id":"vendor/small"}]}`)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// localServer starts a model server of one's own with two models, and puts its base URL
// into a variable.
func localServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: local-server variable")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"one","max_model_len":8192},{"id":"two=2","max_model_len":4096}]}`)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// unpack writes the files of an archive into a folder, with the port of the key proxy's
// address changed.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: unpack archive folder port")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "http://127.0.0.1:0/", "http://127.0.0.1:"+args[2]+"/")
	for _, f := range txtar.Parse([]byte(text)).Files {
		path := filepath.Join(ts.MkAbs(args[1]), filepath.FromSlash(f.Name))
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
		ts.Check(os.WriteFile(path, f.Data, 0o600))
	}
}
