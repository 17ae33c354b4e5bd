package conformance

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// NewServer is the HTTP server that $HTTP names in cases. Every answer has the
// same date, so that it can be compared.
func NewServer() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var names []string
		for name := range r.Header {
			if strings.HasPrefix(name, "X-") || name == "Accept-Encoding" {
				names = append(names, name+"="+strings.Join(r.Header[name], "|"))
			}
		}
		slices.Sort(names)
		w.Header().Add("X-Twice", "one")
		w.Header().Add("X-Twice", "two")
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprintf(w, "%s %s %q %q", r.Method, r.URL, names, body)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/echo")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) })
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 5000)) })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/stall", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "begun")
		panic(http.ErrAbortHandler)
	})
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Mon, 01 Jan 2035 00:00:00 GMT")
		w.Header().Set("Content-Type", "text/plain")
		mux.ServeHTTP(w, r)
	}))
}
