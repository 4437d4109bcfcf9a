package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/examples/internal/measure"
)

// A result is what is known of a query that has ended.
type result struct {
	rows, bytes int64
	digest      uint32
	spilled     struct{ runs, bytes int64 }
	stopped     error             // not nil if it has exceeded its limit
	stats       arenaarrow.Stats  // before Close
	leaks       *arenaarrow.Leaks // that Close has reported
}

// run runs a query with a child of alloc, or on the Go heap if alloc is nil.
func (c *config) run(ctx context.Context, alloc *arenaarrow.Allocator, q query) (*result, error) {
	r := &result{}
	if alloc == nil {
		return r, c.runWith(ctx, memory.NewGoAllocator(), q, r)
	}
	child := alloc.Child(q.name)
	defer func() { r.stats, r.leaks = child.Stats(), child.Close() }()
	child.SetLimit(c.limit)
	ctx, cancel := child.Context(ctx)
	defer cancel()
	return r, c.runWith(ctx, child, q, r)
}

// runWith runs a query. To have exceeded a limit is no error, but a result.
func (c *config) runWith(ctx context.Context, mem memory.Allocator, q query, result *result) error {
	r := &runner{ctx: compute.WithAllocator(ctx, mem), mem: mem, path: c.file, batch: c.batch, seen: c.seen}
	r.out.copy = c.copy
	err := errors.Join(q.run(r), r.out.close())
	result.rows, result.bytes, result.digest = r.out.rows, r.out.bytes, r.out.digest
	result.spilled = r.spilled
	if errors.Is(err, arena.ErrLimit) {
		result.stopped = err
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", q.name, err)
	}
	return nil
}

// report runs all queries, each with an account of its own, and prints the accounts.
func (c *config) report(ctx context.Context, w io.Writer) error {
	if c.debug {
		// Says of a fault where the memory was allocated and freed, where the system allows it.
		arenadebug.CatchFaults()
	}
	alloc := arenaarrow.New(arenaarrow.Options{Name: "queries", StackRate: 1, Debug: c.debug})
	defer alloc.Close()
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\trows\tIPC\tdigest\tpeak\tin use at the end\tblocks\tleaked\theld\tcached\t")
	var notes strings.Builder
	for _, q := range queries {
		r, err := c.run(ctx, alloc, q)
		if err != nil {
			return err
		}
		rows, ipc, digest := measure.Thousands(r.rows), size(r.bytes), fmt.Sprintf("%08x", r.digest)
		if r.stopped != nil {
			rows, ipc, digest = "-", "-", "stopped"
			fmt.Fprintf(&notes, "\n%s is stopped: %v\n", q.name, r.stopped)
		}
		if r.spilled.runs > 0 {
			fmt.Fprintf(&notes, "\n%s spills %d runs of %s in all to files\n", q.name, r.spilled.runs, size(r.spilled.bytes))
		}
		leaked := int64(0)
		if r.leaks != nil {
			leaked = r.leaks.Bytes
			fmt.Fprintf(&notes, "\n%s leaks %d blocks of %s, allocated at\n", q.name, r.leaks.Blocks, size(leaked))
			for _, p := range places(r.leaks) {
				fmt.Fprintf(&notes, "    %s: %d of %s\n", p.line, p.blocks, size(p.bytes))
			}
		}
		s := r.stats
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t\n", q.name, rows, ipc, digest,
			size(s.Peak), size(s.InUse), s.Blocks, size(leaked), size(s.Held), size(s.Cached))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, notes.String())
	return err
}

func size(n int64) string { return measure.Value(n, "bytes") }

// A place is a line of this program, and what was allocated below it.
type place struct {
	line   string
	blocks int
	bytes  int64
}

// places returns the places of queries from which leaks were allocated, the most bytes first. A
// leak has a stack for each column and buffer, most of which is Arrow's: what tells the author of a
// query something is his own line.
func places(l *arenaarrow.Leaks) (all []place) {
	for _, s := range l.Sites {
		line := queryLine(s.Stack)
		i := slices.IndexFunc(all, func(p place) bool { return p.line == line })
		if i < 0 {
			i = len(all)
			all = append(all, place{line: line})
		}
		all[i].blocks += s.Blocks
		all[i].bytes += s.Bytes
	}
	slices.SortStableFunc(all, func(x, y place) int { return cmp.Compare(y.bytes, x.bytes) })
	return all
}

// queryLine returns the innermost line of query.go in a stack.
func queryLine(stack arena.Stack) string {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.File, "/query/query.go") {
			return fmt.Sprintf("%s (query.go:%d)", path.Base(f.Function), f.Line)
		}
		if !more {
			return "a goroutine of Arrow"
		}
	}
}
