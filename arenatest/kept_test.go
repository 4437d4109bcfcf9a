package arenatest_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenatest"
	"github.com/arena-go/arena/internal/fake"
	"github.com/arena-go/arena/internal/testrun"
)

// keeps has w keep what u makes, and returns what the test of the arena has reported in the end.
func (w way) keeps(t *testing.T, cloned bool) string {
	f := fake.New(t, t.Name())
	var after []func()
	func() {
		u := unit{arenatest.New(f), cloned, func(f func()) { after = append(after, f) }}
		w.keep(u)
		u.a.Free()
	}()
	got := f.End()
	for _, f := range after {
		f()
	}
	return got
}

// TestKeptWays proves that each way to keep a value is found by one use, with its path, and that
// the same program with a copy is silent.
func TestKeptWays(t *testing.T) {
	for i, w := range ways {
		if testing.Short() && i%8 > 0 {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			if got := w.keeps(t, true); got != "" {
				t.Errorf("a copy is reported:\n%s", got)
			}
			got := w.keeps(t, false)
			if !strings.Contains(got, "arena: kept after the end") || !strings.Contains(got, "kept_ways_test.go:") {
				t.Fatalf("it is not found:\n%s", got)
			}
			if strings.Contains(got, "heapdump: ") {
				testrun.Need(t, "the go command, which builds this program again for the names of its variables")
			}
			rest := got
			for _, part := range w.path {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Fatalf("the path has no %q:\n%s", part, got)
				}
				rest = after
			}
		})
	}
}

// TestKeeps proves that what is allowed by name is silent, and that nothing else is.
func TestKeeps(t *testing.T) {
	for _, test := range []struct {
		name   string
		silent bool
	}{
		{"github.com/arena-go/arena/arenatest_test.keptText", true},
		{"github.com/arena-go/arena/arenatest_test.keptOther", false},
	} {
		f := fake.New(t, t.Name())
		arenatest.Keeps(f, test.name, "the test wants it")
		func() {
			a := arenatest.New(f)
			keptText = arena.String(a, "a text that is allowed")
			a.Free()
		}()
		got := f.End()
		keptText = ""
		if strings.Contains(got, "heapdump: ") {
			testrun.Need(t, "the go command, which builds this program again for the names of its variables")
		}
		if (got == "") != test.silent {
			t.Errorf("with %s allowed: %s", test.name, got)
		}
	}
}

// TestKeptByTest proves that what only the test's own closures have is not reported.
func TestKeptByTest(t *testing.T) {
	f := fake.New(t, t.Name())
	func() {
		a := arenatest.New(f)
		text := arena.String(a, "a text of a cleanup")
		t.Cleanup(func() { use(text) })
		a.Free()
	}()
	got := f.End()
	if strings.Contains(got, "heapdump: ") {
		testrun.Need(t, "the go command, which builds this program again for the names of its variables")
	}
	if got != "" {
		t.Errorf("it is reported:\n%s", got)
	}
}

// TestPooled proves that what only a sync.Pool has is not reported.
func TestPooled(t *testing.T) {
	f := fake.New(t, t.Name())
	var pool sync.Pool
	func() {
		a := arenatest.New(f)
		pool.Put(&shelf{name: arena.String(a, "a text in a pool")})
		a.Free()
	}()
	if got := f.End(); got != "" {
		t.Errorf("it is reported:\n%s", got)
	}
	runtime.KeepAlive(&pool) // which has the text until the collections of End
}
