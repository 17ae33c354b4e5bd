package abi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Digest binds an answer to what was shown: SHA-256 in hex over root, session,
// call, tool and canonical arguments, each preceded by its length.
//
// Canonical arguments are the JSON value decoded and encoded again with sorted
// keys and IEEE doubles (as RFC 8785 does), so that the model's own text and the
// object a Harness made of it agree. Text that is no JSON stands for itself.
func Digest(root, session, call, tool string, arguments []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(root), []byte(session), []byte(call), []byte(tool), Canonical(arguments)} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Canonical is the form of arguments that Digest uses.
func Canonical(arguments []byte) []byte {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return []byte("{}")
	}
	var v any
	if err := json.Unmarshal(arguments, &v); err != nil {
		return arguments
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return arguments
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
