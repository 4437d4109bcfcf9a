package arenaarrow

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// staleUses are what programs do to a block b of a that they have given up.
var staleUses = map[string]func(a *Allocator, b []byte){
	"Free":                   func(a *Allocator, b []byte) { a.Free(b) },
	"Free of the beginning":  func(a *Allocator, b []byte) { a.Free(b[:1]) },
	"Free of nothing left":   func(a *Allocator, b []byte) { a.Free(b[:0]) },
	"Reallocate to more":     func(a *Allocator, b []byte) { a.Reallocate(2*cap(b), b) },
	"Reallocate to less":     func(a *Allocator, b []byte) { a.Reallocate(1, b) },
	"Free of the middle":     func(a *Allocator, b []byte) { a.Free(b[len(b)/2:]) },
	"Free by another":        func(a *Allocator, b []byte) { a.parent.Free(b) },
	"Free by a closed child": func(a *Allocator, b []byte) { c := a.parent.Child("closed"); c.Close(); c.Free(b) },
}

// staleEnds are how a program gives up a block b of a.
var staleEnds = map[string]func(a *Allocator, b []byte){
	"freed":       func(a *Allocator, b []byte) { a.Free(b) },
	"moved":       func(a *Allocator, b []byte) { a.Free(a.Reallocate(100*cap(b), b)) },
	"freed late":  func(a *Allocator, b []byte) { a.Close(); a.Free(b) },
	"freed twice": func(a *Allocator, b []byte) { a.Free(b); _ = recovered(func() { a.Free(b) }) },
	"raced": func(a *Allocator, b []byte) {
		var panics atomic.Int32
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if recovered(func() { a.Free(b) }) != nil {
					panics.Add(1)
				}
			})
		}
		both.Wait()
		if n := panics.Load(); n != 1 {
			panic(fmt.Sprintf("%d of two Frees at a time panic", n))
		}
	},
}

// TestStaleUse gives up blocks, and uses them again before anybody else has them: each use panics,
// and changes nothing. With Debug, that is so when others have allocated, too.
func TestStaleUse(t *testing.T) {
	for _, o := range []Options{{}, {Memory: &boundedMemory{left: 1 << 30}}, {Debug: true}} {
		for _, size := range []int{64, 1000, 32 << 10, 100_000} {
			for end, give := range staleEnds {
				top := New(o)
				a := top.Child("query")
				b := a.Allocate(size)
				give(a, b)
				var others [][]byte
				if o.Debug {
					for range 20 {
						others = append(others, top.Allocate(size))
					}
				}
				before := top.Stats()
				for use, again := range staleUses {
					v := recovered(func() { again(a, b) })
					if s := fmt.Sprint(v); !strings.HasPrefix(s, "arenaarrow: ") {
						t.Errorf("%d bytes, debug %t, %s, then %s: %s", size, o.Debug, end, use, s)
					}
				}
				after := top.Stats()
				before.Children, before.Cached, after.Children, after.Cached = 0, 0, 0, 0
				if before != after {
					t.Errorf("%d bytes, %s: the figures were %+v, and are %+v", size, end, before, after)
				}
				for _, other := range others {
					top.Free(other)
				}
				if l := top.Close(); l != nil {
					t.Errorf("%d bytes, %s: %v", size, end, l)
				}
			}
		}
	}
}

// TestSecondFree is the mistake that is not found without Debug: others have the block when it is
// freed again. Then it is theirs that is freed, which their own Free finds. Nothing but blocks of
// the same root is spoiled, and one that is smaller than the slice is not freed at all.
func TestSecondFree(t *testing.T) {
	for _, size := range []int{64, 1000, 32 << 10, 100_000} {
		top := New(Options{StackRate: -1})
		a := top.Child("query")
		other := top.Child("other")
		other.home = a.home // what a frees is what other gets next
		b := a.Allocate(size)
		a.Free(b)
		mine := other.Allocate(size - 1)
		if &mine[0] != &b[0] {
			t.Fatalf("%d bytes: others do not get the block", size)
		}
		stamp(mine, 3)
		mustPanic(t, "second Free, of more than there is", func() { a.Free(b) })
		mustPanic(t, "Reallocate of more than there is", func() { a.Reallocate(2*size, b) })
		other.Free(mine)

		mine = other.Allocate(size)
		stamp(mine, 4)
		a.Free(b)
		if !stamped(mine, 4) || other.CurrentAlloc() != 0 || top.CurrentAlloc() != 0 {
			t.Errorf("%d bytes: after a second Free, %d bytes are in use", size, top.CurrentAlloc())
		}
		mustPanic(t, "the only Free of its owner", func() { other.Free(mine) })
		if l := top.Close(); l != nil {
			t.Errorf("%d bytes: %v", size, l)
		}
	}
}
