package arena

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/swiss"
	"github.com/arena-go/arena/internal/testrun"
)

// checkInvariants checks what map.go says of the fields of a Map.
func (m *Map[K, V]) checkInvariants() error {
	groups := len(m.groups)
	room := groups * (swiss.Slots - 1)
	if groups == 1 {
		room = swiss.Slots
	}
	if groups&(groups-1) != 0 || m.room != room || m.n < 0 || m.n > room {
		return fmt.Errorf("%d groups, room for %d, %d entries", groups, m.room, m.n)
	}
	full, nans := 0, 0
	passes := make([]int, groups) // keys that went past each group, without NaNs
	for i := range m.groups {
		g := &m.groups[i]
		for j := range g.Slots {
			tag := g.Ctrl >> (8 * j) & 0xff
			s := &g.Slots[j]
			if tag == 0 {
				if !reflect.ValueOf(s).Elem().IsZero() {
					return fmt.Errorf("slot %d of group %d is free, but holds %v", j, i, *s)
				}
				continue
			}
			full++
			if tag < 0x80 {
				return fmt.Errorf("slot %d of group %d has tag %#x", j, i, tag)
			}
			if s.Key != s.Key {
				nans++ // has another hash each time
				continue
			}
			h := m.hash(s.Key)
			if tag != h>>57|0x80 {
				return fmt.Errorf("slot %d of group %d has tag %#x, and hash %#x", j, i, tag, h)
			}
			at := h & uint64(groups-1)
			for step := 1; at != uint64(i); step++ {
				if step >= groups {
					return fmt.Errorf("key %v is in group %d, which a search for it never visits", s.Key, i)
				}
				if m.groups[at].Ctrl>>56 == 0 {
					return fmt.Errorf("key %v is in group %d, but a search for it ends in group %d", s.Key, i, at)
				}
				passes[at]++
				at = (at + uint64(step)) & uint64(groups-1)
			}
		}
	}
	if full != m.n {
		return fmt.Errorf("%d slots are full, and n is %d", full, m.n)
	}
	for i, p := range passes {
		// Nobody knows which groups a NaN went past: each of them none or one time.
		if count := int(m.groups[i].Ctrl >> 56); count != 255 && (count < p || count > p+nans) {
			return fmt.Errorf("group %d was passed by %d keys and at most %d NaNs, but counts %d", i, p, nans, count)
		}
	}
	return nil
}

// The keys of the programs.
type (
	mapInt  int
	mapText string
	mapPair struct {
		n    int
		name string
	}
	mapBlank struct{ a, _ int64 } // equal whatever the second has
)

// A mapKeys says how to make the i-th key. Different i may make equal keys.
type mapKeys[K comparable] struct {
	key  func(i int) K
	name func(k K) string // for keys that are equal but not the same, or nil
}

// A mapValues says how to make a value of a number below n, and the number of a
// value, which is 0 for the zero value and less for none that was made.
type mapValues[V any] struct {
	n     int
	value func(i int) V
	num   func(v V) int
}

var (
	mapPointers [700]*int
	mapChans    [700]chan int
)

func init() {
	for i := range mapPointers {
		mapPointers[i], mapChans[i] = new(int), make(chan int)
		*mapPointers[i] = i
	}
}

func mapString(i int) string {
	b := []byte(strings.Repeat("a", i%41))
	if len(b) > 0 {
		b[i%7%len(b)] += byte(i / 41)
	}
	return string(b)
}

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

func mapFloatName(f float64) string { return strconv.FormatBool(math.Signbit(f)) + fmt.Sprint(f) }

func mapComplex(i int) complex128 { return complex(mapFloat(i), mapFloat(i/3)) }

func mapAny(i int) any {
	switch i % 11 {
	case 0:
		return nil
	case 1:
		return i
	case 2:
		return int8(i)
	case 3:
		return mapString(i)
	case 4:
		return mapText(mapString(i))
	case 5:
		return mapFloat(i)
	case 6:
		return mapPair{i, mapString(i)}
	case 7:
		return mapPointers[i%700]
	case 8:
		return [2]any{i % 5, mapFloat(i)}
	case 9:
		return i%2 == 0
	}
	return struct{}{}
}

// only makes keys without names.
func only[K comparable](key func(i int) K) mapKeys[K] { return mapKeys[K]{key, nil} }

var (
	valueInt    = mapValues[int]{1 << 30, func(i int) int { return i }, func(v int) int { return v }}
	valueString = mapValues[string]{1000, func(i int) string {
		if i == 0 {
			return ""
		}
		return strconv.Itoa(i)
	}, func(v string) int {
		if v == "" {
			return 0
		}
		i, err := strconv.Atoi(v)
		if err != nil {
			return -1
		}
		return i
	}}
	valueEmpty = mapValues[struct{}]{1, func(i int) (v struct{}) { return v }, func(struct{}) int { return 0 }}
	value20    = mapValues[[20]byte]{256, func(i int) (v [20]byte) {
		v[0], v[19] = byte(i), byte(i)
		return v
	}, func(v [20]byte) int {
		if v[0] != v[19] {
			return -1
		}
		return int(v[0])
	}}
	value300 = mapValues[[300]byte]{256, func(i int) (v [300]byte) {
		v[0], v[299] = byte(i), byte(i)
		return v
	}, func(v [300]byte) int {
		if v[0] != v[299] {
			return -1
		}
		return int(v[0])
	}}
	valuePointer = mapValues[*int]{1000, func(i int) *int {
		if i == 0 {
			return nil
		}
		return &i
	}, func(v *int) int {
		if v == nil {
			return 0
		}
		return *v
	}}
	valueBytes = mapValues[[]byte]{100, func(i int) []byte { return make([]byte, i) }, func(v []byte) int { return len(v) }}
	valueFunc  = mapValues[func() int]{1000, func(i int) func() int {
		if i == 0 {
			return nil
		}
		return func() int { return i }
	}, func(v func() int) int {
		if v == nil {
			return 0
		}
		return v()
	}}
)

// A mapCase is a pair of types that programs are run with.
type mapCase struct {
	name  string
	start func(t testing.TB, where mapPlace, mode hashMode, hint int) interface {
		step(op byte, i int)
		verify()
	}
}

func mapCaseOf[K comparable, V any](k mapKeys[K], v mapValues[V]) mapCase {
	type runner = interface {
		step(op byte, i int)
		verify()
	}
	return mapCase{
		reflect.TypeFor[K]().String() + " to " + reflect.TypeFor[V]().String(),
		func(t testing.TB, where mapPlace, mode hashMode, hint int) runner {
			p := &mapProgram[K, V]{t: t, mapKeys: k, values: v, where: where, mode: mode, hint: hint}
			p.round()
			return p
		},
	}
}

var mapCases = []mapCase{
	mapCaseOf(only(func(i int) int { return i }), valueInt),
	mapCaseOf(only(mapString), valueString),
	mapCaseOf(mapKeys[float64]{mapFloat, mapFloatName}, valueInt),
	mapCaseOf(mapKeys[any]{mapAny, func(k any) string { return fmt.Sprintf("%T %v", k, k) }}, valueFunc),
	mapCaseOf(only(func(i int) uint64 { return uint64(i) << 54 }), valueBytes),
	mapCaseOf(only(func(i int) int8 { return int8(i) }), value300),
	mapCaseOf(only(func(i int) uint8 { return uint8(i) }), valueEmpty),
	mapCaseOf(only(func(i int) uint16 { return uint16(i << 5) }), valuePointer),
	mapCaseOf(only(func(i int) int32 { return int32(-i) }), value20),
	mapCaseOf(only(func(i int) uintptr { return uintptr(i) * 16 }), valueFunc),
	mapCaseOf(only(func(i int) mapInt { return mapInt(i) << 20 }), valueString),
	mapCaseOf(only(func(i int) mapText { return mapText(mapString(i)) }), valueInt),
	mapCaseOf(only(mapString), valueEmpty),
	mapCaseOf(only(func(i int) string { return "a long common prefix " + mapString(i) }), value300),
	mapCaseOf(only(func(i int) bool { return i%2 == 0 }), valueString),
	mapCaseOf(mapKeys[complex128]{mapComplex, func(c complex128) string {
		return mapFloatName(real(c)) + mapFloatName(imag(c))
	}}, value20),
	mapCaseOf(only(func(i int) [3]int32 { return [3]int32{int32(i % 3), 0, int32(i)} }), valueInt),
	mapCaseOf(only(func(i int) mapPair { return mapPair{i % 7, mapString(i)} }), valuePointer),
	mapCaseOf(only(func(i int) mapBlank {
		raw := [2]int64{int64(i / 2), int64(i)}
		return *(*mapBlank)(unsafe.Pointer(&raw))
	}), valueInt),
	mapCaseOf(only(func(i int) (k struct{}) { return k }), valueInt),
	mapCaseOf(only(func(i int) (k struct{}) { return k }), valueEmpty),
	mapCaseOf(only(func(i int) (k [0]int) { return k }), valueBytes),
	mapCaseOf(only(func(i int) *int { return mapPointers[i%700] }), valueString),
	mapCaseOf(only(func(i int) chan int { return mapChans[i%700] }), valueInt),
	mapCaseOf(only(func(i int) [2]string { return [2]string{mapString(i), mapString(i / 2)} }), valueBytes),
}

// A mapPlace says where the Maps of a program lie.
type mapPlace byte

const (
	mapNil     mapPlace = iota // NewMap(nil)
	mapFresh                   // a new arena for each
	mapReset                   // one arena with a Reset after each
	mapLimited                 // as mapReset, with a limit
	mapFreed                   // as mapFresh, which is freed
	mapPlaces
)

// A mapProgram plays on a Map and on a model of it: a Go map and a list of the
// entries that are not found, because their keys are NaNs.
type mapProgram[K comparable, V any] struct {
	t testing.TB
	mapKeys[K]
	values mapValues[V]
	where  mapPlace
	mode   hashMode
	hint   int

	a      *Arena
	m      *Map[K, V]
	model  map[K]*int
	nans   []string
	freed  bool
	panics int
	next   int
}

// round begins with another Map.
func (p *mapProgram[K, V]) round() {
	switch {
	case p.where == mapFresh, p.where == mapFreed:
		p.a, p.freed = NewArena(), false
	case p.where == mapReset && p.a == nil:
		p.a = NewArena()
	case p.where == mapLimited && p.a == nil:
		p.a = NewWith(Options{Limit: int64(mem.SizeOf[swiss.Group[K, V]]()*20 + 1000)})
	default:
		p.a.Reset()
	}
	if p.m = nil; p.try(true, func() { p.m = NewMap[K, V](p.a, p.hint) }) {
		p.m = NewMap[K, V](p.a, 0)
	}
	p.model, p.nans = map[K]*int{}, nil
	if p.mode != hashAny {
		p.m.mode = p.mode
	}
	p.verify()
}

// try calls f, and reports whether it panicked as it should where the Map cannot grow.
func (p *mapProgram[K, V]) try(grows bool, f func()) (panicked bool) {
	p.t.Helper()
	defer func() {
		v := recover()
		if panicked = v != nil; !panicked {
			if grows && p.freed {
				p.t.Fatal("the Map grew in a freed arena")
			}
			return
		}
		p.panics++
		text, _ := v.(string)
		err, _ := v.(error)
		var limit *LimitError
		if !grows || !(p.freed && strings.Contains(text, "used after Free") || p.where == mapLimited && errors.As(err, &limit)) {
			p.t.Fatalf("unexpected panic; grows: %v: %v", grows, v)
		}
		if p.m != nil {
			p.verify()
		}
	}()
	f()
	return
}

// grows reports whether the Map has to grow when k is set.
func (p *mapProgram[K, V]) grows(k K) bool {
	_, ok := p.model[k]
	return !ok && p.m.Len() == p.m.room
}

// added does in the model what was done to the Map.
func (p *mapProgram[K, V]) added(k K, n int) {
	if k != k {
		p.nans = append(p.nans, p.nan(k, n))
	} else {
		p.model[k] = &n
	}
}

func (p *mapProgram[K, V]) nan(k K, n int) string { return p.name(k) + " " + strconv.Itoa(n) }

// is fails unless v is what the model has for k.
func (p *mapProgram[K, V]) is(what string, k K, v V, ok bool) {
	p.t.Helper()
	n, want := 0, p.model[k]
	if want != nil {
		n = *want
	}
	if ok != (want != nil) || p.values.num(v) != n {
		p.t.Fatalf("%s(%#v) is %d, %v; want %d, %v", what, k, p.values.num(v), ok, n, want != nil)
	}
}

// step makes one step with the i-th key.
func (p *mapProgram[K, V]) step(op byte, i int) {
	p.t.Helper()
	k := p.key(i)
	p.next++
	n := p.next % p.values.n
	switch {
	case op < 80:
		if !p.try(p.grows(k), func() { p.m.Set(k, p.values.value(n)) }) {
			p.added(k, n)
		}
	case op < 115:
		v, ok := p.m.Get(k)
		p.is("Get", k, v, ok)
	case op < 135:
		if v := p.m.Lookup(k); v == nil {
			var zero V
			p.is("Lookup", k, zero, false)
		} else {
			p.is("Lookup", k, *v, true)
			*v = p.values.value(n)
			*p.model[k] = n // not p.model[k] = &n, which would set the key too
		}
	case op < 165:
		p.try(p.grows(k), func() {
			v := p.m.Entry(k)
			if _, ok := p.model[k]; !ok {
				p.added(k, 0)
			}
			if k == k {
				p.is("Entry", k, *v, true)
				*v = p.values.value(n)
				p.added(k, n)
			} else if p.values.num(*v) != 0 {
				p.t.Fatalf("Entry(%v) is not zero", k)
			}
		})
	case op < 235:
		if _, ok := p.model[k]; p.m.Delete(k) != ok {
			p.t.Fatalf("Delete(%#v) is %v", k, !ok)
		}
		delete(p.model, k)
	case op < 240:
		for j := range 20 {
			p.step(0, i+j)
		}
	case op < 244:
		for j := range 20 {
			p.step(230, i+j)
		}
	case op == 244:
		p.m.Clear()
		clear(p.model)
		p.nans = nil
	case op == 245:
		p.verify()
		p.round()
	case op == 246 && p.where == mapFreed:
		p.a.Free()
		p.freed = true
	case op == 247:
		for range p.m.All() {
			break
		}
	default:
		p.verify()
	}
	if p.m.Len() != len(p.model)+len(p.nans) {
		p.t.Fatalf("Len is %d, want %d", p.m.Len(), len(p.model)+len(p.nans))
	}
}

// verify compares all that is in the Map.
func (p *mapProgram[K, V]) verify() {
	p.t.Helper()
	if err := p.m.checkInvariants(); err != nil {
		p.t.Fatal(err)
	}
	var keys []K
	var values []int
	var nans, names []string
	seen := map[K]bool{}
	for k, v := range p.m.All() {
		keys, values = append(keys, k), append(values, p.values.num(v))
		if k != k {
			nans = append(nans, p.nan(k, p.values.num(v)))
			continue
		}
		if seen[k] {
			p.t.Fatalf("All has %v twice", k)
		}
		seen[k] = true
		p.is("All", k, v, true)
		v, ok := p.m.Get(k)
		p.is("Get", k, v, ok)
		if p.name != nil {
			names = append(names, p.name(k))
		}
	}
	if len(seen) != len(p.model) {
		p.t.Fatalf("All has %d keys, want %d", len(seen), len(p.model))
	}
	if want := slices.Sorted(slices.Values(p.nans)); !slices.Equal(slices.Sorted(slices.Values(nans)), want) {
		p.t.Fatalf("All has NaNs %v, want %v", nans, want)
	}
	if p.m.mode == hashAny && p.name != nil {
		var want []string // -0 where it was set after 0
		for k := range p.model {
			want = append(want, p.name(k))
		}
		slices.Sort(want)
		if slices.Sort(names); !slices.Equal(names, want) {
			p.t.Fatalf("the keys are %q, want %q", names, want)
		}
	}
	n := 0
	for k := range p.m.Keys() {
		if k == k && !seen[k] {
			p.t.Fatalf("Keys has %v, All has %v", k, keys)
		}
		delete(seen, k)
		n++
	}
	var got []int
	for v := range p.m.Values() {
		got = append(got, p.values.num(v))
	}
	slices.Sort(values)
	if slices.Sort(got); !slices.Equal(got, values) || n != len(keys) {
		p.t.Fatalf("%d keys, values %v, want %d and %v", n, got, len(keys), values)
	}
}

// TestMapAllBegins checks that iterations do not all begin at one place, and that each comes to all
// entries: a loop that deletes the first entry until there are none would look at what it has left
// empty each time.
func TestMapAllBegins(t *testing.T) {
	a := NewArena()
	m := NewMap[int, int](a, 0)
	for i := range 10_000 {
		m.Set(i, i)
	}
	first := map[int]bool{}
	for range 100 {
		for k := range m.All() {
			first[k] = true
			break
		}
	}
	if len(first) < 10 { // of 1,428 groups and more
		t.Errorf("100 iterations begin with %d keys", len(first))
	}
	for range 20 {
		n := 0
		for range m.All() {
			n++
		}
		if n != m.Len() {
			t.Errorf("an iteration has %d of %d entries", n, m.Len())
		}
	}
	m.Clear()
	for range m.All() {
		t.Error("an empty map has an entry")
	}
}

// TestMapPrograms plays random programs on Maps of many types, and on Go maps.
func TestMapPrograms(t *testing.T) {
	seed := testrun.Seed(t)
	steps := 1200
	if !testrun.Long() {
		steps = 200
	}
	for _, mode := range []hashMode{hashAny, hashNone} {
		for where := range mapPlaces {
			for n, c := range mapCases {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				runMapProgram(t, r, c, where, mode, steps)
			}
		}
	}
}

// runMapProgram runs a random program.
func runMapProgram(t *testing.T, r *rand.Rand, c mapCase, where mapPlace, mode hashMode, steps int) {
	t.Helper()
	keys := []int{4, 10, 14, 30, 150, 400}[r.IntN(6)]
	hint := []int{0, 0, 1, 7, 8, keys}[r.IntN(6)]
	defer func() {
		if t.Failed() {
			t.Logf("%s in place %d, mode %d, %d keys, hint %d", c.name, where, mode, keys, hint)
		}
	}()
	p := c.start(t, where, mode, hint)
	deletes := r.IntN(2) == 0 // or Sets only, so that it becomes full
	for range steps {
		op := byte(r.IntN(256))
		if !deletes && op >= 165 && op != 246 && op < 248 || op > 248 && r.IntN(4) > 0 {
			op = byte(r.IntN(165))
		}
		p.step(op, r.IntN(keys))
	}
	p.verify()
}

// TestMapBadHash plays the programs with secrets that are none: with keys in the
// same few groups the searches are long, and the counts reach what they can hold.
func TestMapBadHash(t *testing.T) {
	seed := testrun.Seed(t)
	defer func(s [3]uint64) { secret = s }(secret)
	steps := 1500
	if !testrun.Long() {
		steps = 200
	}
	for n, s := range [][3]uint64{{}, {0, 1, 0}, {0, 1<<57 | 1, 1}, {0, 1 << 58, 0}, {5, 8, 3}} {
		secret = s
		for _, c := range mapCases {
			runMapProgram(t, rand.New(rand.NewPCG(seed, uint64(n))), c, mapReset, hashAny, steps)
		}
	}
}

// TestMapSaturated proves that a count that has reached 255 stays there, when more
// keys come than it can count, and when they go.
func TestMapSaturated(t *testing.T) {
	p := mapCaseOf(only(func(i int) int { return i }), valueInt).start(t, mapFresh, hashNone, 700)
	m := p.(*mapProgram[int, int]).m
	for i := range 262 { // 7 in the first group, 255 past it
		p.step(0, i)
	}
	for i, groups := 261, m.groups; i >= 0; i-- {
		p.step(230, i)
		if count := groups[0].Ctrl >> 56; count != 255 {
			t.Fatalf("%d keys are left, and the count is %d", i, count)
		}
	}
	p.verify()
	for i := range 600 {
		p.step(0, i)
		p.step(200, 600)
		p.step(0, i)
	}
	p.verify()
	for i := range 600 {
		p.step(230, i)
		if i%50 == 0 {
			p.verify()
		}
	}
	p.verify()
}

// TestMapAllPassed proves that a search ends where every group has been passed, so
// that no count ends it.
func TestMapAllPassed(t *testing.T) {
	m := NewMap[int, int](nil, 12)
	var homes [2][]int
	for i := range 1000 {
		h := m.hash(i) & 1
		homes[h] = append(homes[h], i)
	}
	for _, k := range homes[0][:8] { // the last of them in group 1
		m.Set(k, k)
	}
	m.Delete(homes[0][0])
	m.Delete(homes[0][1])
	for _, k := range homes[1][:6] { // group 1 is full then
		m.Set(k, k)
	}
	m.Delete(homes[0][2])
	m.Set(homes[1][6], 0) // in group 0
	if m.groups[0].Ctrl < swiss.Passed || m.groups[1].Ctrl < swiss.Passed || len(m.groups) != 2 {
		t.Fatal("not every group has been passed; does this test still know how they are?")
	}
	if m.Lookup(-1) != nil || m.Delete(-1) {
		t.Error("found a key that is not there")
	}
	*m.Entry(-1) = 1
	if v, ok := m.Get(-1); v != 1 || !ok || m.Len() != 13 {
		t.Errorf("Get is %d, %v with %d entries", v, ok, m.Len())
	}
	if err := m.checkInvariants(); err != nil {
		t.Error(err)
	}
}

// TestMapHash proves that the hashes of strings and integers that differ in one
// place only fill groups as evenly as random numbers do.
func TestMapHash(t *testing.T) {
	const n = 5_000 // in 1024 groups
	ints := map[string]func(i int) int{
		"sequential": func(i int) int { return i },
		"negative":   func(i int) int { return -i },
		"reversed":   func(i int) int { return int(bits.Reverse(uint(i))) },
		"shifted":    func(i int) int { return i << (strconv.IntSize - 16) },
		"pages":      func(i int) int { return i << 12 },
		"objects":    func(i int) int { return 0xc0<<20 + i*48 },
	}
	strs := map[string]func(i int) string{
		"numbers":  strconv.Itoa,
		"prefixed": func(i int) string { return fmt.Sprintf("user-%09d", i) },
		"suffixed": func(i int) string { return fmt.Sprintf("%07d-entries", i) },
		"padded":   func(i int) string { return fmt.Sprintf("%16d", i) },
		"long":     func(i int) string { return fmt.Sprintf("%30d", i) },
		"3 bytes":  func(i int) string { return string([]byte{byte(i), byte(i >> 8), byte(i >> 16)}) },
		"zeros":    func(i int) string { return string(make([]byte, i%17)) + strconv.Itoa(i/17) },
	}
	// A hash that is good with most secrets only makes one process of some slow.
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	defer func(s [3]uint64) { secret = s }(secret)
	for range 20 {
		secret = [3]uint64{r.Uint64(), r.Uint64() | 1, r.Uint64()}
		for name, key := range ints {
			evenly(t, name, n, key)
		}
		for name, key := range strs {
			evenly(t, name, n, key)
		}
	}
}

// evenly fails when the keys pass more groups, or share more tags in a group, than
// random hashes would, by far: those pass 0.07 groups per key, and share 0.02 tags.
func evenly[K comparable](t *testing.T, name string, n int, key func(i int) K) {
	t.Helper()
	m := NewMap[K, int](nil, n)
	passed, same := 0, 0
	for i := range n {
		k := key(i)
		h := m.hash(k)
		for i, step := h, uint64(1); ; i, step = i+step, step+1 {
			g := &m.groups[i&uint64(len(m.groups)-1)]
			for match := g.Match(h); match != 0; match &= match - 1 {
				same++
			}
			if ^g.Ctrl&swiss.EachFull != 0 {
				break
			}
			passed++
		}
		m.Set(k, i)
	}
	if m.Len() != n {
		t.Errorf("%s: %d keys of %d differ", name, m.Len(), n)
	}
	if float64(passed) > 0.2*float64(n) || float64(same) > 0.1*float64(n) {
		t.Errorf("%T %s: %d keys pass %d groups and find %d tags that are the same", *new(K), name, n, passed, same)
	}
}

// TestGroupsFor proves that a table made for a hint has room for it, and that one of
// half the size had not.
func TestGroupsFor(t *testing.T) {
	room := func(groups int) int {
		if groups == 1 {
			return swiss.Slots
		}
		return groups * (swiss.Slots - 1)
	}
	for n := 1; n < 100_000; n = n*21/20 + 1 {
		for _, n := range []int{n, n - n%6, n - n%6 + 1} {
			if g := groupsFor(n); g&(g-1) != 0 || room(g) < n || g > 1 && room(g/2) >= n {
				t.Errorf("groupsFor(%d) is %d", n, g)
			}
		}
	}
	for _, hint := range []int{math.MaxInt, math.MaxInt - 5, math.MaxInt / 2} {
		for _, a := range []*Arena{nil, NewArena()} {
			for _, f := range []func(){
				func() { NewMap[struct{}, struct{}](a, hint) },
				func() { NewMap[string, [300]byte](a, hint) },
			} {
				text := fmt.Sprint(panicOf(f))
				if !strings.HasPrefix(text, "arena: ") || !strings.Contains(text, "larger than memory can be") {
					t.Errorf("hint %d: panic %q", hint, text)
				}
			}
			if n := a.Stats().InUse; n != 0 {
				t.Errorf("hint %d: %d bytes in use after the panic", hint, n)
			}
		}
	}
}

// FuzzMap plays a program: the types, the place, the mode and the hint, and then two
// bytes for each step.
func FuzzMap(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x01\x00\x02\x00\x03\xa6\x01\xff\x00"))
	f.Add([]byte("\x02\x01\x01\x08\x00\x01\x00\x02\xec\x10\xf4\x00\xec\x20\xff\x00"))
	f.Add([]byte("\x03\x03\x00\x00\xec\x00\xec\x20\xec\x40\xec\x60\xec\x80\xff\x00\xf5\x00\xec\x00"))
	f.Add([]byte("\x01\x04\x00\x00\xec\x00\xf6\x00\xec\x20\xf0\x00\xec\x40\xff\x00"))
	f.Add([]byte("\x04\x02\x01\x20\xec\x00\xec\x20\xec\x40\xf0\x00\xf0\x20\xec\x05\xf5\x00\xec\x00\xff\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 || len(b) > 4000 {
			return
		}
		c := mapCases[int(b[0])%5]
		p := c.start(t, mapPlace(b[1])%mapPlaces, []hashMode{hashAny, hashNone}[b[2]%2], int(b[3]))
		for b = b[4:]; len(b) >= 2; b = b[2:] {
			p.step(b[0], int(b[1]))
		}
		p.verify()
	})
}

// floodWords are constants that hashes have, what makes a factor 0 or 1 with them, and words that
// are the same in another order of bytes.
func floodWords() (words []uint64) {
	for _, secret := range []uint64{0x9e3779b97f4a7c15, 0xd1342543de82ef95} {
		for _, length := range []uint64{0, 1, 8, 16, 17, 32} {
			words = append(words, secret^length, ^secret^length)
		}
	}
	words = append(words, 0, math.MaxUint64)
	for _, w := range slices.Clone(words) {
		words = append(words, binary.BigEndian.Uint64(binary.LittleEndian.AppendUint64(nil, w)))
	}
	return words
}

// A floodMap is a map of keys of the type K.
type floodMap[K comparable] struct {
	set    func(K)
	hash   func(K) uint64
	splits func() uint32 // tables that were split
}

func floodPlainMap[K comparable]() floodMap[K] {
	m := NewMap[K, byte](NewArena(), 0)
	return floodMap[K]{
		set:    func(k K) { m.Set(k, 1) },
		hash:   m.hash,
		splits: func() uint32 { return 0 },
	}
}

// flood sets keys in maps: keys that are made of a word of floodWords and a number. Their hashes
// differ, and no table is split because many are almost the same.
func flood[K comparable](t *testing.T, what string, key func(word, i uint64) K, maps ...func() floodMap[K]) {
	for _, w := range floodWords() {
		n := few(2_000)
		if w == 0 {
			n = few(100_000)
		}
		for _, newMap := range maps {
			m := newMap()
			hashes := map[uint64]bool{}
			err := func() (err any) {
				defer func() {
					if v := recover(); v != nil {
						err = v
					}
				}()
				for i := range n {
					k := key(w, uint64(i))
					m.set(k)
					hashes[m.hash(k)] = true
				}
				return nil
			}()
			if err != nil || len(hashes) < n-3 || int(m.splits()) > n/50+20 {
				t.Errorf("%d keys of %s with the word %#x: %d hashes, %d tables were split, panic %v", n, what, w, len(hashes), m.splits(), err)
				break
			}
		}
	}
}

// TestFlood sets keys that have the constants of the hashes in them, in each place of a key.
func TestFlood(t *testing.T) {
	le := binary.LittleEndian
	bytes := func(words ...uint64) (b []byte) {
		for _, w := range words {
			b = le.AppendUint64(b, w)
		}
		return b
	}
	for what, text := range map[string]func(w, i uint64) []byte{
		"12 bytes":      func(w, i uint64) []byte { return le.AppendUint32(bytes(w), uint32(i)) },
		"16 bytes":      func(w, i uint64) []byte { return bytes(w, i) },
		"16 bytes more": func(w, i uint64) []byte { return bytes(i, w) },
		"17 bytes":      func(w, i uint64) []byte { return append(bytes(w, i), 'x') },
		"17 bytes more": func(w, i uint64) []byte { return append([]byte{'x'}, bytes(w, i)...) },
		"24 bytes":      func(w, i uint64) []byte { return bytes(w, i, w) },
		"32 bytes":      func(w, i uint64) []byte { return bytes(i, i, w, i) },
		"80 bytes":      func(w, i uint64) []byte { return bytes(w, i, w, w, i, w, w, w, w, i) },
	} {
		flood(t, "text of "+what, func(w, i uint64) string { return string(text(w, i)) }, floodPlainMap[string])
	}
	flood(t, "[16]byte", func(w, i uint64) [16]byte { return [16]byte(bytes(w, i)) }, floodPlainMap[[16]byte])
	flood(t, "[17]byte", func(w, i uint64) [17]byte { return [17]byte(append(bytes(w, i), 'x')) }, floodPlainMap[[17]byte])
	flood(t, "[3]uint64", func(w, i uint64) [3]uint64 { return [3]uint64{i, w, i} }, floodPlainMap[[3]uint64])
	flood(t, "uint64", func(w, i uint64) uint64 { return w ^ i }, floodPlainMap[uint64])
	flood(t, "uint64 times", func(w, i uint64) uint64 { return w ^ i*0x0001000100010001 }, floodPlainMap[uint64])
	type point struct{ x, y float64 }
	flood(t, "a point", func(w, i uint64) point { return point{float64(i), math.Float64frombits(w)} }, floodPlainMap[point])
	type mixed struct {
		f float64
		n uint64
		_ int32
		m uint32
	}
	flood(t, "floats and integers", func(w, i uint64) mixed { return mixed{f: float64(i), n: w, m: uint32(w)} }, floodPlainMap[mixed])
}
