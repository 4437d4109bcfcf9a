//go:build cgo

package arenaarrow_test

import (
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/offheap"
)

func init() {
	others["Mallocator"] = func() memory.Allocator { return mallocator.NewMallocator() }
	throughC = func(a arrow.Array) arrow.Array {
		var c cdata.CArrowArray
		var schema cdata.CArrowSchema
		cdata.ExportArrowArray(a, &c, &schema)
		_, a, err := cdata.ImportCArray(&c, &schema)
		return must1(a, err)
	}
}

// TestCExport proves that what C has is valid until C calls its release callback, although the
// query that it is from was closed long before.
func TestCExport(t *testing.T) {
	for _, o := range []arenaarrow.Options{{}, {Memory: &offheap.Mmap{}}, {Debug: true}} {
		top := arenaarrow.New(o)
		q := top.Child("q")
		b := array.NewStringBuilder(q)
		want := array.NewStringBuilder(memory.NewGoAllocator())
		for range 1000 {
			b.Append("a text for C")
			want.Append("a text for C")
		}
		a := b.NewArray()
		b.Release()
		var c cdata.CArrowArray
		var schema cdata.CArrowSchema
		cdata.ExportArrowArray(a, &c, &schema)
		a.Release()
		size := int64(q.CurrentAlloc())
		if l := q.Close(); l == nil || l.Bytes != size || size < 12_000 {
			t.Fatalf("%d bytes in use: %v", size, l)
		}
		for range 3 {
			runtime.GC()
			other := top.Child("other")
			for n := 64; n < 1<<16; n *= 2 {
				x := other.Allocate(n)
				for i := range x {
					x[i] = 0xee
				}
				other.Free(x)
			}
			other.Close()
		}
		_, back, err := cdata.ImportCArray(&c, &schema)
		if err != nil {
			t.Fatal(err)
		}
		if s := top.Stats(); s.Orphans < size {
			t.Errorf("%+v; C has %d bytes", s, size)
		}
		if !array.Equal(back, want.NewArray()) {
			t.Error("what C has, has changed")
		}
		before := top.Stats().Orphans
		back.Release() // calls the callback
		if s := top.Stats(); before-s.Orphans != size {
			t.Errorf("%d bytes were released; want %d", before-s.Orphans, size)
		}
		top.Close()
	}
}
