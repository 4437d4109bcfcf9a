# `make` lists the targets; CONTRIBUTING.md says what CI and the night run of them.
GO     ?= go
GOTEST ?= $(GO) test

# The newest Go, beside the minimum, which go.mod names and CI installs.
NEWEST := go1.27.4

# Modules that are not in go.work: each requires hundreds of others, whose versions all modules would get.
SCHEMAS   := arenapb/internal/schemas
GENERATED := arenapb/gogo/internal/generated
MIMIR     := arenapb/gogo/internal/mimir
REAL      := arenajson/internal/real
REMOTE    := examples/remotewrite
GATEWAY   := examples/gateway
APART     := $(SCHEMAS) $(GENERATED) $(MIMIR) $(REAL) $(REMOTE) $(GATEWAY)
MODULES   := $(shell find . -name go.mod -not -path '*/testdata/*' -not -path './.ci/*' -exec dirname {} \; | sort)
RELEASED  := $(filter-out ./bench ./examples $(APART:%=./%),$(MODULES))

# Packages whose tests have a form that takes minutes.
LONG = $(addprefix ./,$(shell git grep -l 'internal/testrun"' -- '*_test.go' $(APART:%=':!%') | xargs dirname | sort -u))

# A tool of .ci/tools, built and cached by the go command.
tool = $$(cd .ci/tools && GOWORK=off $(GO) tool -n $(1))

# What each change passes, and what only the night runs.
CI      := fmt vet lint modules test race
NIGHTLY := newest debug asan i386 long gogc gccheckmark malloc nocgo experiment cross qemu arrow protobuf parsers pools connect drivers outside \
	schemas real remotewrite gateway raceall fuzz bench run load soak growth

.PHONY: help quick test race long nightly bench lint fuzz release docs list-ci list-nightly list-released $(CI) $(NIGHTLY)

help:
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' Makefile

list-ci:
	@echo $(CI)
list-nightly:
	@echo $(NIGHTLY)
list-released:
	@echo $(RELEASED)

quick: fmt ## while you write: vet and the short tests of the root module
	$(GO) vet ./...
	$(GO) test -vet=off -short ./...

test: ## the tests of all modules
	$(GOTEST) work

race: ## tests with the race detector
	$(GOTEST) -race -short ./... ./arenaarrow ./arenaconnect ./arenagrpc ./arenajson ./arenapb ./arenapb/gogo ./arenapgx/...
	ARENA_TEST_WATCHED=1 $(GOTEST) -race -short -run $(LEGAL) . ./internal/model ./ref

long: ## tests in full, which takes an hour
	$(GOTEST) -timeout 2h $(LONG) -long

nightly: $(CI) $(NIGHTLY) ## all that is tested

bench: ## each benchmark once, to see that it runs
	$(GOTEST) -run '^$$' -bench . -benchtime 1x work

lint: ## staticcheck, golangci-lint and arena vet
	$(call tool,staticcheck) work
	$(call tool,golangci-lint) run $(patsubst %,%/...,$(filter-out $(APART:%=./%),$(MODULES)))
	$(GO) run ./cmd/arena vet -tests=false work

fuzz: ## each fuzz target for FUZZTIME
	@set -e; $(GO) test -list '^Fuzz' work | awk '/^Fuzz/ { name[++n] = $$1 } /^ok/ { while (n) print $$2, name[n--] }' | \
	while read -r package name; do $(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$package" </dev/null; done
FUZZTIME ?= 2000x

release: ## a release of all modules: make release VERSION=v0.1.0
	@TAG='$(TAG)' .ci/release '$(VERSION)'

docs: ## the programs, links, commands and names in the documents
	$(GOTEST) ./internal/proof -run 'Documents|Links|Commands|Programs|Fragments|Shown|API'

# Files for a newer Go have syntax that gofmt of the minimum does not know.
fmt:
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs grep -sLE '^//go:build go1\.[0-9]+$$$$' | xargs gofmt -l) || exit 1; [ -z "$$files" ] || { echo "gofmt -w is due:" $$files; exit 1; }

vet:
	$(GO) vet work
	$(GO) vet -tags arenadebug ./...

# Each module builds by itself, its go.mod is tidy, and it is in go.work.
modules:
	@set -e; for dir in $(filter-out $(APART:%=./%),$(MODULES)); do (cd $$dir && export GOWORK=off && $(GO) vet ./... && $(GO) mod tidy -diff); \
	grep -qxF "	$$dir" go.work || { echo "$$dir is not in go.work"; exit 1; }; done

newest:
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -short work

# Programs that use nothing stale: they run as programs do that look for mistakes.
LEGAL := 'RandomPrograms|FuzzArena|Example'

debug:
	$(GOTEST) -short -tags arenadebug ./... ./arenajson ./arenapb ./arenapb/gogo ./arenagrpc ./arenaarrow/build
	ARENA_TEST_WATCHED=1 $(GOTEST) -tags arenadebug -run $(LEGAL) . ./internal/model ./ref
	$(GOTEST) -short -tags protolegacy ./arenapb

asan: export CGO_ENABLED = 1
asan:
	ARENA_TEST_WATCHED=1 $(GOTEST) -asan -short -run '^(TestRandomPrograms|FuzzArena)$$' .
	$(GOTEST) -asan -short ./ref ./arenajson ./arenapb ./arenapb/gogo ./arenatest ./arenadebug ./arenascope ./arenahttp/... ./arenaslog ./offheap

i386: export CGO_ENABLED = 0
i386:
	GOARCH=386 $(GOTEST) -short . ./arenajson ./arenapb ./arenapb/gogo ./internal/... ./ref ./arenascope ./arenatest ./arenadebug ./offheap

include .ci/nightly.mk
