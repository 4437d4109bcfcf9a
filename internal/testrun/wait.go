package testrun

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// Collect collects garbage until ok returns true, and reports whether it did. It gives up when it
// has collected a thousand times, and a minute is over: a busy machine has fewer collections in a
// minute, and each of them lets cleanups and finalizers run.
func Collect(ok func() bool) bool {
	start := time.Now()
	for n := 0; !ok(); n++ {
		if n >= 1000 && time.Since(start) > time.Minute {
			return false
		}
		runtime.GC()
		time.Sleep(time.Millisecond) // cleanups and finalizers have goroutines of their own
	}
	return true
}

// Context returns the context of a test, which ends shortly before the time is over that go test
// gives the package. It is for what may hang, so that the test fails with what it knows.
func Context(t *testing.T) context.Context {
	end, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-time.Until(end)/10))
	t.Cleanup(cancel)
	return ctx
}
