package scriptmodel

import (
	"encoding/json"
	"net/http"
)

// The control routes serve tests in another process: release lets a HOLD go on,
// held answers once a request stands at it, requests lists what came in.

func (m *Model) controlRelease(w http.ResponseWriter, r *http.Request) {
	name, ok := holdName(w, r)
	if ok {
		m.Release(name)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (m *Model) controlHeld(w http.ResponseWriter, r *http.Request) {
	name, ok := holdName(w, r)
	if !ok {
		return
	}
	if rec, err := m.WaitRequest(r.Context(), HeldAt(name)); err == nil {
		writeJSON(w, http.StatusOK, rec)
	}
}

func (m *Model) controlRequests(w http.ResponseWriter, _ *http.Request) {
	all := m.Requests()
	if all == nil {
		all = []Request{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the client may have left
}

func holdName(w http.ResponseWriter, r *http.Request) (string, bool) {
	name := r.URL.Query().Get("name")
	if name == "" {
		http.Error(w, "Name the HOLD with ?name=.", http.StatusBadRequest)
	}
	return name, name != ""
}
