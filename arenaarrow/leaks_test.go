package arenaarrow

import (
	"strings"
	"testing"
)

// TestSmallLeaks has a query leak one small block after many others, and made larger. The report
// has the line that allocated it, where Debug or StackRate asks for all stacks.
func TestSmallLeaks(t *testing.T) {
	for _, o := range []Options{{StackRate: 1}, {Debug: true}, {Debug: true, StackRate: -1}, {StackRate: 1, Memory: &testMemory{blocks: map[uintptr]int{}}}} {
		top := New(o)
		q := top.Child("q")
		for i := range 200 {
			q.Free(q.Allocate(1 + 100*i))
		}
		q.Reallocate(8, q.Allocate(1))    // in place
		q.Reallocate(5000, q.Allocate(1)) // elsewhere
		q.Reallocate(1, q.Allocate(8))    // smaller
		l := q.Close()
		known := 0
		for _, s := range l.Sites {
			known += s.Blocks
			if !strings.Contains(s.Stack.String(), "TestSmallLeaks") {
				t.Errorf("a stack without the line that leaks:\n%s", s.Stack)
			}
		}
		if l.Blocks != 3 || known != 3 {
			t.Errorf("%+v: %d blocks, %d stacks are known\n%s", o, l.Blocks, known, l)
		}
		top.Close()
	}
}
