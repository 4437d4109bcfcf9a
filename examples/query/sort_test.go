package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
)

// tempDir makes a directory for files that the program makes, and looks at the end whether one is
// left.
func tempDir(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, dir)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Error("left behind:", left, err)
		}
	})
}

func sortConfig(t *testing.T, rows int) (*config, query) {
	t.Helper()
	c := &config{file: filepath.Join(t.TempDir(), "orders.parquet"), batch: 500}
	if err := makeOrders(c.file, rows); err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		if q.name == "by price" {
			return c, q
		}
	}
	panic("no query by price")
}

// TestSpill sorts with a third and a tenth of the memory that it uses without a limit. The result
// is the same as with all memory, the limit is kept, and nothing is left. With the least memory,
// runs are merged into others before the end.
func TestSpill(t *testing.T) {
	tempDir(t)
	c, q := sortConfig(t, 100_000)
	alloc := arenaarrow.New(arenaarrow.Options{})
	want, err := c.run(t.Context(), alloc, q)
	if err != nil || want.spilled.runs != 0 || want.rows != 100_000 {
		t.Fatalf("%+v, %v", want, err)
	}
	need := want.stats.Peak
	for _, part := range []int64{3, 10} {
		c.limit = need / part
		got, err := c.run(t.Context(), alloc, q)
		if err != nil || got.stopped != nil {
			t.Fatalf("1/%d of the memory: %v, %+v", part, err, got)
		}
		if got.digest != want.digest || got.rows != want.rows || got.bytes != want.bytes {
			t.Errorf("1/%d of the memory: %d rows, digest %08x, want %d, %08x", part, got.rows, got.digest, want.rows, want.digest)
		}
		if s := got.stats; s.Peak > c.limit || s.InUse != 0 || s.Blocks != 0 || s.Reserved < 0 || got.leaks != nil {
			t.Errorf("1/%d of the memory, %d bytes: %+v, %v", part, c.limit, s, got.leaks)
		}
		if got.spilled.runs < part || got.spilled.bytes < got.bytes*9/10 {
			t.Errorf("1/%d of the memory: %+v", part, got.spilled)
		}
		t.Logf("1/%d: a peak of %d for a limit of %d, %d runs of %d bytes", part, got.stats.Peak, c.limit, got.spilled.runs, got.spilled.bytes)
	}
	if leaks := alloc.Close(); leaks != nil {
		t.Error(leaks)
	}
}

// A tight is an allocator that refuses reservations.
type tight struct{ *arenaarrow.Allocator }

func (tight) TryReserve(int64) error { return arena.ErrLimit }

// TestSpillAll sorts with an allocator that refuses all reservations: each batch is a run, and two
// of them are merged at a time.
func TestSpillAll(t *testing.T) {
	tempDir(t)
	c, q := sortConfig(t, 50_000)
	c.batch = 2500
	alloc := arenaarrow.New(arenaarrow.Options{})
	want, err := c.run(t.Context(), alloc, q)
	if err != nil {
		t.Fatal(err)
	}
	got := &result{}
	if err := c.runWith(t.Context(), tight{alloc}, q, got); err != nil {
		t.Fatal(err)
	}
	if got.digest != want.digest || got.spilled.runs < 20+18 {
		t.Errorf("%+v, want %+v", got, want)
	}
	alloc.AssertSize(t, 0)
}

// TestSpillForOthers runs several sorts with one limit for all. They make each other spill, on
// goroutines of each other.
func TestSpillForOthers(t *testing.T) {
	tempDir(t)
	c, q := sortConfig(t, 50_000)
	want, err := c.run(t.Context(), nil, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, fair := range []bool{false, true} {
		alloc := arenaarrow.New(arenaarrow.Options{Limit: 3 << 20, Fair: fair}) // Each needs 2.
		var wg sync.WaitGroup
		var mu sync.Mutex
		runs := int64(0)
		var children []*arenaarrow.Allocator
		for range 4 { // All have a minimum before one begins, so that the first has to spill, even if it is alone for a while.
			child := alloc.Child(q.name)
			if err := child.SetShare(arenaarrow.Share{Minimum: 600 << 10}); err != nil { // for reading, and for the last merge
				t.Error(err)
			}
			children = append(children, child)
		}
		for _, child := range children {
			wg.Go(func() {
				ctx, cancel := child.Context(t.Context())
				defer cancel()
				got := &result{}
				err := c.runWith(ctx, child, q, got)
				if leaks := child.Close(); err != nil || got.stopped != nil || got.digest != want.digest || leaks != nil {
					t.Errorf("fair %v: %+v, %v, %v", fair, got, err, leaks)
					return
				}
				mu.Lock()
				runs += got.spilled.runs
				mu.Unlock()
			})
		}
		wg.Wait()
		t.Logf("fair %v: %d runs, peak %d", fair, runs, alloc.Stats().Peak)
		if runs == 0 {
			t.Error("nobody has spilled")
		}
		if leaks := alloc.Close(); leaks != nil {
			t.Error(leaks)
		}
	}
}

// A failing is a writer that fails after a number of bytes.
type failing struct {
	left int
	then func() error
}

func (w *failing) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, w.then()
	}
	return len(b), nil
}

// TestSpillErrors has a sort end early. No file and no memory is left.
func TestSpillErrors(t *testing.T) {
	tempDir(t)
	c, q := sortConfig(t, 50_000)
	alloc := arenaarrow.New(arenaarrow.Options{})
	c.limit = 1 << 19
	failed := errors.New("failed")
	end := func(what string, ctx context.Context, want error) {
		t.Helper()
		r, err := c.run(ctx, alloc, q)
		if !errors.Is(err, want) || r.spilled.runs == 0 || r.stats.InUse != 0 || r.leaks != nil {
			t.Errorf("%s: %v, want %v; %+v", what, err, want, r)
		}
	}
	c.copy = &failing{left: 1 << 19, then: func() error { return failed }}
	end("the output fails", t.Context(), failed)

	ctx, cancel := context.WithCancelCause(t.Context())
	spills := &limited{left: 2, then: func() { cancel(failed) }}
	c.copy = nil
	c.seen = spills.see
	end("the context ends", ctx, failed)

	temp := os.Getenv("TMPDIR")
	c.seen = func(path string) {
		if err := os.Truncate(path, 1000); err != nil {
			t.Error(err)
		}
	}
	r, err := c.run(t.Context(), alloc, q)
	if err == nil || r.leaks != nil || r.stats.InUse != 0 {
		t.Errorf("damaged runs: %v, %+v", err, r)
	}
	c.seen = nil
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, filepath.Join(temp, "none"))
	}
	r, err = c.run(t.Context(), alloc, q)
	if !errors.Is(err, os.ErrNotExist) || r.leaks != nil || r.stats.InUse != 0 {
		t.Errorf("no directory for files: %v, %+v", err, r)
	}
	alloc.AssertSize(t, 0)
}

// A limited counts runs, and calls a function after a number of them.
type limited struct {
	left int
	then func()
}

func (l *limited) see(string) {
	if l.left--; l.left == 0 {
		l.then()
	}
}
