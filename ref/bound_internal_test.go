package ref

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
	"github.com/arena-go/arena/internal/tools"
)

// Benchmarks of what the design of a map allows at best: the same tables, without what makes them
// safe and general.

// A bareSpace has where the chunks of a Space begin, by the bits of references to them.
type bareSpace [33]unsafe.Pointer

func bareOf(s Space) *bareSpace {
	var b bareSpace
	for k := range 32 {
		func() {
			defer func() { recover() }() // there is no such chunk
			b[k+1] = region.At(s.at, 1<<k, 1)
		}()
	}
	return &b
}

// anywhere is region.Place without a check.
func (b *bareSpace) anywhere(off uint32, i uint64) unsafe.Pointer {
	k := bits.Len32(off) & 31
	return unsafe.Add(b[k], uint64(off-1<<k>>1)*region.Granule+i)
}

func wordAt(p unsafe.Pointer, i uintptr) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

// bare is the swiss.Group where the search for a key with the hash h begins, in a map with a
// directory. It checks nothing: that a reference lies in the arena, that a swiss.Group is one of
// the table, that the arena is in use.
func (m *tables[K, V]) bare(refs *bareSpace, h uint64) *swiss.Group[K, V] {
	t := (*table[K, V])(refs.anywhere(m.dir.off, h>>(-m.depth&63)*uint64(unsafe.Sizeof(m.first))))
	size := unsafe.Sizeof(swiss.Group[K, V]{})
	return (*swiss.Group[K, V])(refs.anywhere(t.at.off, uint64(home(h, m.groups(h)))*uint64(size)))
}

// bareText is Get for keys of 20 bytes that are in the swiss.Group where the search for them
// begins.
func (m *TextMap[V]) bareText(refs *bareSpace, k string) (v V, ok bool) {
	p := unsafe.Pointer(unsafe.StringData(k))
	w0, w1, w2, w3 := wordAt(p, 0), wordAt(p, 8), wordAt(p, 4), wordAt(p, 12)
	h := swiss.Mix(secret1^20, swiss.Mix(w2^secret0, w3^swiss.Mix(w0^secret0, w1^m.seed))) &^ (1<<25 - 1)
	g := m.bare(refs, h)
	lines := swiss.LinesOf(unsafe.Pointer(g), unsafe.Sizeof(*g))
	for match := g.Match(h << tagShift); match != 0; match &= (match - 1) & lines {
		if s := g.Slot(match); s.Key.hash == uint32(h>>32) {
			q := refs.anywhere(s.Key.text.off, 0)
			if (w0^wordAt(q, 0))|(w1^wordAt(q, 8))|(w3^wordAt(q, 12)) == 0 {
				return s.Val, true
			}
		}
	}
	return v, false
}

// bareWord is Get for integers that are in the swiss.Group where the search for them begins.
func bareWord[V any](m *Map[uint64, V], refs *bareSpace, k uint64) (v V, ok bool) {
	h := hashInt(k, m.seed)
	g := m.bare(refs, h)
	for match := g.Match(h << tagShift); match != 0; match &= match - 1 {
		if s := g.Slot(match); s.Key == k {
			return s.Val, true
		}
	}
	return v, false
}

// A flatMap is one table of groups for integers, with one reference that is checked, as in find. It
// cannot grow.
type flatMap struct {
	seed  uint64
	at    uint32
	shift uint8
}

func newFlatMap(s Space, n int) flatMap {
	groups := 1 << bits.Len(uint(n/(swiss.Slots-1)))
	r, _ := NewSlice[swiss.Group[uint64, uint64]](s, groups)
	return flatMap{rand.Uint64() | 1, r.off, uint8(64 - bits.TrailingZeros(uint(groups)))}
}

func (m *flatMap) group(s Space, i uint32) *swiss.Group[uint64, uint64] {
	p := region.Place(s.at, uint8(bits.Len32(m.at)), m.at, i, unsafe.Sizeof(swiss.Group[uint64, uint64]{}))
	if p == nil {
		panic(errMap)
	}
	return (*swiss.Group[uint64, uint64])(p)
}

func (m *flatMap) set(s Space, k, v uint64) {
	h := hashInt(k, m.seed)
	for i := uint32(h >> m.shift); ; i = (i + 1) & (1<<(64-m.shift) - 1) {
		if e := put(m.group(s, i), h); e != nil {
			*e = swiss.Slot[uint64, uint64]{Val: v, Key: k}
			return
		}
	}
}

func (m *flatMap) get(s Space, k uint64) (v uint64, ok bool) {
	region.ToRead(s.at)
	h := hashInt(k, m.seed)
	for i := uint32(h >> (m.shift & 63)); ; i = (i + 1) & (1<<(64-m.shift) - 1) {
		g := m.group(s, i)
		lines := g.Lines()
		for match := g.Match(h << tagShift); match != 0; match &= (match - 1) & lines {
			if e := g.Slot(match); e.Key == k {
				return e.Val, true
			}
		}
		if g.Ctrl < swiss.Passed {
			return v, false
		}
	}
}

// BenchmarkTextMapBound compares look-ups in a TextMap with Go's map, and with bareText. Keys that
// are asked for are copies.
func BenchmarkTextMapBound(b *testing.B) {
	for _, n := range []int{65_536, 1 << 20} {
		a := arena.NewArena()
		s := In(a)
		var m TextMap[uint64]
		std := map[string]uint64{}
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("%020d", uint64(i+1)*0x9e3779b97f4a7c15)
			m.Set(s, keys[i], uint64(i))
			std[strings.Clone(keys[i])] = uint64(i)
		}
		refs := bareOf(s)
		benchmarkBound(b, keys, strings.Clone, std, func(k string) (uint64, bool) { return m.bareText(refs, k) }, func(keys []string) (sum uint64) {
			for _, k := range keys {
				v, _ := m.bareText(refs, k)
				sum += v
			}
			return sum
		}, func(keys []string) (sum uint64) {
			for _, k := range keys {
				v, _ := m.Get(s, k)
				sum += v
			}
			return sum
		})
		a.Free()
	}
}

// BenchmarkMapBound compares look-ups of integers in a Map with Go's map, with bareWord, and with a
// flatMap.
func BenchmarkMapBound(b *testing.B) {
	if tools.Checking {
		b.Skip("references are not plain numbers")
	}
	for _, n := range []int{4096, 32_768, 100_000, 1 << 20} {
		a := arena.NewArena()
		s := In(a)
		var m Map[uint64, uint64]
		flat := newFlatMap(s, n)
		std := map[uint64]uint64{}
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(i+1) * 0x9e3779b97f4a7c15
			m.Set(s, keys[i], uint64(i))
			flat.set(s, keys[i], uint64(i))
			std[keys[i]] = uint64(i)
		}
		refs, same := bareOf(s), func(k uint64) uint64 { return k }
		benchmarkBound(b, keys, same, std, func(k uint64) (uint64, bool) { return bareWord(&m, refs, k) }, func(keys []uint64) (sum uint64) {
			for _, k := range keys {
				v, _ := bareWord(&m, refs, k)
				sum += v
			}
			return sum
		}, func(keys []uint64) (sum uint64) {
			for _, k := range keys {
				v, _ := m.Get(s, k)
				sum += v
			}
			return sum
		}, func(keys []uint64) (sum uint64) {
			for _, k := range keys {
				v, _ := flat.get(s, k)
				sum += v
			}
			return sum
		})
		a.Free()
	}
}

// benchmarkBound asks std, the map that bare and safe read, and flat if there is one, for copies of
// those keys that has finds where the search for them begins.
func benchmarkBound[K comparable](b *testing.B, keys []K, clone func(K) K, std map[K]uint64, has func(K) (uint64, bool), bare, safe func(keys []K) uint64, flat ...func(keys []K) uint64) {
	asked := make([]K, 0, len(keys))
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(keys)) {
		if _, ok := has(keys[i]); ok {
			asked = append(asked, clone(keys[i]))
		}
	}
	if len(asked) < len(keys)*9/10 {
		b.Fatalf("%d of %d keys are where the search begins", len(asked), len(keys))
	}
	gomap := func(keys []K) (sum uint64) {
		for _, k := range keys {
			sum += std[k]
		}
		return sum
	}
	for i, get := range append([]func(keys []K) uint64{gomap, bare, safe}, flat...) {
		b.Run(fmt.Sprintf("impl=%s/n=%d", []string{"gomap", "bare", "safe", "flat"}[i], len(keys)), func(b *testing.B) {
			at, sum := 0, uint64(0)
			for b.Loop() {
				if at+1024 > len(asked) {
					at = 0
				}
				sum += get(asked[at : at+1024])
				at += 1024
			}
			if sum == 0 {
				b.Fatal("nothing was found")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/key")
		})
	}
}
