package objects

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/internal/testrun"
)

// TestForeign checks that programs in other languages make what the Go heap does.
func TestForeign(t *testing.T) {
	t.Setenv("CARGO_PROFILE_RELEASE_LTO", "off") // It takes ten times as long to build.
	programs, missing := Build(t.TempDir())
	if len(programs)+len(missing) != 2 {
		t.Fatalf("%v are there and %q are not", programs, missing)
	}
	works := map[string]struct {
		sizes []int
		run   func(n int) suite.Result
	}{
		"struct16": {[]int{0, 1, 10, 1000, 12_345, 300_000}, nil},
		"trees":    {[]int{0, 3, 4, 7, 12}, nil},
	}
	for _, w := range Workloads() {
		if work, ok := works[w.Name]; ok {
			work.run = func(n int) suite.Result { return w.Implementations[0].Run(n, time.Millisecond) }
			works[w.Name] = work
		}
	}
	for _, p := range []suite.Program{suite.Rust, suite.C} {
		t.Run(string(p), func(t *testing.T) {
			if programs[p] == "" {
				testrun.Need(t, strings.Join(missing, "; "))
			}
			for name, work := range works {
				for _, n := range work.sizes {
					var got suite.Result
					if err := suite.Reply(&got, exec.Command(programs[p], name, fmt.Sprint(n), "0.001")); err != nil {
						t.Fatal(err)
					}
					want := work.run(n)
					if got.Check != want.Check || got.Units != want.Units {
						t.Errorf("%s with n = %d: it made %d of %v, and Go %d of %v", name, n, got.Check, got.Units, want.Check, want.Units)
					}
					if got.Rounds < 1 || got.Wall < 0 || got.CPU < 0 || got.Peak < got.Before || name == "trees" && got.Rounds != 1 {
						t.Errorf("%s with n = %d: %+v", name, n, got)
					}
				}
			}
			if err := exec.Command(programs[p], "other").Run(); err == nil {
				t.Error("it does something that it has never heard of")
			}
		})
	}
}

// TestForeignMissing checks what is said where there is no compiler.
func TestForeignMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	programs, missing := Build(t.TempDir())
	if len(programs) != 0 || len(missing) != 2 || !strings.Contains(missing[0], "install Rust") || !strings.Contains(missing[1], "install a C compiler") {
		t.Errorf("%v are there and %q are not", programs, missing)
	}
}
