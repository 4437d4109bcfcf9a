package foreign_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena/bench/foreign"
	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/objects"
	"github.com/arena-go/arena/bench/small"
	"github.com/arena-go/arena/internal/testrun"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

// sizes are what each workload is tested with.
var sizes = map[string][]int{
	"struct16": {0, 1, 10, 1000, 12_345, 300_000},
	"trees":    {0, 3, 4, 7, 12},
	"fresh-5":  {0, 1, 10, 1000},
}

// TestPrograms checks that programs in other languages make what the Go heap does.
func TestPrograms(t *testing.T) {
	t.Setenv("CARGO_PROFILE_RELEASE_LTO", "off") // It takes ten times as long to build.
	heap := map[string]*suite.Implementation{}
	for _, w := range append(objects.Workloads(), small.Workloads()...) {
		heap[w.Name] = &w.Implementations[0]
	}
	for _, p := range foreign.Programs {
		t.Run(string(p), func(t *testing.T) {
			if p == foreign.Zig {
				testrun.NeedLong(t) // It takes long to build.
			}
			programs, missing := foreign.Build(t.TempDir(), func(other suite.Program) bool { return other == p })
			if len(programs)+len(missing) != 1 {
				t.Fatalf("%v are there and %q are not", programs, missing)
			}
			switch {
			case len(missing) > 0 && p == foreign.Zig:
				t.Skip(missing[0]) // It is no Debian package, so CI does not install it.
			case len(missing) > 0:
				testrun.Need(t, missing[0])
			}
			for _, i := range foreign.Implementations {
				if i.Program != p {
					continue
				}
				for _, name := range foreign.Workloads {
					for _, n := range sizes[name] {
						reply(t, programs[p], i.Name, name, n, heap[name].Run(n, time.Millisecond))
					}
				}
				if err := exec.Command(programs[p], i.Name, "other", "1", "0.001").Run(); err == nil {
					t.Error("it does something that it has never heard of")
				}
			}
			if err := exec.Command(programs[p], "other", "trees", "1", "0.001").Run(); err == nil {
				t.Error("it has something that it has never heard of")
			}
		})
	}
}

func reply(t *testing.T, program, implementation, workload string, n int, want suite.Result) {
	t.Helper()
	var got suite.Result
	if err := suite.Reply(&got, exec.Command(program, implementation, workload, fmt.Sprint(n), "0.001")); err != nil {
		t.Fatal(err)
	}
	if got.Check != want.Check || got.Units != want.Units {
		t.Errorf("%s with n = %d by %s: it made %d of %v, and Go %d of %v", workload, n, implementation, got.Check, got.Units, want.Check, want.Units)
	}
	if got.Rounds < 1 || got.Wall < 0 || got.CPU < 0 || got.Peak < got.Before || workload == "trees" && got.Rounds != 1 {
		t.Errorf("%s with n = %d by %s: %+v", workload, n, implementation, got)
	}
}

// TestMissing checks what is said where there is no compiler.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	programs, missing := foreign.Build(t.TempDir(), func(suite.Program) bool { return true })
	if len(programs) != 0 || len(missing) != len(foreign.Programs) || slices.ContainsFunc(missing, func(s string) bool { return !strings.Contains(s, "; install ") }) {
		t.Errorf("%v are there and %q are not", programs, missing)
	}
}
