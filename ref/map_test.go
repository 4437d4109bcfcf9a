package ref_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// A mapFile is a Region in memory of a fixed capacity, which may be copied as a file may.
type mapFile struct{ mem []byte }

func (r *mapFile) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (r *mapFile) Free([]byte)                    {}

func (r *mapFile) Grow(size int) ([]byte, error) {
	if size > cap(r.mem) {
		return nil, errors.New("the test's region is full")
	}
	r.mem = r.mem[:max(size, len(r.mem))]
	return r.mem, nil
}

func newRefMapFile(size int) *mapFile { return &mapFile{make([]byte, 8, size)} }

// copy returns a copy with room for more.
func (r *mapFile) copy(more int) *mapFile {
	return &mapFile{append(make([]byte, 0, len(r.mem)+more), r.mem...)}
}

// A mapRoot is what refers to all that is in a region.
type mapRoot struct {
	numbers ref.Map[uint64, uint64]
	floats  ref.Map[float32, [3]uint16]
	words   ref.TextMap[uint32]
	of      ref.Map[int32, ref.Of[mapRoot]] // maps in maps
}

// mapFill makes a mapRoot with n entries in each map, and returns the number for At.
func mapFill(a *arena.Arena, n int) uint32 {
	first, root := ref.New[mapRoot](ref.In(a))
	for i := range n {
		root.numbers.Set(ref.In(a), uint64(i), uint64(i)*3)
		root.floats.Set(ref.In(a), float32(i)/2, [3]uint16{uint16(i)})
		root.words.Set(ref.In(a), text(i), uint32(i))
	}
	for i := range n / 3 {
		root.numbers.Delete(ref.In(a), uint64(i*3))
		root.words.Delete(ref.In(a), text(i*3))
	}
	inner, p := ref.New[mapRoot](ref.In(a))
	p.words.Set(ref.In(a), "inner", 5)
	root.of.Set(ref.In(a), -1, inner)
	return first.Offset()
}

// mapVerify checks what mapFill has made.
func mapVerify(t testing.TB, a *arena.Arena, offset uint32, n int) {
	t.Helper()
	first, err := ref.At[mapRoot](ref.In(a), offset)
	if err != nil {
		t.Fatal(err)
	}
	root := first.Get(ref.In(a))
	for i := range n {
		has := i%3 != 0 || i/3 >= n/3
		if v, ok := root.numbers.Get(ref.In(a), uint64(i)); ok != has || ok && v != uint64(i)*3 {
			t.Fatalf("number %d is %v, %v", i, v, ok)
		}
		if v, ok := root.words.Get(ref.In(a), text(i)); ok != has || ok && v != uint32(i) {
			t.Fatalf("word %d is %v, %v", i, v, ok)
		}
		if v, ok := root.floats.Get(ref.In(a), float32(i)/2); !ok || v != [3]uint16{uint16(i)} {
			t.Fatalf("float %d is %v, %v", i, v, ok)
		}
	}
	if l := root.numbers.Len(); l != n-n/3 || root.words.Len() != l || root.floats.Len() != n {
		t.Fatalf("lengths %d, %d, %d", l, root.words.Len(), root.floats.Len())
	}
	inner, _ := root.of.Get(ref.In(a), -1)
	if v, ok := inner.Get(ref.In(a)).words.Get(ref.In(a), "inner"); !ok || v != 5 {
		t.Fatalf("a map in a map has %v, %v", v, ok)
	}
}

// TestMapReopen proves that maps in a copy of the region are the same maps, and can be
// changed, without changes to the original.
func TestMapReopen(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 20_000, 100_000} {
		if !testrun.Long() && n > 20_000 {
			continue
		}
		f := newRefMapFile(n*200 + 100_000)
		a := arena.NewWith(arena.Options{Memory: f})
		offset := mapFill(a, n)
		mapVerify(t, a, offset, n)

		g := f.copy(n*100 + 100_000)
		b := arena.NewWith(arena.Options{Memory: g})
		inB := ref.In(b)
		mapVerify(t, b, offset, n)
		before := bytes.Clone(f.mem)
		first, _ := ref.At[mapRoot](inB, offset)
		root := first.Get(inB)
		for i := range n {
			root.numbers.Set(inB, uint64(i)<<32, 1)
			root.words.Delete(inB, text(i))
		}
		if root.numbers.Len() < n || root.words.Len() != 0 {
			t.Fatalf("lengths are %d, %d", root.numbers.Len(), root.words.Len())
		}
		if !bytes.Equal(before, f.mem) {
			t.Fatal("the original has changed")
		}
		mapVerify(t, a, offset, n)
		a.Free()
		b.Free()
	}
}

// FuzzMap changes bytes of a region with maps in it, and uses them. Any result will do, and the
// panics of this package.
func FuzzMap(f *testing.F) {
	small, large := newRefMapFile(1<<16), newRefMapFile(1<<20)
	files := []*mapFile{small, large}
	offsets := make([]uint32, 2)
	for i, n := range []int{5, 3000} {
		a := arena.NewWith(arena.Options{Memory: files[i]})
		offsets[i] = mapFill(a, n)
		a.Free()
	}
	f.Add(uint64(1), uint8(1), false)
	f.Add(uint64(2), uint8(3), true)
	f.Add(uint64(3), uint8(200), true)
	f.Fuzz(func(t *testing.T, seed uint64, flips uint8, big bool) {
		i := 0
		if big {
			i = 1
		}
		mapDamage(t, files[i], offsets[i], rand.New(rand.NewPCG(seed, 0)), int(flips))
	})
}

// mapDamage is a program for a copy of f in which some bytes are others.
func mapDamage(t *testing.T, f *mapFile, offset uint32, r *rand.Rand, flips int) {
	t.Helper()
	f = f.copy(200_000)
	root := int(offset) * 8
	for range flips {
		at := 8 + r.IntN(len(f.mem)-8)
		if r.IntN(2) == 0 {
			at = min(root+r.IntN(500), len(f.mem)-1) // the maps themselves, and what was made first
		}
		switch r.IntN(3) {
		case 0:
			f.mem[at] ^= 1 << r.IntN(8)
		case 1:
			f.mem[at] = byte(r.Uint32())
		case 2:
			copy(f.mem[at:], f.mem[8+r.IntN(len(f.mem)-8):][:min(4, len(f.mem)-at)])
		}
	}
	a := arena.NewWith(arena.Options{Memory: f})
	space := ref.In(a)
	defer a.Free()
	first, err := ref.At[mapRoot](space, offset)
	if err != nil {
		t.Fatal(err)
	}
	m := first.Get(space)
	for range 200 {
		k := r.IntN(4000)
		step := []func(){
			func() { m.numbers.Set(space, uint64(k), 1) },
			func() { m.numbers.Get(space, uint64(k)) },
			func() { m.numbers.Delete(space, uint64(k)) },
			func() { m.words.Set(space, text(k), 1) },
			func() { m.words.Get(space, text(k)) },
			func() { m.words.Delete(space, text(k)) },
			func() { m.floats.Set(space, float32(k), [3]uint16{}) },
			func() { m.floats.Delete(space, float32(k)/2) },
			func() { m.of.Get(space, -1) },
			func() {
				if k%10 == 0 {
					for k := range m.numbers.All(space) {
						m.numbers.Set(space, k+1, 0)
						m.numbers.Delete(space, k)
					}
				}
			},
			func() {
				if k%10 == 0 {
					for k, v := range m.words.All(space) {
						_ = k + string(rune(v))
					}
				}
			},
			func() {
				if k%100 == 0 {
					m.numbers.Grow(space, r.IntN(1000))
					m.words.Clear(space)
				}
			},
		}[r.IntN(12)]
		if v := ref.Recovered(step); v != nil {
			if s := fmt.Sprint(v); !ref.Ours(s) {
				t.Fatalf("panic %q", s)
			}
		}
	}
}

// TestMapDamage is FuzzMap with random numbers.
func TestMapDamage(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	small, large := newRefMapFile(1<<16), newRefMapFile(1<<20)
	a, b := arena.NewWith(arena.Options{Memory: small}), arena.NewWith(arena.Options{Memory: large})
	offsetA, offsetB := mapFill(a, 5), mapFill(b, 3000)
	for i := range ref.Few(2000) {
		mapDamage(t, small, offsetA, r, 1+i%20)
		mapDamage(t, large, offsetB, r, 1+i%20)
	}
}

// TestMapMisuse proves what maps say that are used as they cannot be.
func TestMapMisuse(t *testing.T) {
	a := arena.NewArena()
	s := ref.In(a)
	var texts ref.Map[string, int]
	var bools ref.Map[int, bool]
	var pointers ref.TextMap[*int]
	for name, f := range map[string]func(){
		"Get":    func() { texts.Get(s, "") },
		"Set":    func() { bools.Set(s, 1, true) },
		"Lookup": func() { pointers.Lookup(s, "") },
		"Grow":   func() { bools.Grow(s, 1) },
		"Delete": func() { pointers.Delete(s, "") },
	} {
		if v := fmt.Sprint(ref.Recovered(f)); !strings.HasPrefix(v, "ref: ") || !strings.Contains(v, "has pointers, bools, or") {
			t.Errorf("%s: panic %v", name, v)
		}
	}

	var m ref.Map[int, int]
	var words ref.TextMap[int]
	if m.Delete(s, 1) || m.Lookup(s, 1) != nil || m.Len() != 0 || words.Len() != 0 {
		t.Error("a zero map is not empty")
	}
	m.Clear(s)
	for range m.All(s) {
		t.Error("All yields")
	}
	if v := fmt.Sprint(ref.Recovered(func() { m.Grow(s, -1) })); !strings.HasPrefix(v, "ref: Grow of a Map by -1") {
		t.Errorf("Grow(-1): panic %v", v)
	}
	if v := fmt.Sprint(ref.Recovered(func() { m.Set(ref.Space{}, 1, 1) })); !ref.Ours(v) {
		t.Errorf("Set in a nil arena: panic %v", v)
	}
	m.Set(s, 1, 1)
	words.Set(s, "", 1)
	if v, ok := words.Get(s, ""); v != 1 || !ok {
		t.Error("the empty text is not found")
	}
	a.Free()
	for name, f := range map[string]func(){
		"Get":    func() { m.Get(s, 1) },
		"Set":    func() { words.Set(s, "a", 1) },
		"Delete": func() { m.Delete(s, 1) },
		"All": func() {
			for range m.All(s) {
				break
			}
		},
	} {
		if v := fmt.Sprint(ref.Recovered(f)); !ref.Ours(v) {
			t.Errorf("%s in a freed arena: panic %v", name, v)
		}
	}
}

// TestMapMemory proves how much memory large maps need, and that a map of constant size needs no
// more however much it changes.
func TestMapMemory(t *testing.T) {
	if !testrun.Long() && ref.BuiltWith("-race") {
		t.Log("the memory is the same with and without the race detector")
		return
	}
	const seed = 0x0123456789abcdef // which decides how much it is
	a := arena.NewArena()
	var m ref.Map[uint64, uint64]
	ref.StartMap(&m, seed)
	sum := 0.0
	rounds := 0
	next := 300_000
	for i := range 1_200_000 {
		if m.Set(ref.In(a), uint64(i), 0); i == next {
			next += next / 50
			per := float64(a.Stats().InUse) / float64(m.Len())
			if sum, rounds = sum+per, rounds+1; per > 28 {
				t.Errorf("%d entries need %.1f bytes each", m.Len(), per)
			}
		}
	}
	if mean := sum / float64(rounds); mean > 27 {
		t.Errorf("entries need %.1f bytes each", mean)
	}
	a.Free()

	a = arena.NewArena()
	m = ref.Map[uint64, uint64]{}
	ref.StartMap(&m, seed)
	const n = 100_000
	m.Grow(ref.In(a), n)
	grown := a.Stats().InUse
	for i := range uint64(n) {
		m.Set(ref.In(a), i, i)
	}
	before := a.Stats().InUse
	if before > grown+grown/20 {
		t.Errorf("Grow took %d bytes, and then there are %d", grown, before)
	}
	for i := range uint64(3 * n) {
		if !m.Delete(ref.In(a), i) {
			t.Fatalf("%d is not there", i)
		}
		m.Set(ref.In(a), i+n, i)
	}
	if after := a.Stats().InUse; after > before+before/20 {
		t.Errorf("%d bytes became %d", before, after)
	}
}

// TestMapReaders proves that reading writes nothing: the race detector would see it.
func TestMapReaders(t *testing.T) {
	const n = 3000
	a := arena.NewArena()
	s := ref.In(a)
	var m ref.Map[float64, int]
	var words ref.TextMap[int]
	var zero ref.Map[int, int]
	for i := range n {
		m.Set(s, float64(i), i)
		words.Set(s, text(i), i)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range n {
				v, _ := m.Get(s, float64(i))
				if p := words.Lookup(s, text(i)); p == nil || *p != i || v != i {
					t.Errorf("%d is %d", i, v)
				}
				zero.Get(s, i)
				zero.Delete(s, i)
				m.Delete(s, -1)
			}
			sum := 0
			for _, v := range m.All(s) {
				sum += v
			}
			for _, v := range words.All(s) {
				sum -= v
			}
			if sum != 0 || m.Len() != n {
				t.Errorf("sum %d", sum)
			}
		})
	}
	wg.Wait()
}

// TestMapGrowSmall proves that Grow of a small map leaves no smaller one behind, also when there
// are entries already.
func TestMapGrowSmall(t *testing.T) {
	for _, n := range []int{8, 12, 13, 14, 100, 500, 1000} {
		for _, first := range []int{0, 1, 7} {
			a, b := arena.NewArena(), arena.NewArena()
			s := ref.In(a)
			inB := ref.In(b)
			var at, grown ref.Map[int64, int64]
			for i := range int64(first) {
				at.Set(s, i, i)
			}
			at.Grow(s, n-first)
			room := a.Stats().RefBytes
			for i := range int64(n) {
				at.Set(s, i, i)
				grown.Set(inB, i, i)
			}
			if after := a.Stats().RefBytes; after != room {
				t.Errorf("%d entries: Grow took %d bytes, and they %d more", n, room, after-room)
			}
			if n > 13 && room >= b.Stats().RefBytes { // up to 13 there is one smaller map at most
				t.Errorf("%d entries, %d of them before Grow: %d bytes, and %d without Grow", n, first, room, b.Stats().RefBytes)
			}
			for i := range int64(n) {
				if v, ok := at.Get(s, i); !ok || v != i {
					t.Errorf("%d of %d: %d, %v", i, n, v, ok)
				}
			}
		}
	}
}

// TestMapIterateGrows proves that an iteration yields all that was there, and ends, when its body
// adds so much that tables grow and split, and also where that fails halfway.
func TestMapIterateGrows(t *testing.T) {
	rooms := max(ref.Few(10), 2)
	for _, n := range []int{1, 7, 100, 1900, 1920, 10_000} { // 1920 is all that fits in one table
		for room := range rooms {
			f := newRefMapFile(4<<20 + room*48)
			a := arena.NewWith(arena.Options{Memory: f})
			s := ref.In(a)
			var m ref.Map[int, int]
			for i := range n {
				m.Set(s, i, i)
			}
			if room > 0 {
				for size := 1 << 20; size >= 256; size /= 2 {
					for ref.Recovered(func() { ref.NewSlice[byte](s, size) }) == nil {
					}
				}
			}
			seen := map[int]bool{}
			for k, v := range m.All(s) {
				if k != v || seen[k] {
					t.Fatalf("yields %d: %d, or two times", k, v)
				}
				seen[k] = true
				if len(seen)%20 == 1 {
					for i := range 20 {
						k := n + len(seen) + i
						ref.Recovered(func() { m.Set(s, k, k) })
					}
				}
			}
			for i := range n {
				if !seen[i] {
					t.Fatalf("%d of %d is not yielded", i, n)
				}
			}
			if room == 0 && m.Len() < 2*n {
				t.Fatalf("%d entries became %d", n, m.Len())
			}
			a.Free()
		}
	}
}

// TestMapIterateAgain proves that a key that its own iteration deletes and adds again comes once.
// The key of a TextMap is then another copy of the same text.
func TestMapIterateAgain(t *testing.T) {
	for _, n := range []int{1, 3, 100, 10_000} {
		a := arena.NewArena()
		s := ref.In(a)
		var numbers ref.Map[int, int]
		var texts ref.TextMap[int]
		for i := range n {
			numbers.Set(s, i, i)
			texts.Set(s, text(i), i)
		}
		seen := make([]int, n)
		for k, v := range numbers.All(s) {
			seen[k]++
			numbers.Delete(s, k)
			numbers.Set(s, k, v)
		}
		for k, v := range texts.All(s) {
			seen[v]++
			texts.Delete(s, k)
			texts.Set(s, text(v), v)
		}
		for i, times := range seen {
			if times != 2 {
				t.Errorf("%d of %d came %d times in two iterations", i, n, times)
			}
		}
		a.Free()
	}
}

// TestMapIterateAgainSplit is TestMapIterateAgain where the table of the first key is split before
// the key is deleted and added again. So the iteration has not yet come to where the key lies.
func TestMapIterateAgainSplit(t *testing.T) {
	const n = 5000
	for range 50 {
		a := arena.NewArena()
		s := ref.In(a)
		var m ref.TextMap[int]
		for i := range 20 {
			m.Set(s, text(i), i)
		}
		first, steps := "", 0
		seen := map[int]bool{}
		for k, v := range m.All(s) {
			if seen[v] {
				t.Fatalf("%s came twice", k)
			}
			seen[v] = true
			switch steps++; steps {
			case 1:
				first = text(v)
				for i := range n {
					m.Set(s, text(20+i), 20+i)
				}
			case 2:
				v, _ := m.Get(s, first)
				m.Delete(s, first)
				m.Set(s, first, v)
			}
		}
		if len(seen) < 20 {
			t.Fatalf("%d of 20 keys came", len(seen))
		}
		a.Free()
	}
}

func text(i int) string { return "text " + strconv.Itoa(i) }
