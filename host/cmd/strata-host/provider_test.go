package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
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
