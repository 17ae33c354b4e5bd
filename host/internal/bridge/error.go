package bridge

import "errors"

// ErrSlow ends a Subscription whose reader fell too far behind.
var ErrSlow = errors.New("the reader fell behind; attach again after the last frame it has")
