# Everything that is checked, one target per way of checking. `make` lists them.
#
# GOTEST is the test runner. With GOTEST=.ci/gotest, as in CI, a skipped test
# that .ci/skips does not list is a failure, and so is a pattern that runs nothing.
GO     ?= go
GOTEST ?= $(GO) test -timeout 40m

# `work` stands for all packages of all modules in go.work.
MODULES := $(shell find . -name go.mod -not -path '*/testdata/*' -exec dirname {} \; | sort)

# What is not in go.work: modules that require hundreds of others, which would raise versions that all modules use, and
# which everybody would download. `make schemas`, `make real` and `make remotewrite` build them.
GENERATED := ./arenapb/gogo/internal/generated
REAL      := ./arenajson/internal/real
REMOTE    := ./examples/remotewrite
MIMIR     := ./arenapb/gogo/internal/mimir
APART     := ./arenapb/internal/schemas $(GENERATED) $(REAL) $(REMOTE) $(MIMIR)

# What is not released, so that it has no tag and no promise: what measures, what is read and run in the repository, and what
# tests. Nobody requires these. A new module is released unless it stands here.
UNRELEASED := ./bench ./examples $(APART)
RELEASED   := $(filter-out $(UNRELEASED),$(MODULES))

# Targets of `make cross`. VET_ONLY is for what has a property that no other
# target has, s390x being big endian, and for what is built elsewhere, as 386 is by i386,
# or differs little from another target.
CROSS    := linux/arm64 darwin/arm64 windows/amd64
VET_ONLY := linux/s390x linux/386 darwin/amd64

# The order of `make ci`: what is quick and fails often comes first.
CI := fmt vet modules test race newest debug asan i386

# What takes long, and seldom fails by itself. .ci/run runs those whose sources changed since they passed, see .ci/suite;
# `make nightly` runs all, and what takes too long for a change.
SUITES  := gogc gccheckmark malloc nocgo experiment protobuf schemas run bench fuzz cross arrow parser
NIGHTLY := growth raceall outside drivers parsers connect real remotewrite qemu

# Making an input smaller can take a minute each; it is for those who read it.
FUZZTIME ?= 2000x
FUZZ     := -fuzztime $(FUZZTIME) -fuzzminimizetime 10x

# The newest Go, for `newest`. All other targets use the go command as it is, which .ci/run makes the minimum.
NEWEST := go1.27.4

# .ci/gotest finds in MODE which skips .ci/skips allows.
export MODE = $@

.PHONY: help predicted list-ci list-suites list-nightly list-released quick ci nightly api release schemas-all $(CI) $(SUITES) $(NIGHTLY)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

list-ci:
	@echo $(CI)

list-suites:
	@echo $(SUITES)

list-released:
	@echo $(RELEASED)

quick: fmt ## what to run while writing: vet, and short tests of the root's module
	$(GO) vet ./...
	$(GO) test -vet=off -short ./...

ci: $(CI) ## what each change has to pass, and beside it the suites that are due: .ci/run does both

list-nightly:
	@echo $(NIGHTLY)

nightly: $(CI) $(SUITES) $(NIGHTLY) ## all of it, due or not

api: ## what changed in the exported names since the last release, as apidiff says it; api/ has all of them
	$(GO) test -count=1 ./internal/proof -run '^TestAPI'
	@.ci/api

release: ## prepares a release of all modules: make release VERSION=v0.1.0; see CONTRIBUTING.md
	@TAG='$(TAG)' UNPROVEN='$(UNPROVEN)' .ci/release '$(VERSION)'

test: ## the tests of all modules
	$(GOTEST) work

fmt: ## gofmt has nothing to change
	@files=$$(gofmt -l .) || exit 1; \
	if [ -n "$$files" ]; then echo "gofmt -w is due:" $$files; exit 1; fi

vet: ## go vet and arena vet of all modules
	$(GO) vet work
	$(GO) vet -tags arenadebug ./...
	$(GO) run ./cmd/arena vet -tests=false work

# Vet compiles what a package imports, and looks for the errors that a compiler finds in the package itself.
modules: ## each module builds by itself, its go.mod is tidy, and go.work.sum is complete
	@before=$$(cat go.work.sum) && $(GO) mod download && $(GO) list -m all >/dev/null && $(GO) doc . New >/dev/null && \
	if [ "$$before" != "$$(cat go.work.sum)" ]; then echo "go.work.sum was not complete; commit what go mod download has made of it"; exit 1; fi
	@set -e; for dir in $(filter-out $(APART),$(MODULES)); do \
		echo "# $$dir"; \
		(cd $$dir && export GOWORK=off && $(GO) vet ./... && $(GO) mod tidy -diff); \
		grep -qxF "	$$dir" go.work || { echo "$$dir is not in go.work"; exit 1; }; \
	done

# Building for another system what is made of other people's modules takes minutes, and shows little: Windows, which differs
# most, has it all, and macOS what has files for systems that are neither.
CROSS_WINDOWS := ./arenaarrow ./arenajson ./arenapb ./arenapgx ./arenaprom ./bench ./examples/index ./examples/profiles ./examples/requests
CROSS_DARWIN  := ./arenajson ./arenapb ./bench/objects ./examples/profiles

cross: ## vet, and build of the tests, for other systems and processors
	@set -e; export CGO_ENABLED=0; for target in $(CROSS) $(VET_ONLY); do \
		export GOOS=$${target%/*} GOARCH=$${target#*/}; \
		echo "# $$target"; $(GO) vet ./... ; \
		case " $(CROSS) " in *" $$target "*) $(GO) test -c -o /dev/null ./... ;; esac; \
		case $$target in \
		windows/amd64) $(GO) build -o /dev/null $(CROSS_WINDOWS) ;; \
		darwin/arm64) $(GO) build -o /dev/null $(CROSS_DARWIN) ;; \
		esac; \
	done

# Tests of programs that do not use what is stale: these are run as programs are that look for mistakes.
LEGAL   := 'RandomPrograms|FuzzArena|Example'
WATCHED := ARENA_TEST_WATCHED=1

# What runs with the race detector for each change: what has memory and goroutines of its own. Target raceall has the rest as well,
# whose dependencies take minutes to build, and all of it with the newest Go. That the detector of the newest Go finds mistakes is what
# TestCrimes proves in target newest.
RACED := ./... ./arenaarrow ./arenaconnect ./arenagrpc ./arenajson ./arenapb ./arenapb/gogo ./arenapgx/...

race: ## with the race detector
	$(GOTEST) -race -short $(RACED)
	$(WATCHED) $(GOTEST) -race -short -run $(LEGAL) .

newest: ## the tests with the newest Go, which the go command downloads
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -short work
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -run '^Test(Crimes|FaultsOfSystem)$$' ./internal/proof
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -run '^Test(Vet|Fix)Tool$$' ./cmd/arena

raceall: ## with the race detector and the newest Go, all modules
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -race -short work

outside: ## what others get of a release, with the newest Go, and with the gRPC that arenagrpc asks for
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -run '^TestRelease$$' ./internal/proof
	export GOWORK=off && cd arenagrpc && $(GO) test -timeout 40m ./...

drivers: ## arena vet in a golangci-lint and a gopls, which it builds; needs git
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -run '^Test(Golangci|Gopls)$$' ./cmd/arena -drivers

debug: ## with the tag arenadebug, which checks invariants, and with protobuf's protolegacy
	$(GOTEST) -short -tags arenadebug ./... ./arenajson ./arenapb ./arenapb/gogo ./arenagrpc ./arenaarrow/build
	$(WATCHED) $(GOTEST) -tags arenadebug -run $(LEGAL) .
	$(GOTEST) -short -tags protolegacy ./arenapb

# The test files with the random programs, and what they need.
RANDOM := model_test.go memory_test.go short_test.go watch_test.go export_test.go

# TestHostile counts bytes, and the sanitizer adds some to each object.
asan: ## with the address sanitizer; needs gcc
	@overlay=$$(mktemp) && trap 'rm -f "$$overlay"' EXIT && .ci/only $(RANDOM) >"$$overlay" && \
	$(WATCHED) CGO_ENABLED=1 $(GOTEST) -asan -short -overlay "$$overlay" -run '^(TestRandomPrograms|FuzzArena)$$' .
	CGO_ENABLED=1 $(GOTEST) -asan -short -skip '^TestHostile$$' ./arenajson
	CGO_ENABLED=1 $(GOTEST) -asan -short ./arenapb ./arenapb/gogo ./arenatest ./arenadebug ./arenahttp/... ./arenaslog ./offheap

# The variables are for the test and not for the go command, hence -exec.

# The packages whose steps count: all of ours, and those of the references. The rest of the standard library is seen by GROWTH=cpu, which
# wants a machine that does nothing else.
GROWTH ?= steps
COUNTED := github.com/arena-go/arena/...,encoding/...,reflect,strings,bytes,strconv,unicode/...,slices,sort,maps,io,bufio,fmt,log/slog/...,net/http/httptest
GROWS := ./internal/growth/core ./arenajson/internal/growth ./arenapb/internal/growth ./arenapgx/internal/growth ./arenaarrow/internal/growth

growth: ## how work grows with its input, beside the references: the steps too, or the time with GROWTH=cpu
	@set -e; export ARENA_TEST_GROWTH=$(GROWTH); for package in $(GROWS); do \
		case $(GROWTH) in *steps*) cover="-covermode=atomic -coverpkg=$(COUNTED)"; \
			case $$package in *pb/*) cover=$$cover,google.golang.org/protobuf/... ;; *pgx/*) cover=$$cover,github.com/jackc/pgx/... ;; esac ;; \
		*) cover= ;; esac; \
		$(GOTEST) -count=1 $$cover $$package; \
	done

gogc: ## the core, and the decoders, with a collection after every few allocations
	$(GOTEST) -count=1 -short -exec 'env GOGC=1' . ./internal/guard ./arenajson ./arenapb ./arenapb/gogo ./arenapgx

gccheckmark: ## the core, and arenapb, with each mark phase of the collector checked by a second one
	$(GOTEST) -count=1 -short -exec 'env GODEBUG=gccheckmark=1' -run '$(GCCHECKMARK)' . ./internal/guard ./arenapb

GCCHECKMARK ?= Torture|Misuse|Random|Guard|Trap|TestDifferentialArenas

experiment: ## what stands beside the standard library's experimental arenas
	GOEXPERIMENT=arenas $(GOTEST) -run 'Standard|Experiment' ./internal/proof
	GOEXPERIMENT=arenas $(GOTEST) -short ./bench/arrow ./bench/objects

malloc: ## offheap with the allocators written in C; needs gcc, pkg-config, libmimalloc-dev, libjemalloc-dev
	CGO_ENABLED=1 $(GO) vet -tags mimalloc,jemalloc ./offheap
	CGO_ENABLED=1 $(GOTEST) -tags mimalloc,jemalloc ./offheap
	CGO_ENABLED=1 $(GOTEST) -race -short -tags mimalloc,jemalloc -run 'Malloc|Soak|Conform' ./offheap

nocgo: ## without cgo, where that makes a difference; i386 has the core without it, and cross builds everything so
	CGO_ENABLED=0 $(GOTEST) ./internal/fault ./internal/vm ./offheap ./arenaarrow/... ./bench/arrow

i386: ## the core on a 32-bit processor; needs a kernel that runs such programs
	CGO_ENABLED=0 GOARCH=386 $(GO) vet ./... ./arenajson ./arenapb ./arenapb/gogo
	CGO_ENABLED=0 GOARCH=386 $(GOTEST) -short . ./arenajson ./arenapb ./arenapb/gogo ./internal/... ./arenatest ./arenadebug ./offheap

# Those left out build programs, to look at what the compiler does or for detectors that other processors have not; or set limits or
# ask for NUMA nodes and huge pages, which qemu does not keep, or for terabytes of addresses, for which it takes gigabytes; or replace a file
# as fast as others read it, for minutes. Children of the tests find in ARENA_TEST_EXEC what runs them.
QEMU      ?= arm64=qemu-aarch64 s390x=qemu-s390x
QEMU_SKIP := TestCrimes|TestStandard|TestInlines|TestLimits|TestMmap(Limits|Node|HugePages)|TestSoak|TestFile(Addresses|Ranges|Replaced)

qemu: ## the core and offheap on other processors, one of which is big endian; needs qemu-user
	@set -e; export CGO_ENABLED=0; for target in $(QEMU); do \
		export GOARCH=$${target%%=*}; qemu=$${target#*=}; \
		command -v $$qemu >/dev/null || { echo "$$qemu is missing: install qemu-user"; exit 1; }; \
		echo "# $$GOARCH"; \
		$(GOTEST) -count=1 -short -exec "env ARENA_TEST_EXEC=$$qemu $$qemu" -skip '^($(QEMU_SKIP))$$' . ./offheap ./internal/...; \
	done

arrow: ## arrow-go's own tests and benchmarks with arenaarrow's allocator; needs a C compiler, and takes minutes to build
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && export CGO_ENABLED=1 && \
	$(GO) run ./arenaarrow/internal/suite -dir "$$dir" && \
	$(GO) run ./arenaarrow/internal/suite -dir "$$dir" -debug arrow/array arrow/csv parquet/pqarrow

protobuf: ## protobuf-go's own tests with arenapb's decoder
	$(GO) run ./arenapb/internal/suite

parser: ## arena fix on one small parser of others, and its own tests on the heap and with arenas that are reset
	$(GO) run ./cmd/arena/internal/suite -short html
	$(GO) run ./cmd/arena/internal/suite -short -twice html

parsers: ## arena fix on parsers of others, which it fetches, and their own tests with arenas
	$(GO) run ./cmd/arena/internal/suite
	$(GO) run ./cmd/arena/internal/suite -twice

# It takes half an hour, and wants a machine that does nothing else.
predicted: ## what arena advise predicts for twenty-seven programs, and what an arena saves them: the table in docs/does-it-pay.md
	$(GO) run ./cmd/arena/internal/predicted

connect: ## connect's conformance tests with arenaconnect; downloads and builds them, and takes some minutes
	$(GO) run ./arenaconnect/internal/suite

# The directory is another one, and .ci/gotest is found from here.
schemas: ## a sample of messages of thousands of types that others have generated, with gogo/protobuf too; downloads 80 modules
	@gotest='$(GOTEST)'; case $$gotest in .*) gotest=$$PWD/$$gotest ;; esac; \
	export GOWORK=off && (cd $(firstword $(APART)) && $$gotest . ./common) && cd $(GENERATED) && $$gotest .

real: ## types that others have written for JSON, with the documents of their tests, with both versions of encoding/json; downloads 80 modules
	@gotest='$(GOTEST)'; case $$gotest in .*) gotest=$$PWD/$$gotest ;; esac; \
	export GOWORK=off && cd $(REAL) && $(GO) vet . ./generate && $(GO) mod tidy -diff && $$gotest . && GOTOOLCHAIN=$(NEWEST) $$gotest -short .

remotewrite: ## a receiver of Prometheus' remote write, with a TSDB and a sender, also with the race detector; and Mimir's decoder; downloads 300 modules
	@gotest='$(GOTEST)'; case $$gotest in .*) gotest=$$PWD/$$gotest ;; esac; export GOWORK=off && \
	(cd $(MIMIR) && $(GO) vet . && $(GO) mod tidy -diff && $$gotest -bench . -benchtime 1x .) && \
	cd $(REMOTE) && $(GO) vet . && $(GO) mod tidy -diff && $$gotest . && $$gotest -race . && $(GO) run . -rounds 1

schemas-all: ## all messages of all of them, each type first in a process of its own; takes an hour or more
	@export GOWORK=off && (cd $(GENERATED) && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test -timeout 1h . -each) && \
	cd $(firstword $(APART)) && $(GO) mod tidy -diff && $(GO) vet . ./generate && \
	for program in */imports.go; do echo "# $${program%/*}"; $(GO) run ./$${program%/*} $(SCHEMAS) || exit 1; done

fuzz: ## each fuzz target for a fixed number of runs
	@set -e; list=$$($(GO) test -list '^Fuzz' work | awk '/^Fuzz/ { name[++n] = $$1 } /^ok/ { while (n) print $$2, name[n--] }'); \
	[ -n "$$list" ] || { echo "no fuzz targets"; exit 1; }; \
	echo "$$list" | while read -r package name; do \
		echo "# $$package $$name"; \
		$(GOTEST) -run '^$$' -fuzz "^$$name$$" $(FUZZ) "$$package" </dev/null; \
	done

bench: ## all benchmarks once, to see that they run; see CONTRIBUTING.md for measuring
	$(GOTEST) -run '^$$' -bench . -benchtime 1x work

run: ## the commands that measure arenas against the heap
	$(GO) run ./examples/profiles
	$(GO) run ./examples/requests -rounds 1
	$(GO) run ./examples/service -rounds 1
	$(GO) run ./examples/index -size 16 -rounds 1
	$(GO) run ./examples/query -rounds 1
	$(GO) run ./examples/ingest -rounds 1
	$(GO) run ./bench -quick -html ''
