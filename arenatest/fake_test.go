package arenatest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A fake is a test whose end and errors are seen by another.
type fake struct {
	testing.TB // the other
	name       string

	mu       sync.Mutex
	errors   []string
	cleanups []func()
}

func (f *fake) Name() string           { return f.name }
func (f *fake) Helper()                {}
func (f *fake) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }

func (f *fake) Error(args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintln(args...))
}

// end ends the fake and returns its errors.
func (f *fake) end() string {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	f.cleanups = nil
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.errors, "")
}
