package double

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ServeHTTP answers the login, the calls and the socket.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Intercept != nil && s.Intercept(w, r) {
		return
	}
	if r.URL.Path == "/" && r.Method == http.MethodGet {
		s.login(w, r)
		return
	}
	path, api := strings.CutPrefix(r.URL.Path, "/api/")
	if !api {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	if status := s.fence(r); status != 0 {
		w.Header().Set("Connection", "close")
		http.Error(w, strings.ToLower(http.StatusText(status)), status)
		return
	}
	if path == "remote.mux" {
		s.mux(w, r)
		return
	}
	s.rpc(w, r, path)
}

// fence checks in the Harness's order (harness-wire.md §1.4); 0 lets in.
func (s *Server) fence(r *http.Request) int {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if !slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, strings.Trim(host, "[]")) {
		return http.StatusForbidden
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return http.StatusForbidden
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return http.StatusForbidden
		}
	}
	if !s.admits(r) {
		return http.StatusUnauthorized
	}
	return 0
}

func cookieName(authority string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(authority)))
	return "dsh-auth-" + base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *Server) admits(r *http.Request) bool {
	c, err := r.Cookie(cookieName(r.Host))
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cookies[c.Value]
}

// login exchanges the launch token for a cookie (§1.3).
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	right := len(q) == 1 && len(q["token"]) == 1 && q.Get("token") == s.token
	s.mu.Unlock()
	if !right && !s.admits(r) {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	if !right && !q.Has("token") {
		_, _ = w.Write([]byte("<html></html>"))
		return
	}
	h := w.Header()
	h.Set("Location", "./")
	if s.Old {
		h.Set("Location", "/")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	if right {
		value := "v1." + rand.Text() + "." + rand.Text()
		s.mu.Lock()
		s.cookies[value] = true
		s.mu.Unlock()
		const month = 30 * 24 * time.Hour
		http.SetCookie(w, &http.Cookie{
			Name: cookieName(r.Host), Value: value, Path: "/", MaxAge: int(month.Seconds()),
			Expires: time.Now().Add(month), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
	}
	w.WriteHeader(http.StatusSeeOther)
}
