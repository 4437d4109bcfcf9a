package ref

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// checkInvariants checks what refmap_table.go says of the fields of a map. What key returns is the
// hash of a key.
func (m *tables[K, V]) checkInvariants(s Space, key func(k K) uint64) error {
	least := uint32(1) << tableBits[K, V]()
	sum := uint64(0)
	tables := map[Of[swiss.Group[K, V]]]bool{}
	for h := uint64(0); ; {
		t := m.table(s, h)
		n := m.groups(h)
		for size := h >> (64 - sizeBits); size < 1<<sizeBits && (size<<(64-sizeBits) <= m.next(t, h)-1); size++ {
			if got := m.groups(size << (64 - sizeBits)); got != n {
				return fmt.Errorf("a table has %d and %d groups", n, got)
			}
		}
		if m.dir.IsNil() && (n&(n-1) != 0 || n > least) || !m.dir.IsNil() && n != sizeOf(h>>(64-sizeBits), tableBits[K, V]()) ||
			uint32(t.n) > roomFor(n) || n == 0 && m.n > 0 {
			return fmt.Errorf("a table has %d groups and %d entries; the smallest has %d", n, t.n, least)
		}
		if !tools.Checking && (int(t.bits) != bits.Len32(t.at.off) || int(m.dirBits) != bits.Len32(m.dir.off)) {
			return fmt.Errorf("the references %d and %d have %d and %d bits", t.at.off, m.dir.off, t.bits, m.dirBits)
		}
		if m.dir.IsNil() && (t.depth != 0 || m.depth != 0) || t.depth > m.depth {
			return fmt.Errorf("a table has the depth %d, the map %d", t.depth, m.depth)
		}
		if !m.dir.IsNil() {
			i, copies := uint32(h>>(64-m.depth)), uint32(1)<<(m.depth-t.depth)
			for j := range copies {
				c := *m.dir.elem(s, i+j)
				if c.n = t.n; c != *t {
					return fmt.Errorf("the copies of a table differ: %v, %v", c, *t)
				}
			}
		}
		if n > 0 && tables[t.at] {
			return errors.New("the groups of a table are those of another")
		}
		tables[t.at] = true
		full, nans := uint32(0), 0
		passes := make([]int, n)
		for i := range n {
			g := t.group(s, i)
			for j := range g.Slots {
				tag, e := g.Ctrl>>(8*j)&0xff, &g.Slots[j]
				if tag == 0 {
					for _, b := range mem.BytesOf((*[1]swiss.Slot[K, V])(unsafe.Slice(e, 1))[:]) {
						if b != 0 {
							return fmt.Errorf("slot %d of group %d is free, but holds %v", j, i, *e)
						}
					}
					continue
				}
				full++
				if e.Key != e.Key {
					nans++
					continue
				}
				kh := key(e.Key)
				if tag != kh>>25&0x7f|0x80 || m.table(s, kh) != t {
					return fmt.Errorf("key %v with tag %#x and hash %#x is in the wrong place", e.Key, tag, kh)
				}
				for at, steps := home(kh, n), uint32(0); at != i; at = groupAfter(at, kh, n) {
					if t.group(s, at).Ctrl < swiss.Passed || steps > n {
						return fmt.Errorf("key %v is in group %d, and a search for it ends at %d", e.Key, i, at)
					}
					passes[at]++
					steps++
				}
			}
		}
		if full != uint32(t.n) {
			return fmt.Errorf("%d slots are full, and n is %d", full, t.n)
		}
		for i, p := range passes {
			if c := int(t.group(s, uint32(i)).Ctrl >> 56); c != 255 && (c < p || c > p+nans) {
				return fmt.Errorf("group %d was passed by %d keys and at most %d NaNs, but counts %d", i, p, nans, c)
			}
		}
		sum += uint64(t.n)
		if h = m.next(t, h); h == 0 {
			break
		}
	}
	if sum != m.n {
		return fmt.Errorf("there are %d entries, and n is %d", sum, m.n)
	}
	return nil
}

// A mapLike is a *Map, or where K is string a *TextMap.
type mapLike[K comparable, V any] interface {
	Len() int
	Get(s Space, k K) (V, bool)
	Set(s Space, k K, v V)
	Entry(s Space, k K) *V
	Lookup(s Space, k K) *V
	Delete(s Space, k K) bool
	Grow(s Space, n int)
	Clear(s Space)
	All(s Space) iter.Seq2[K, V]
}

// A mapProgram plays on a map and on a model of it: a Go map, and the values of those entries that
// are not found, since their keys are NaNs. Each value is another one.
type mapProgram[K, V comparable] struct {
	t     testing.TB
	r     *rand.Rand
	a     *arena.Arena
	m     mapLike[K, V]
	check func() error
	key   func(i int) K
	val   func(i int) V
	model map[K]*V
	nans  map[V]bool
	next  int
	fails int
}

// try calls f, which may run into the limit, and reports whether it did not.
func (p *mapProgram[K, V]) try(f func()) (ok bool) {
	p.t.Helper()
	defer func() {
		v := recover()
		if ok = v == nil; ok {
			return
		}
		p.fails++
		err, _ := v.(error)
		if !errors.As(err, new(*arena.LimitError)) && !errors.As(err, new(*arena.MemoryError)) {
			panic(v)
		}
		if p.r.IntN(10) == 0 {
			p.verify()
		}
	}()
	f()
	return
}

func (p *mapProgram[K, V]) value() V {
	p.next++
	return p.val(p.next)
}

// is fails unless v is the value that the model has for k.
func (p *mapProgram[K, V]) is(what string, k K, v V, ok bool) {
	p.t.Helper()
	want := p.model[k]
	if want == nil {
		want = new(V)
	}
	if _, has := p.model[k]; v != *want || ok != has {
		p.t.Fatalf("%s(%#v) is %v, %v; want %v, %v", what, k, v, ok, *want, has)
	}
}

// added does in the model what was done to the map.
func (p *mapProgram[K, V]) added(k K, v V) {
	if k != k {
		p.nans[v] = true
		return
	}
	delete(p.model, k) // so that the later key counts, as it does in a Map
	p.model[k] = &v
}

func (p *mapProgram[K, V]) remove(k K) {
	_, has := p.model[k]
	if p.m.Delete(In(p.a), k) != has {
		p.t.Fatalf("Delete(%#v) is %v", k, !has)
	}
	delete(p.model, k)
}

func (p *mapProgram[K, V]) set(k K) {
	if v := p.value(); p.try(func() { p.m.Set(In(p.a), k, v) }) {
		p.added(k, v)
	}
}

// step does one thing with one of n keys.
func (p *mapProgram[K, V]) step(n int) {
	p.t.Helper()
	k := p.key(p.r.IntN(n))
	op := p.r.IntN(1000)
	if op >= 980 && p.r.IntN(n) > 300 {
		op = 0 // what takes long is rare
	}
	switch {
	case op < 400:
		p.set(k)
	case op < 500:
		v, ok := p.m.Get(In(p.a), k)
		p.is("Get", k, v, ok)
	case op < 600:
		v := p.m.Lookup(In(p.a), k)
		if v == nil {
			p.is("Lookup", k, *new(V), false)
			break
		}
		p.is("Lookup", k, *v, true)
		*v = p.value()
		*p.model[k] = *v // which leaves the key as it is
	case op < 700:
		p.try(func() {
			v := p.m.Entry(In(p.a), k)
			p.is("Entry", k, *v, p.model[k] != nil)
			*v = p.value()
			p.added(k, *v)
		})
	case op < 980:
		p.remove(k)
	case op < 985:
		p.iterate(n)
	case op < 987:
		for range p.r.IntN(n) { // most of it
			p.remove(p.key(p.r.IntN(n)))
		}
	case op < 988:
		p.m.Clear(In(p.a))
		clear(p.model)
		clear(p.nans)
	case op < 990:
		p.try(func() { p.m.Grow(In(p.a), p.r.IntN(n)) })
	case op < 993:
		p.verify()
	}
}

// verify compares the map with the model.
func (p *mapProgram[K, V]) verify() {
	p.t.Helper()
	if err := p.check(); err != nil {
		p.t.Fatal(err)
	}
	if p.m.Len() != len(p.model)+len(p.nans) {
		p.t.Fatalf("Len is %d, want %d and %d NaNs", p.m.Len(), len(p.model), len(p.nans))
	}
	for k, want := range p.model {
		if v, ok := p.m.Get(In(p.a), k); !ok || v != *want {
			p.t.Fatalf("Get(%#v) is %v, %v; want %v", k, v, ok, *want)
		}
	}
	names := map[string]bool{} // keys may be equal and not the same
	for k := range p.model {
		names[fmt.Sprintf("%#v", k)] = true
	}
	n := 0
	for k, v := range p.m.All(In(p.a)) {
		if n++; k != k && !p.nans[v] || k == k && (p.model[k] == nil || *p.model[k] != v) {
			p.t.Fatalf("All yields %#v, %v", k, v)
		}
		if _, blank := any(k).(mapBlank); k == k && !blank && !names[fmt.Sprintf("%#v", k)] {
			p.t.Fatalf("All yields the key %#v, which is not the one that was set", k)
		}
	}
	if n != p.m.Len() {
		p.t.Fatalf("All yields %d entries of %d", n, p.m.Len())
	}
}

// iterate iterates over the map, and changes it meanwhile.
func (p *mapProgram[K, V]) iterate(n int) {
	before := maps.Clone(p.model)
	nans, cleared := maps.Clone(p.nans), false
	gone, seen := map[K]bool{}, map[K]bool{}
	for k, v := range p.m.All(In(p.a)) {
		if k != k {
			if !p.nans[v] {
				p.t.Fatalf("All yields a NaN with %v, which is gone, or came twice", v)
			}
			delete(nans, v)
		} else {
			p.is("All", k, v, true)
			if seen[k] {
				p.t.Fatalf("All yields %#v twice", k)
			}
			seen[k] = true
		}
		switch p.r.IntN(40) {
		case 0, 1, 2, 3:
			p.set(p.key(p.r.IntN(n)))
		case 4, 5, 6, 7:
			k := p.key(p.r.IntN(n))
			p.remove(k)
			if gone[k] = true; p.r.IntN(4) == 0 {
				p.set(k)
			}
		case 8:
			if p.r.IntN(10) == 0 {
				for range p.r.IntN(2 * n) {
					p.set(p.key(p.r.IntN(2 * n)))
				}
			}
		case 9:
			if p.r.IntN(20) == 0 {
				p.m.Clear(In(p.a))
				clear(p.model)
				clear(p.nans)
				clear(before)
				cleared = true
			}
		case 10:
			if p.r.IntN(10) == 0 {
				return
			}
		}
	}
	for k := range before {
		if !seen[k] && !gone[k] {
			p.t.Fatalf("All does not yield %#v", k)
		}
	}
	if len(nans) > 0 && !cleared {
		p.t.Fatalf("All does not yield %d NaNs", len(nans))
	}
}

// A mapCase runs a program of some steps with n keys.
type mapCase struct {
	name string
	run  func(t testing.TB, r *rand.Rand, a *arena.Arena, alike bool, n, steps int)
}

func mapCaseOf[K, V comparable](key func(i int) K, val func(i int) V) mapCase {
	return mapCase{fmt.Sprintf("%v to %v", reflect.TypeFor[K](), reflect.TypeFor[V]()), func(t testing.TB, r *rand.Rand, a *arena.Arena, alike bool, n, steps int) {
		m := new(Map[K, V]) // on the heap: it must work there, and in an arena, as others do
		if alike {
			m.start("", kindAlike)
		}
		mapRun(&mapProgram[K, V]{t: t, r: r, a: a, m: m, key: key, val: val, check: func() error {
			return m.checkInvariants(In(a), func(k K) uint64 { return hashOfKey(k, m.seed, m.hash) })
		}}, n, steps)
	}}
}

func textCaseOf[V comparable](val func(i int) V) mapCase {
	return mapCase{fmt.Sprintf("text to %v", reflect.TypeFor[V]()), func(t testing.TB, r *rand.Rand, a *arena.Arena, alike bool, n, steps int) {
		m := new(TextMap[V])
		if alike {
			m.start("", kindAlike)
		}
		mapRun(&mapProgram[string, V]{t: t, r: r, a: a, m: m, key: mapString, val: val, check: func() error {
			return m.checkInvariants(In(a), func(k textKey) uint64 {
				h := m.hashKey(k.text.Get(In(a)))
				if k.hash != uint32(h>>32) {
					return 0
				}
				return h
			})
		}}, n, steps)
	}}
}

func mapRun[K, V comparable](p *mapProgram[K, V], n, steps int) {
	p.t.Helper()
	p.model, p.nans = map[K]*V{}, map[V]bool{}
	for range steps {
		p.step(n)
	}
	p.verify()
}

// mapPadded has padding, and mapMixed also a floating-point number and blank fields.
type (
	mapPadded struct {
		a int8
		b int64
		c int16
	}
	mapMixed struct {
		_ int32
		f float32
		_ [0]int
		n uint16
		c [2]complex64
	}
	mapRef struct{ r Of[mapRef] }
)

func mapUint(i int) uint64      { return uint64(i) }
func mapThree(i int) [3]int32   { return [3]int32{int32(i), int32(-i), int32(i)} }
func mapLarge(i int) [50]uint64 { return [50]uint64{1: uint64(i), 49: uint64(i)} }

var mapCases = []mapCase{
	mapCaseOf(func(i int) uint64 { return uint64(i) << 40 }, mapUint),
	mapCaseOf(func(i int) int { return i }, mapThree),
	mapCaseOf(func(i int) int32 { return int32(-i) }, mapLarge),
	mapCaseOf(func(i int) uint8 { return uint8(i) }, mapUint),
	mapCaseOf(func(i int) [3]uint8 { return [3]uint8{uint8(i), 0, uint8(i >> 8)} }, mapUint),
	mapCaseOf(mapFloat, mapUint),
	mapCaseOf(func(i int) float32 { return float32(mapFloat(i)) }, mapThree),
	mapCaseOf(mapComplex, mapUint),
	mapCaseOf(func(i int) (k struct{}) { return k }, mapUint),
	mapCaseOf(func(i int) [20]uint16 { return [20]uint16{19: uint16(i)} }, mapThree),
	mapCaseOf(func(i int) mapRef { return mapRef{Of[mapRef]{off: uint32(i)}} }, mapUint),
	mapCaseOf(func(i int) mapBlank {
		raw := [2]int64{int64(i / 2), int64(i)}
		return *(*mapBlank)(unsafe.Pointer(&raw))
	}, mapUint),
	mapCaseOf(func(i int) (k mapPadded) {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&k)), unsafe.Sizeof(k))
		for j := range b {
			b[j] = byte(rand.Uint32()) // the padding
		}
		k.a, k.b, k.c = int8(i), int64(i/3), int16(i/7)
		return k
	}, mapUint),
	mapCaseOf(func(i int) (k mapMixed) {
		f := mapFloat(i)
		return mapMixed{f: float32(f), n: uint16(i / 3), c: [2]complex64{1: complex64(complex(f, 0))}}
	}, mapThree),
	textCaseOf(mapUint),
	textCaseOf(mapThree),
	textCaseOf(mapLarge),
}

// TestMapPrograms runs random programs.
func TestMapPrograms(t *testing.T) {
	seed := testrun.Seed(t)
	steps := few(20_000)
	for _, c := range mapCases {
		for _, alike := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/alike=%v", c.name, alike), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 1))
				for _, n := range []int{5, 100, 2000} {
					for name, o := range map[string]arena.Options{
						"plain":  {},
						"guard":  {Guard: true},
						"limit":  {Limit: int64(1000 + r.IntN(100_000))},
						"memory": {Memory: &mapRegion{mem: make([]byte, 8, 8+r.IntN(300_000))}},
					} {
						if name == "guard" && n > 100 {
							continue
						}
						a := arena.NewWith(o)
						c.run(t, r, a, alike, n, steps/8)
						a.Free()
					}
				}
			})
		}
	}
	// A large one, with a directory and with tables of all sizes.
	t.Run("large", func(t *testing.T) {
		n := few(300_000)
		for _, c := range []mapCase{mapCases[0], textCaseOf(mapUint)} {
			a := arena.NewArena()
			c.run(t, rand.New(rand.NewPCG(seed, 2)), a, false, n, 2*n)
			a.Free()
		}
	})
}

// A mapRegion is a Region of a fixed capacity.
type mapRegion struct{ mem []byte }

func (r *mapRegion) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (r *mapRegion) Free([]byte)                    {}

func (r *mapRegion) Grow(size int) ([]byte, error) {
	if size > cap(r.mem) {
		return nil, errors.New("the test's region is full")
	}
	r.mem = r.mem[:max(size, len(r.mem))]
	return r.mem, nil
}

// TestMapStable proves that maps in files stay readable: the hashes of keys, and the places that
// follow from them, are what they were. Keys that are hashed as bytes have other hashes where
// numbers lie in memory the other way round. No file goes from one kind of system to the other:
// package offheap refuses it, since all numbers in it would be wrong.
func TestMapStable(t *testing.T) {
	const seed = 0x0123456789abcdef
	big := binary.NativeEndian.Uint16([]byte{0, 1}) == 1
	for _, key := range []struct{ got, little, big uint64 }{
		{hashOfKey(uint64(42), seed, kindOf(reflect.TypeFor[uint64]())), 0x4d8f4d9dc85b66d9, 0},
		{hashOfKey(int8(-1), seed, kindOf(reflect.TypeFor[int8]())), 0x93e416ab260fdfa5, 0},
		{hashOfKey([3]uint8{1, 2, 3}, seed, kindBytes), 0x824b9f79e8888f06, 0},
		{hashOfKey([5]uint32{1, 2, 3, 4, 5}, seed, kindBytes), 0x6135e7e129e6ddef, 0x44467b1e457c8a9a},
		{hashOfKey(-0.5, seed, kindParts), 0x7995d1e393d67a33, 0},
		{hashOfKey(mapMixed{f: 1, n: 2, c: [2]complex64{3, 4i}}, seed, kindParts), 0xc60872a47d617463, 0x98df9c01e5002f6b},
		{hashOfKey(mapPadded{1, 2, 3}, seed, kindParts), 0x499dbac4b19f24fc, 0x0c78f062e3ffe012},
		{hashBytes("", seed, secret0), 0xfa05fffb58c53c7c, 0},
		{hashBytes("ab", seed, secret0), 0x18c9bb4abaac133e, 0},
		{hashBytes("abcde", seed, secret0), 0x75430074300ce4de, 0},
		{hashBytes("hello, world", seed, secret0), 0x6706dfc036c5ff3a, 0},
		{hashBytes("a text of more than two times sixteen bytes", seed, secret0), 0x27e19ffff3a2fe87, 0},
		{hashOfKey([3]uint8{1, 2, 3}, seed, kindOf(reflect.TypeFor[[3]uint8]())), 0x71e4fd06c50d0637, 0},
		{hashOfKey([5]uint32{1, 2, 3, 4, 5}, seed, kindOf(reflect.TypeFor[[5]uint32]())), 0x1afac1076af1bb36, 0x7008529fc9b222a1},
		{hashOfKey(-0.5, seed, kindOf(reflect.TypeFor[float64]())), 0xc968faaa058b83a6, 0},
		{hashOfKey(mapMixed{f: 1, n: 2, c: [2]complex64{3, 4i}}, seed, kindOf(reflect.TypeFor[mapMixed]())), 0xed33daecc4142590, 0x0d340242f3f9f164},
		{hashOfKey(mapPadded{1, 2, 3}, seed, kindOf(reflect.TypeFor[mapPadded]())), 0xc1d3c59785c5e223, 0xfd3a7f15923485cf},
		{hashBytes("", seed, secretOf(seed)), 0x104491cb405aeeac, 0},
		{hashBytes("ab", seed, secretOf(seed)), 0x5ef1d11ae2c271e3, 0},
		{hashBytes("abcde", seed, secretOf(seed)), 0xdce0c9200e838486, 0},
		{hashBytes("hello, world", seed, secretOf(seed)), 0x36aa01fdbdcb2ef7, 0},
		{hashBytes("a text of more than two times sixteen bytes", seed, secretOf(seed)), 0x1e27a97a07ff8832, 0},
	} {
		want := key.little
		if big && key.big != 0 {
			want = key.big
		}
		if key.got != want {
			t.Errorf("hash %#016x, want %#016x", key.got, want)
		}
	}
	const h = 0xfedcba9876543210
	if at := home(h, 118); at != 76 || groupAfter(at, h, 118) != 93 || roomFor(1) != 7 || roomFor(118) != 767 {
		t.Errorf("the first groups are %d, %d", at, groupAfter(at, h, 118))
	}
	if b := [3]int{tableBits[uint64, uint64](), tableBits[uint8, struct{}](), tableBits[uint64, [500]uint64]()}; b != [3]int{6, 7, 2} {
		t.Errorf("tables have %v bits", b)
	}
	for b, want := range map[int][8]uint32{2: {4, 4, 4, 5, 5, 6, 6, 7}, 4: {16, 18, 18, 20, 24, 24, 27, 30}, 6: {64, 70, 75, 83, 90, 98, 107, 118}, 7: {128, 140, 150, 166, 180, 196, 214, 236}} {
		for i := range want {
			if n := sizeOf(uint64(i), b); n != want[i] {
				t.Errorf("table %d has %d groups of %d bits, want %d", i, n, b, want[i])
			}
		}
	}
}

// TestMapAlike proves that keys with the same hash are refused when there are too many, without a
// directory that grows for nothing, and that the map is then as it was.
func TestMapAlike(t *testing.T) {
	a := arena.NewArena()
	space := In(a)
	var m Map[uint64, uint64]
	m.start("", kindAlike)
	n := uint64(0)
	for i := range uint64(4000) {
		func() {
			defer func() {
				if v := recover(); v == nil {
					n++
				} else if err, ok := v.(*arena.MemoryError); !ok || err.Err != errAlike || err.Size <= 0 {
					panic(v)
				}
			}()
			m.Set(space, i*4, i)
		}()
	}
	if uint64(m.Len()) != n || n < 400 || n == 4000 {
		t.Fatalf("%d entries, want %d", m.Len(), n)
	}
	for i := range n {
		if v, ok := m.Get(space, i*4); !ok || v != i {
			t.Fatalf("%d is %d, %v", i*4, v, ok)
		}
	}
	if err := m.checkInvariants(space, func(k uint64) uint64 { return hashOfKey(k, m.seed, m.hash) }); err != nil {
		t.Fatal(err)
	}
	if s := a.Stats(); s.InUse > 600_000 {
		t.Errorf("%d bytes are in use", s.InUse)
	}
}

// TestMapCorrupt proves that all that is done to a map ends, in a panic of this package or in none,
// whatever is in its fields and in a table's.
func TestMapCorrupt(t *testing.T) {
	values := []uint64{0, 1, 2, 5, 24, 25, 63, 64, 100, 255, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 + 1, 1<<64 - 1}
	sizes := []uint64{3, 500, 5000}
	if !testrun.Long() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		for field := range 26 {
			for _, v := range values {
				a := arena.NewWith(arena.Options{Memory: &mapRegion{mem: make([]byte, 8, 2<<20)}})
				s := In(a)
				var m Map[uint64, uint64]
				for i := range n {
					m.Set(s, i, i)
				}
				p := m.table(s, 1<<62)
				if field >= 13 {
					p = &m.first
				}
				[]func(){
					func() { m.seed = v }, func() { m.n = v }, func() { m.dir.off = uint32(v) }, func() { m.dirBits = uint8(v) }, func() { m.sizes = v }, func() { m.sizes = v * eachSize },
					func() { m.depth = uint8(v) }, func() { m.hash = hashKind(v) },
					func() { p.at.off = uint32(v) }, func() { p.bits = uint8(v) }, func() { p.n = uint16(v) }, func() { p.depth = uint8(v) }, func() { m.splits = uint32(v) },
				}[field%13]()
				for name, op := range map[string]func(){
					"Get":    func() { m.Get(s, n/2) },
					"Set":    func() { m.Set(s, n/2, 1) },
					"add":    func() { m.Set(s, n*v+1, 1) },
					"Delete": func() { m.Delete(s, n/3) },
					"All": func() {
						for k := range m.All(s) {
							m.Set(s, k+n, 0)
						}
					},
					"Grow":  func() { m.Grow(s, 10) },
					"Clear": func() { m.Clear(s) },
				} {
					func() {
						defer func() {
							if v := recover(); v != nil && !Ours(fmt.Sprint(v)) {
								t.Errorf("%s with %d in field %d: panic %v", name, v, field, v)
							}
						}()
						op()
					}()
				}
				a.Free()
			}
		}
	}
}

// TestMapAllocs proves that a map leaves nothing for the heap to do.
func TestMapAllocs(t *testing.T) {
	if tools.Sanitizing {
		t.Skip("the address sanitizer allocates")
	}
	a := arena.NewArena()
	s := In(a)
	var m Map[uint64, int]
	var floats Map[float64, int]
	var padded Map[mapPadded, int]
	var words TextMap[int]
	i := 0
	if allocs := testing.AllocsPerRun(1000, func() {
		i++
		*m.Entry(s, uint64(i%100))++
		m.Delete(s, uint64((i+1)%100))
		*floats.Entry(s, float64(i%10))++
		*padded.Entry(s, mapPadded{1, int64(i % 10), 3})++
		*words.Entry(s, "hello")++
		words.Lookup(s, "world")
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestMapNaNs proves that about half of the NaNs in a table go to the other when it is split, and
// that none is lost.
func TestMapNaNs(t *testing.T) {
	a := arena.NewArena()
	s := In(a)
	var m Map[float64, int]
	for i := range 100_000 {
		m.Set(s, math.NaN(), i)
	}
	if err := m.checkInvariants(s, nil); err != nil {
		t.Fatal(err)
	}
	if m.splits > 1000 {
		t.Errorf("%d tables were split", m.splits)
	}
	seen := make([]bool, 100_000)
	for _, v := range m.All(s) {
		seen[v] = true
	}
	if slices.Contains(seen, false) {
		t.Error("All leaves out a NaN")
	}
}

// TestMapAllBegins checks that iterations begin at different tables, and that one that ends with
// its first entry copies nothing, and looks at no other table: a loop that deletes the first entry
// until there are none would look at all tables each time.
func TestMapAllBegins(t *testing.T) {
	a := arena.NewArena()
	s := In(a)
	var m Map[int, int]
	var words TextMap[int]
	for i := range 10_000 {
		m.Set(s, i, i)
		words.Set(s, fmt.Sprint(i), i)
	}
	first := map[int]bool{}
	for range 100 {
		for k := range m.All(s) {
			first[m.tableOf(k)] = true
			break
		}
	}
	if len(first) < 3 { // of 15 or so
		t.Errorf("100 iterations begin in %d tables", len(first))
	}
	dir, n := *m.dir.elem(s, 0), 0
	for i := range uint32(1) << m.depth {
		if m.dir.elem(s, i).at == dir.at {
			m.dir.elem(s, i).depth = 77 // whoever looks at it panics
		}
	}
	for range m.splits + 1 {
		func() {
			defer func() {
				if recover() != nil {
					n++
				}
			}()
			for range m.All(s) {
				break
			}
		}()
	}
	if n > int(m.splits)*3/4 {
		t.Errorf("%d of %d iterations that end with their first entry have looked at a table", n, m.splits+1)
	}
	if !tools.Sanitizing {
		if allocs := testing.AllocsPerRun(100, func() {
			for k := range words.All(s) {
				words.Delete(s, k)
				break
			}
		}); allocs > 4 {
			t.Errorf("taking the first entry out of a map allocates %v times", allocs)
		}
	}
}

// TestTextMapDamaged makes all keys the same large text: All yields no more text than there is
// memory for.
func TestTextMapDamaged(t *testing.T) {
	a := arena.NewArena()
	s := In(a)
	var m TextMap[int]
	large := NewString(s, strings.Repeat("x", 1<<16))
	for i := range 1000 {
		m.Set(s, fmt.Sprint(i), i)
	}
	for h := uint64(0); ; {
		table := m.table(s, h)
		for i := range m.groups(h) {
			g := table.group(s, i)
			for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
				g.Slot(full).Key.text = large
			}
		}
		if h = m.next(table, h); h == 0 {
			break
		}
	}
	bytes := uint64(0)
	defer func() {
		if r := recover(); r != errMap || bytes > region.Capacity(In(a).at, 1) {
			t.Errorf("All yields %d bytes of text, of %d, and panics with %v", bytes, region.Capacity(In(a).at, 1), r)
		}
	}()
	for k := range m.All(s) {
		bytes += uint64(len(k))
	}
}

// tableOf returns in which of the smallest tables that there may be a key is.
func (m *tables[K, V]) tableOf(k K) int {
	return int(hashOfKey(k, m.seed, m.hash) >> (64 - m.depth))
}

// TestMapDirectory makes all entries of a directory lead to the same full groups: an iteration ends
// before there is more than the map says it has, and so does all else that goes through the tables.
func TestMapDirectory(t *testing.T) {
	const depth = 12
	for _, n := range []uint64{1, 7, 1 << depth, 1 << 40, 1<<64 - 1} {
		for _, inTable := range []uint16{0, 1, 7, 1 << 10, 1<<16 - 1} {
			for _, same := range []bool{false, true} {
				a := arena.NewArena()
				s := In(a)
				var m Map[uint64, uint64]
				m.Grow(s, 300)
				for i := range uint64(300) {
					m.Set(s, i, i)
				}
				one := m.first
				one.depth, one.n = depth, inTable
				dir, tables := NewSlice[table[uint64, uint64]](s, 1<<depth)
				full := uint64(0)
				for i := range tables {
					tables[i] = one
					full += uint64(inTable)
				}
				m.dir.off, m.dirBits, m.depth, m.n = dir.off, uint8(bits.Len32(dir.off)), depth, n
				if same {
					m.n = full // even if that is consistent there is no room for them
				}
				steps := uint64(0)
				for what, f := range map[string]func(){
					"All": func() {
						for range m.All(s) {
							if steps++; steps > min(m.n, 300) {
								t.Fatalf("All of a map with %d entries yields more", m.n)
							}
						}
					},
					"Grow":  func() { m.Grow(s, 1<<depth) },
					"Clear": func() { m.Clear(s) },
				} {
					func() {
						defer func() {
							if r := recover(); r != errMap && (r != nil || m.n != 0) {
								t.Errorf("%s of %d entries, of %d in each table: %v", what, m.n, inTable, r)
							}
						}()
						f()
					}()
				}
			}
		}
	}
}

// TestGrowSays has Grow ask for more than there can be. The error has the bytes and the name.
func TestGrowSays(t *testing.T) {
	a := arena.NewWith(arena.Options{Name: "cache"})
	s := In(a)
	var m Map[uint64, [1 << 10]uint64]
	for _, n := range []int{1 << 30, math.MaxInt} {
		func() {
			defer func() {
				if err, ok := recover().(*arena.MemoryError); !ok || err.Name != "cache" || err.Size < int64(n) {
					t.Errorf("Grow(%d): %v", n, err)
				}
			}()
			m.Grow(s, n)
		}()
	}
}

type mapBlank struct{ a, _ int64 } // equal whatever the second has

// mapFloat returns NaNs of different bits, zeros of both signs, and numbers.
func mapFloat(i int) float64 {
	switch i % 8 {
	case 0:
		return math.Copysign(0, float64(i%16-1))
	case 1:
		return math.Float64frombits(0x7ff8000000000000 + uint64(i))
	case 2:
		return math.Inf(i%16 - 3)
	}
	return float64(i) / 4
}

func mapComplex(i int) complex128 { return complex(mapFloat(i), mapFloat(i/3)) }

func mapString(i int) string {
	b := []byte(strings.Repeat("a", i%41))
	if len(b) > 0 {
		b[i%7%len(b)] += byte(i / 41)
	}
	return string(b)
}
