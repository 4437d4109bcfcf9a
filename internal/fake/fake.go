// Package fake has tests whose errors another test sees, goroutines of a handler, and a Memory that
// panics. Only tests import it.
package fake

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A TB is a test that keeps its errors, and that ends when End is called. Other goroutines may call
// Error. What it has no method for goes to the test that it was made with.
type TB struct {
	testing.TB
	name     string
	cleanups []func()

	mu     sync.Mutex
	errors []string
}

// New returns a TB with a name.
func New(t testing.TB, name string) *TB { return &TB{TB: t, name: name} }

func (f *TB) Name() string           { return f.name }
func (f *TB) Helper()                {}
func (f *TB) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }

func (f *TB) Error(args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintln(args...))
}

// End runs the cleanups, the last one first, and returns the errors.
func (f *TB) End() string {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	f.cleanups = nil
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.errors, "")
}
