// Package testrun says how long tests may take and what they need. Only tests import it.
//
// It is a small form of the package with this name in the root module, which this module must not
// require: whoever installs the command would get package arena with it.
package testrun

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var long = flag.Bool("long", false, "run each test in full: minutes instead of seconds")

// Long reports whether tests run in full.
func Long() bool { return *long }

// NeedLong skips a test that has no short form, unless tests run in full.
func NeedLong(t testing.TB) {
	t.Helper()
	if !Long() {
		skip(t, "-long")
	}
}

// Need skips a test because something is missing. The argument names it and says how to install it,
// as "gcc (Debian package gcc)". Where CI=true the test fails: CI installs all that tests need.
func Need(t testing.TB, missing string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing; CI has to install it", missing)
	}
	skip(t, missing)
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

// Run runs the tests of a package and prints one line about the skipped tests. It also prints it to
// the standard error of the go command, which hides the output of a package that passes. It returns
// the code to exit with.
func Run(m *testing.M) int {
	code := m.Run()
	if len(skipped) == 0 {
		return code
	}
	var parts []string
	for _, missing := range slices.Sorted(maps.Keys(skipped)) {
		parts = append(parts, fmt.Sprintf("%d need %s", skipped[missing], missing))
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".test")
	line := fmt.Sprintf("    %s: skipped tests: %s", name, strings.Join(parts, "; "))
	fmt.Println(line)
	parent := fmt.Sprintf("/proc/%d", os.Getppid())
	if name, err := os.ReadFile(parent + "/comm"); code != 0 || testing.Verbose() || err != nil || string(name) != "go\n" {
		return code
	}
	// Not if it is a file, in which the line could overwrite others.
	if f, err := os.OpenFile(parent+"/fd/2", os.O_WRONLY|os.O_APPEND, 0); err == nil {
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			fmt.Fprintln(f, line)
		}
		f.Close()
	}
	return code
}
