package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/detect"
)

const (
	startTimeout = 30 * time.Second      // from launch to ready; 1.2 s is usual on two cores
	settle       = time.Second           // how long it must live on after its URL line
	pollEvery    = 25 * time.Millisecond // between two host.describe
	pollTimeout  = 5 * time.Second       // of one host.describe
)

// errRefused says that the fence does not take the launch secret.
var errRefused = errors.New("the launch secret is refused")

// launch is what is known of a process that starts.
type launch struct {
	url    <-chan urlLine  // its URL line, once
	exited <-chan struct{} // closed when it has ended
	proven bool            // it is ready with its first answer
	// describe asks for host.describe. Any error but errRefused means not yet.
	describe func(ctx context.Context, base string) error
}

// urlLine is what a URL line said.
type urlLine struct {
	base string
	err  error // it must not be used
}

// errEnded says that the process ended before it was ready.
var errEnded = errors.New("it ended before it was ready")

// awaitReady waits until the process is ready: it has printed its URL, answers
// host.describe, still lives a second after the URL line, and still answers then.
// The URL line alone says little: an install with the wrong packages and a plugin
// whose service is missing both print it and end right after. Errors: errEnded,
// errRefused, the URL line's, the context's.
func awaitReady(ctx context.Context, l launch) (string, error) {
	var base string
	select {
	case line := <-l.url:
		if line.err != nil {
			return "", line.err
		}
		base = line.base
	case <-l.exited:
		return "", errEnded
	case <-ctx.Done():
		return "", ctx.Err()
	}
	settled := time.After(settle)
	if err := awaitAnswer(ctx, l, base); err != nil {
		return "", err
	}
	if l.proven {
		return base, nil
	}
	select {
	case <-settled:
	case <-l.exited:
		return "", errEnded
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if err := awaitAnswer(ctx, l, base); err != nil {
		return "", err
	}
	return base, nil
}

func awaitAnswer(ctx context.Context, l launch, base string) error {
	for {
		asking, cancel := context.WithTimeout(ctx, pollTimeout)
		err := l.describe(asking, base)
		cancel()
		if err == nil || errors.Is(err, errRefused) {
			return err
		}
		select {
		case <-time.After(pollEvery):
		case <-l.exited:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// describe calls host.describe with the launch secret, never following a
// redirect and never through a proxy.
func describe(ctx context.Context, base, secret string) error {
	const body = `{"type":"client-request","rpcId":"ready","method":"host.describe","payload":{}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/host.describe", bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Close = true
	res, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("host.describe: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden {
		return errRefused
	}
	var answer struct {
		Result struct {
			OK bool `json:"ok"`
		} `json:"result"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&answer); err != nil {
		return fmt.Errorf("host.describe: status %d: %w", res.StatusCode, err)
	}
	if !answer.Result.OK {
		return fmt.Errorf("host.describe: status %d: not ok", res.StatusCode)
	}
	return nil
}

// answers asks a Harness that printed a launch token. Any error but errRefused means
// not yet.
func answers(ctx context.Context, r detect.Ready, secret string) error {
	_, err := detect.Wire(ctx, detect.Options{Ready: r, Secret: secret})
	if gateway.IsCode(err, gateway.CodeUnauthorized) {
		return errRefused
	}
	return err
}

var direct = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}
