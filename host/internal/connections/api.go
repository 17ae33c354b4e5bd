package connections

import (
	"net"
	"net/http"
	"time"
)

// API is a way to ask a model.
type API string

// The APIs.
const (
	OpenAI    API = "openai"    // chat completions, which nearly every server has
	Anthropic API = "anthropic" // messages
)

// anthropicHost serves both APIs; its own one is the whole one.
const anthropicHost = "api.anthropic.com"

// Speaks is the API by which the host itself asks the server. The Harness, through the
// key proxy, always asks by chat completions.
func (c Connection) Speaks() API {
	switch {
	case c.API != "":
		return c.API
	case c.Upstream.Hostname() == anthropicHost:
		return Anthropic
	}
	return OpenAI
}

// Authorize puts the key on a request of the host's own.
func (c Connection) Authorize(h http.Header) {
	switch {
	case c.Key.IsZero():
	case c.Speaks() == Anthropic:
		h.Set("X-Api-Key", c.Key.reveal())
	default:
		h.Set("Authorization", "Bearer "+c.Key.reveal())
	}
}

// Transport makes what requests to model servers go over. A cancelled one ends its
// connection, or its HTTP/2 stream, at once.
func Transport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
		TLSHandshakeTimeout:   20 * time.Second,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // what is compressed cannot be passed on at once
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}
