package connections

import (
	"net"
	"net/http"
	"time"
)

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
