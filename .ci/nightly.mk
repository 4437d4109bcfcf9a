# What the night runs beside CI, each time with another seed.
$(NIGHTLY): export ARENA_TEST_SEED ?= $(shell date +%s)

# The variables are for the tests and not for the go command, hence -exec.
gogc:
	$(GOTEST) -short -exec 'env GOGC=1' . ./internal/model ./ref ./internal/guard ./arenajson ./arenaotel ./arenapb ./arenapb/gogo ./arenapgx

gccheckmark:
	$(GOTEST) -short -exec 'env GODEBUG=gccheckmark=1' -run 'Torture|Misuse|Random|Guard|Trap|TestDifferentialArenas' . ./internal/model ./ref ./internal/guard ./arenapb

# Everything on a busy machine: four loops beside the tests, one and eight processors, ten orders.
load:
	.ci/load

# How work grows with its input, beside the references: the steps too, or with GROWTH=cpu the time, which wants a quiet machine.
# COUNTED are the packages whose steps count: all of ours, and those of the references.
GROWTH  ?= steps
COUNTED := github.com/arena-go/arena/...,encoding/...,reflect,strings,bytes,strconv,unicode/...,slices,sort,maps,io,bufio,fmt,log/slog/...,net/http/httptest
GROWS   := ./internal/growth/core ./arenajson/internal/growth ./arenapb/internal/growth ./arenapgx/internal/growth ./arenaarrow/internal/growth
growth:
	@set -e; export ARENA_TEST_GROWTH=$(GROWTH); for package in $(GROWS); do \
		case $(GROWTH) in *steps*) cover="-covermode=atomic -coverpkg=$(COUNTED)"; \
			case $$package in *pb/*) cover=$$cover,google.golang.org/protobuf/... ;; *pgx/*) cover=$$cover,github.com/jackc/pgx/... ;; esac ;; \
		*) cover= ;; esac; \
		$(GOTEST) -count=1 $$cover $$package; \
	done

# Servers with clients that are refused, reset, or ask for too much: the memory stays flat.
soak:
	for name in arenahttp arenagrpc arenaconnect; do $(GOTEST) -timeout 30m ./$$name -run '^TestSoak$$' -soak 10m || exit 1; done

raceall:
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -race -short work

# What others get of a release, with the newest Go, and arenagrpc with the gRPC that it requires.
outside:
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -run '^TestRelease$$' ./internal/proof -long
	cd arenagrpc && GOWORK=off $(GO) test ./...

drivers:
	GOTOOLCHAIN=$(NEWEST) $(GOTEST) -run '^Test(Golangci|Gopls)$$' ./cmd/arena -drivers

experiment:
	GOEXPERIMENT=arenas $(GOTEST) -run 'Standard|Experiment' ./internal/proof
	GOEXPERIMENT=arenas $(GOTEST) -short ./bench/arrow ./bench/objects

malloc: export CGO_ENABLED = 1
malloc:
	$(GO) vet -tags mimalloc,jemalloc ./offheap
	$(GOTEST) -tags mimalloc,jemalloc ./offheap
	$(GOTEST) -race -short -tags mimalloc,jemalloc -run 'Malloc|Soak|Conform' ./offheap

nocgo:
	CGO_ENABLED=0 $(GOTEST) ./internal/fault ./internal/vm ./offheap ./arenaarrow/... ./bench/arrow

# Vet, and builds of the tests, for other systems and processors. Windows has the modules with dependencies as well.
cross: export CGO_ENABLED = 0
cross:
	@set -e; for target in linux/arm64 darwin/arm64 windows/amd64 linux/s390x linux/386 darwin/amd64; do \
		export GOOS=$${target%/*} GOARCH=$${target#*/}; echo "# $$target"; $(GO) vet ./...; $(GO) test -c -o /dev/null ./...; done
	GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./arenaarrow ./arenajson ./arenapb ./arenapgx ./arenaprom ./bench ./examples/index ./examples/profiles ./examples/requests
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./arenajson ./arenapb ./bench/objects ./examples/profiles

# The core and offheap on other processors, one of which is big endian. Left out are tests that build programs, set limits, or ask for
# what qemu does not keep. Children of the tests find in ARENA_TEST_EXEC what runs them.
QEMU_SKIP := TestCrimes|TestStandard|TestInlines|TestLimits|TestMmap(Limits|Node|HugePages)|TestSoak|TestFile(Addresses|Ranges|Replaced)
qemu: export CGO_ENABLED = 0
qemu:
	@set -e; for target in arm64=qemu-aarch64 s390x=qemu-s390x; do export GOARCH=$${target%%=*}; qemu=$${target#*=}; echo "# $$GOARCH"; \
		$(GOTEST) -short -exec "env ARENA_TEST_EXEC=$$qemu $$qemu" -skip '^($(QEMU_SKIP))$$' . ./offheap ./internal/...; done

# Other people's suites with our allocator, decoders and tools.
arrow:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && export CGO_ENABLED=1 && \
	$(GO) run ./arenaarrow/internal/suite -dir "$$dir" && \
	$(GO) run ./arenaarrow/internal/suite -dir "$$dir" -debug arrow/array arrow/csv parquet/pqarrow
protobuf:
	$(GO) run ./arenapb/internal/suite
parsers:
	$(GO) run ./cmd/arena/internal/suite
	$(GO) run ./cmd/arena/internal/suite -twice
connect:
	$(GO) run ./arenaconnect/internal/suite
pools:
	$(GO) run ./cmd/arena/internal/pools

# Modules with hundreds of requirements.
schemas: export GOWORK = off
schemas:
	cd $(SCHEMAS) && $(GO) test . ./common
	cd $(GENERATED) && $(GO) test .
real: export GOWORK = off
real:
	cd $(REAL) && $(GO) vet . ./generate && $(GO) mod tidy -diff && $(GO) test . && GOTOOLCHAIN=$(NEWEST) $(GO) test -short .
remotewrite: export GOWORK = off
remotewrite:
	cd $(MIMIR) && $(GO) vet . && $(GO) mod tidy -diff && $(GO) test -bench . -benchtime 1x .
	cd $(REMOTE) && $(GO) vet . && $(GO) mod tidy -diff && $(GO) test . && $(GO) test -race . && $(GO) run . -rounds 1
gateway: export GOWORK = off
gateway:
	cd $(GATEWAY) && $(GO) vet ./... && $(GO) mod tidy -diff && $(GO) test ./... && $(GO) test -race . && $(GO) test -run '^$$' -bench . -benchtime 1x .

# The commands that measure.
run:
	$(GO) run ./examples/profiles
	for name in requests service query ingest; do $(GO) run ./examples/$$name -rounds 1 || exit 1; done
	$(GO) run ./examples/index -size 16 -rounds 1
	$(GO) run ./bench -quick -html ''
