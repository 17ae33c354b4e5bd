// Package gen holds the bindings of proto/wit, generated and committed.
package gen

//go:generate ../../.tools/bin/wit-bindgen-go generate --world plugin --out . --package-root strata.dev/bridge/plugins/gen ../../proto/wit
