# The two commands a newcomer needs: make run, make test. The others are for
# people who change the code (CONTRIBUTING.md). Only make downloads or builds
# anything; the host itself never does.

SHELL := /bin/sh
ROOT  := $(CURDIR)
MODULES := proto plugins wasm host e2e

# A checkout owned by another user, or no git at all, must not stop a build.
export GOFLAGS := -buildvcs=false
export PATH := $(ROOT)/.tools/bin:$(PATH)

WASM    := shim/dist/strata.wasm
WASM_SOURCES := $(shell find plugins proto -name '*.go' -not -name '*_test.go' 2>/dev/null) plugins/go.mod plugins/cmd/strata/default.pgo
DATA    ?= $(ROOT)/.run/data
WORKSPACE ?= $(ROOT)/.run/workspace
ifdef STRATA_HARNESS_DIR
override STRATA_HARNESS_DIR := $(abspath $(STRATA_HARNESS_DIR))
export STRATA_HARNESS_DIR
endif
HARNESS := $(or $(STRATA_HARNESS_DIR),$(ROOT)/e2e/harness)

.PHONY: help run test check wasm build profile generate format tidy bench chaos fuzz soak context-e2e clean base
help:
	@echo 'make run    start the chat on the real Harness and print its URL'
	@echo 'make test   run every test'
	@echo 'See README.md; make check, bench, chaos, fuzz, soak, wasm are in CONTRIBUTING.md.'

base:
	@.tools/setup.sh base

# KEY_FILE=… BASE_URL=… MODEL=… CONTEXT_WINDOW=… use a real OpenAI-compatible endpoint; without
# them a scripted demo model answers. The key is read from the file.
run: base
	@.tools/setup.sh harness
	@[ -e .run/bin/strata-demo ] || echo 'Building …'
	@$(MAKE) --no-print-directory wasm build
	@exec .run/bin/strata-demo $(if $(filter file,$(origin WORKSPACE)),--seed) --host .run/bin/strata-host --harness "$(HARNESS)" \
		--node "$(ROOT)/.tools/bin/node" --shim "$(ROOT)/shim" --data "$(DATA)" --workspace "$(WORKSPACE)" \
		$(if $(KEY_FILE),--key-file "$(KEY_FILE)") $(if $(BASE_URL),--base-url "$(BASE_URL)") \
		$(if $(MODEL),--model "$(MODEL)") $(if $(CONTEXT_WINDOW),--context-window "$(CONTEXT_WINDOW)") $(if $(LISTEN),--listen "$(LISTEN)")

build:
	@mkdir -p .run/bin
	@CGO_ENABLED=0 go build -trimpath -o .run/bin/ ./host/cmd/strata-host ./e2e/cmd/strata-demo

wasm: base $(WASM)
$(WASM): $(WASM_SOURCES) shim/build.mjs shim/freeze.mjs shim/freezetable.mjs shim/cordis.patch.yml
	@mkdir -p shim/dist
	@cd plugins && GOOS=wasip1 GOARCH=wasm go build -trimpath -ldflags='-s -w' -buildmode=c-shared \
		-o ../$(WASM).new ./cmd/strata
	@node shim/build.mjs $(WASM).new && rm $(WASM).new

test: base
	@.tools/setup.sh harness shim test
	@$(MAKE) --no-print-directory wasm
	@.tools/test.sh

check: base
	@.tools/setup.sh shim check
	@.tools/check.sh

# What the compiler is told of strata.wasm (go build takes the file by its name): where
# the time of a decision goes, in the parser and what it calls. The rest made the module
# larger and not faster.
profile: base
	@mkdir -p .run
	@cd plugins && go test -trimpath -c -o /tmp/strata-gate.test ./gate
	@cd plugins/gate && /tmp/strata-gate.test -test.run '^$$' -test.bench Op2KB -test.benchtime 20000x -test.cpuprofile $(ROOT)/.run/gate.prof
	@go tool pprof -proto -focus 'sh/v3/syntax' -output plugins/cmd/strata/default.pgo .run/gate.prof
	@rm /tmp/strata-gate.test

generate: base
	@.tools/setup.sh check
	@.tools/generate.sh

format:
	@gofmt -w $(MODULES)

tidy:
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy) || exit 1; done

# BASE_URL=… MODEL=… [KEY_FILE=… WINDOW=…]: against a real engine, where the talks
# take their time; without them a scripted model answers.
context-e2e: base
	@.tools/setup.sh harness shim test
	@$(MAKE) --no-print-directory wasm
	@cd e2e && CONTEXT_E2E=1 CONTEXT_BASE_URL="$(BASE_URL)" CONTEXT_MODEL="$(MODEL)" CONTEXT_WINDOW="$(WINDOW)" \
		CONTEXT_KEY_FILE="$(if $(KEY_FILE),$(abspath $(KEY_FILE)))" go test -run '^TestContextTable$$' -v -count 1 -timeout 6h .

bench chaos fuzz soak: base
	@.tools/setup.sh harness shim test
	@$(MAKE) --no-print-directory wasm
	@.tools/$@.sh

clean:
	rm -rf .run shim/dist artifacts .tools/bin .tools/sandbox .tools/stamps .tools/node_modules shim/node_modules e2e/harness/node_modules
