package arrow

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestWorkloads does each of them with each allocator that this program has.
func TestWorkloads(t *testing.T) {
	for _, w := range Workloads() {
		t.Run(w.Name, func(t *testing.T) {
			rows := w.Sizes[0] / 100
			want := w.Implementations[0].Run(rows, 0)
			if want.Check == 0 || want.Rounds == 0 || want.Wall < 0 {
				t.Errorf("%+v", want)
			}
			for _, i := range w.Implementations[1:] {
				if !i.Here() {
					t.Logf("without %s: it needs %s%s", i.Name, i.Program, i.Missing)
				} else if r := i.Run(rows, 0); r.Check != want.Check {
					t.Errorf("with %s the result is %x, not %x", i.Name, r.Check, want.Check)
				}
			}
		})
	}
}

// TestReleases checks that the workloads release what they allocate.
func TestReleases(t *testing.T) {
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			rows, leak := w.rows/100, 0
			if w.name == "sort" {
				leak = (8*rows + 63) &^ 63
			}
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			var d, other digest
			w.prepare(rows)(mem, &d)
			if n := mem.CurrentAlloc(); n != leak {
				t.Errorf("%d bytes are left, not %d", n, leak)
			}
			w.prepare(rows/2)(memory.NewGoAllocator(), &other)
			if other == d {
				t.Error("the digest of half the rows is the same")
			}
		})
	}
}
