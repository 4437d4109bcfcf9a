package main

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestWorkloads does each of them with each allocator that this program has.
func TestWorkloads(t *testing.T) {
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			w := w.small()
			want := measure(w, allocators[0])
			if want.Digest == 0 || want.Allocate == 0 || want.Wall <= 0 {
				t.Errorf("%+v", want)
			}
			for _, a := range allocators[1:] {
				if a == inArena && !w.inArena {
					continue
				}
				if a.open == nil {
					t.Logf("without %s: it needs %s", a.name, a.missing)
				} else if r := measure(w, a); r.Digest != want.Digest {
					t.Errorf("with %s the result is %x, not %x", a.name, r.Digest, want.Digest)
				}
			}
		})
	}
}

// TestReleases checks that the workloads release what they allocate.
func TestReleases(t *testing.T) {
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			w := w.small()
			leak := 0
			if w.name == "sort" {
				leak = (8*w.rows + 63) &^ 63
			}
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			var d digest
			w.prepare(w.rows)(mem, &d)
			if n := mem.CurrentAlloc(); n != leak {
				t.Errorf("%d bytes are left, not %d", n, leak)
			}
			var other digest
			w.prepare(w.rows/2)(memory.NewGoAllocator(), &other)
			if other == d {
				t.Error("the digest of half the rows is the same")
			}
		})
	}
}
