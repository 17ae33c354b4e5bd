module strata.dev/bridge/plugins

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	go.bytecodealliance.org/cm v0.3.0
	golang.org/x/net v0.61.0
	golang.org/x/text v0.43.0
	mvdan.cc/sh/v3 v3.14.1
	strata.dev/bridge/proto v0.0.0
)

replace strata.dev/bridge/proto => ../proto
