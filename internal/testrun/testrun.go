// Package testrun says how long tests may take, what they need, and which seed they have. Only
// tests import it.
//
// A test runs in its short form unless the flag -long is set. A test that needs a program, a
// library or a server that is missing is skipped, and fails where the environment has CI=true.
package testrun

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/tools"
)

var long = flag.Bool("long", false, "run each test in full: minutes instead of seconds")

// Long reports whether tests run in full.
func Long() bool { return *long }

// Times returns full if tests run in full, and short if not.
func Times(short, full int) int {
	if Long() {
		return full
	}
	return short
}

// NeedLong skips a test that has no short form, unless tests run in full.
func NeedLong(t testing.TB) {
	t.Helper()
	if !Long() {
		skip(t, "-long")
	}
}

// SeedVariable is the environment variable with the seed of all random tests, a number.
const SeedVariable = "ARENA_TEST_SEED"

// Seed returns the seed of a random test, and logs it. Without [SeedVariable] it follows from the
// test's name: no verdict depends on it, and go test may cache the result.
func Seed(t testing.TB) uint64 {
	t.Helper()
	name := fnv.New64a()
	name.Write([]byte(t.Name()))
	seed := name.Sum64()
	if text := os.Getenv(SeedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s is not a number: %v", SeedVariable, err)
		}
	}
	t.Logf("seed %d: %[2]s=%[1]d repeats the run", seed, SeedVariable)
	return seed
}

// Need skips a test because something is missing. The arguments name it and say how to install it,
// as "gcc (Debian package gcc)". Where CI=true the test fails: CI installs all that tests need.
func Need(t testing.TB, missing string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing; CI has to install it", missing)
	}
	skip(t, missing)
}

// NeedProgram skips a test unless a program is on the path. Install says where it comes from, as
// "Debian package gcc".
func NeedProgram(t testing.TB, program, install string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Need(t, program+" ("+install+")")
	}
}

var (
	mu      sync.Mutex
	skipped = map[string]int{} // by what was missing
)

func skip(t testing.TB, missing string) {
	t.Helper()
	mu.Lock()
	skipped[missing]++
	mu.Unlock()
	t.Skip("needs " + missing)
}

// Run runs the tests of a package and prints one line about those that were skipped. It returns
// the code to exit with. A package whose tests call Need or NeedLong has
//
//	func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }
func Run(m *testing.M) int {
	code := m.Run()
	if line := summary(); line != "" {
		fmt.Println(line)
		if code == 0 {
			tell(line)
		}
	}
	return code
}

// summary returns the line, or nothing if no test was skipped.
func summary() string {
	mu.Lock()
	defer mu.Unlock()
	if len(skipped) == 0 {
		return ""
	}
	var parts []string
	for _, missing := range slices.Sorted(maps.Keys(skipped)) {
		parts = append(parts, fmt.Sprintf("%d need %s", skipped[missing], missing))
	}
	name := strings.TrimSuffix(filepath.Base(flag.CommandLine.Name()), ".test")
	return fmt.Sprintf("    %s: skipped tests: %s", name, strings.Join(parts, "; "))
}

// tell prints a line to the standard error of the go command. go test keeps what a package prints
// to itself if the package passes, so who runs it for several packages would not see the line. If
// the parent's standard error cannot be opened, or is a file, in which the line could overwrite
// others, nothing is printed.
func tell(line string) {
	parent := fmt.Sprintf("/proc/%d", os.Getppid())
	if name, err := os.ReadFile(parent + "/comm"); err != nil || strings.TrimSpace(string(name)) != "go" || testing.Verbose() {
		return
	}
	f, err := os.OpenFile(parent+"/fd/2", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		fmt.Fprintln(f, line)
	}
}

// Few returns the number of repetitions of a test that has n repetitions with -long: a fifth of n,
// and a twentieth with -short. With the race detector, which makes each take ten times as long, it
// is a quarter of that, but only without -long.
func Few(n int) int {
	if !Long() {
		n /= 5
	}
	if testing.Short() {
		n /= 4
	}
	if tools.Racing && !Long() {
		n /= 4
	}
	return max(n, 1)
}
