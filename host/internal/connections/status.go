package connections

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// StatusError is what a model server answers instead of its list of models.
type StatusError struct {
	Status int    // of HTTP
	Body   string // of it what a person reads, without the key; "" where it was not kept
}

// Error gives status and body.
func (e *StatusError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("HTTP %d: %s", e.Status, e.Body), ": ")
}

// KeyRefused tells whether an error says that the server did not take the key.
func KeyRefused(err error) bool {
	return answered(err, http.StatusUnauthorized, http.StatusForbidden)
}

// NoSuchRoute tells whether an error says that the server has no list of models.
func NoSuchRoute(err error) bool {
	return answered(err, http.StatusNotFound, http.StatusMethodNotAllowed)
}

func answered(err error, any ...int) bool {
	var e *StatusError
	return errors.As(err, &e) && slices.Contains(any, e.Status)
}
