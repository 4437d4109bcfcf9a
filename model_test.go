package arena

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/testrun"
)

// The types of the model: every kind of memory, pointers of every sort.
type (
	m16   struct{ a, b int64 }
	mName struct{ name, text string }
	mNode struct {
		left, _ *mNode
		n       int
	}
	mFlags struct {
		a, b bool
		n    int32
	}
	mOdd  struct{ b [3]byte }
	mWide struct {
		_  int8
		c  complex128
		xs [9]uint16
	}
	mEmpty struct{}
	mBag   struct {
		m  map[string]int
		e  any
		s  []string
		f  func() int
		ch chan int
		p  *int
	}
	mBig struct{ xs [300]int64 }
)

// A modelObject is something that a program has allocated: where it lies, and how
// to see that it still is what it should be.
type modelObject struct {
	span  span
	what  string
	check func() error
}

// A machine runs a program on an arena and on a model of it: the list of
// objects, and what Stats should say.
type machine struct {
	t       testing.TB
	r       *rand.Rand
	opt     Options
	a       *Arena
	objects []modelObject
	refs    []func(a *Arena) bool
	count   map[string]int64
	bytes   map[string]int64
	peak    int64
	resets  int64
	scopes  []modelScope
	used    []Mark // that are good no longer
	log     []string
}

// A modelScope is what there was at a Mark.
type modelScope struct {
	mark         Mark
	objects      []modelObject
	count, bytes map[string]int64 // without what has a reference
}

// A kit is the operations of one type.
type kit struct {
	name string
	typ  reflect.Type
	new  func(m *machine, how int)
	make func(m *machine, len, cap, how int)
}

var kits []kit

func init() {
	kits = []kit{
		kitOf("int64", func(r *rand.Rand) int64 { return r.Int64() }),
		kitOf("uint8", func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }),
		kitOf("bool", func(r *rand.Rand) bool { return r.Uint32()&1 == 0 }),
		kitOf("float32", func(r *rand.Rand) float32 { return r.Float32() }),
		kitOf("string", heapString),
		kitOf("m16", func(r *rand.Rand) m16 { return m16{r.Int64(), r.Int64()} }),
		kitOf("mName", func(r *rand.Rand) mName { return mName{heapString(r), heapString(r)} }),
		kitOf("mNode", func(r *rand.Rand) mNode { return mNode{left: &mNode{n: r.Int()}, n: r.Int()} }),
		kitOf("mFlags", func(r *rand.Rand) mFlags { return mFlags{r.Uint32()&1 == 0, true, r.Int32()} }),
		kitOf("mOdd", func(r *rand.Rand) mOdd { return mOdd{[3]byte{byte(r.Uint32()), 2, 3}} }),
		kitOf("mWide", func(r *rand.Rand) mWide { return mWide{c: complex(r.Float64(), 1), xs: [9]uint16{8: 9}} }),
		kitOf("mEmpty", func(r *rand.Rand) mEmpty { return mEmpty{} }),
		kitOf("mBag", heapBag),
		kitOf("mBig", func(r *rand.Rand) mBig { return mBig{[300]int64{0: r.Int64(), 299: r.Int64()}} }),
		kitOf("any", func(r *rand.Rand) any { return heapString(r) }),
	}
}

func heapString(r *rand.Rand) string { return fmt.Sprint("text ", r.Uint64()) }

func heapBag(r *rand.Rand) mBag {
	n := int(r.Uint32())
	ch := make(chan int, 1)
	ch <- n
	return mBag{map[string]int{fmt.Sprint(n): n}, &m16{int64(n), 1}, []string{fmt.Sprint(n)}, func() int { return n }, ch, &n}
}

// equal compares two values; functions and channels by what they hold.
func equal(x, y any) bool {
	if x, ok := x.(mBag); ok {
		y := y.(mBag)
		if x.f == nil || y.f == nil {
			return reflect.DeepEqual(x, y)
		}
		same := x.f() == y.f() && x.ch == y.ch && len(x.ch) == 1
		x.f, y.f = nil, nil
		return same && reflect.DeepEqual(x, y)
	}
	return reflect.DeepEqual(x, y)
}

func kitOf[T any](name string, value func(r *rand.Rand) T) kit {
	typ := reflect.TypeFor[T]()
	fill := func(m *machine, s []T) {
		var zero T
		want := make([]T, len(s))
		for i := range s {
			if !equal(s[i], zero) {
				m.fatalf("new %s is not zero: %v", name, s[i])
			}
			want[i] = value(m.r)
			s[i] = want[i]
		}
		s = s[:len(s):len(s)]
		m.add(name, unsafe.Pointer(unsafe.SliceData(s)), len(s)*int(typ.Size()), typ.Align(), func() error {
			for i := range s {
				if !equal(s[i], want[i]) {
					return fmt.Errorf("%s[%d] is %v, was %v", name, i, s[i], want[i])
				}
			}
			return nil
		})
	}
	return kit{
		name: name,
		typ:  typ,
		new: func(m *machine, how int) {
			var p *T
			ways := 4
			if kindOf(typ) == kindPlain {
				ways = 6
			}
			switch how % ways {
			case 4, 5:
				r := newRef[T](m, how)
				p = r.Get(m.a)
				m.referred(func(a *Arena) bool { return r.Get(a) == p })
			case 0:
				p = New[T](m.a)
			case 1:
				p = SlabOf[T](m.a).New()
			case 2:
				if how/ways%2 == 0 {
					s := typeSlabOf(m.a, typ)
					if how/ways%4 == 0 {
						s.Expect(m.a, how/ways)
					}
					p = (*T)(s.New(m.a))
				} else {
					p = NewValue(m.a, typ).Interface().(*T)
				}
			case 3:
				v := value(m.r)
				p = Ptr(m.a, v)
				if !equal(*p, v) {
					m.fatalf("Put of %v gave %v", v, *p)
				}
				clear(unsafe.Slice(p, 1))
			}
			m.allocated(typ, 1)
			fill(m, unsafe.Slice(p, 1))
		},
		make: func(m *machine, n, c, how int) {
			var s []T
			switch how % 6 {
			case 5:
				if c = n; kindOf(typ) != kindPlain {
					s = MakeSlice[T](m.a, n, n)
					break
				}
				var r testRefSlice[T]
				if r, s = newTestRefSlice[T](m.a, n); r.Len() != n {
					m.fatalf("a RefSlice of %d has length %d", n, r.Len())
				}
				defer m.referred(func(a *Arena) bool {
					return unsafe.SliceData(r.Get(a)) == unsafe.SliceData(s) || n == 0
				})
			case 0, 1:
				s = MakeSlice[T](m.a, n, c)
			case 2:
				if how/6%2 == 0 && n > 0 && kindOf(typ) != kindPlain {
					c = n
					s = unsafe.Slice((*T)(typeSlabOf(m.a, typ).Slice(m.a, n)), n)
				} else {
					s = MakeSliceValue(m.a, reflect.SliceOf(typ), n, c).Interface().([]T)
				}
			case 3:
				c = n
				s = SliceOf(m.a, make([]T, n)...)
			case 4:
				m.grow(typ, n, func(n int) {
					old := s
					s = Append(m.a, s, make([]T, n)...)
					var zero T
					for _, spare := range s[len(s):cap(s)] {
						if !equal(spare, zero) {
							m.fatalf("spare capacity of []%s is not zero: %v", name, spare)
						}
					}
					if cap(s) == cap(old) {
						return
					}
					if cap(old) > 0 && typ.Size() > 0 && unsafe.SliceData(s) == unsafe.SliceData(old) {
						m.allocated(typ, cap(s)-cap(old))
					} else {
						m.allocated(typ, cap(s))
					}
				})
				fill(m, s)
				return
			}
			if len(s) != n || cap(s) != c || s == nil {
				m.fatalf("slice of %s has length %d and capacity %d, want %d and %d", name, len(s), cap(s), n, c)
			}
			m.allocated(typ, c)
			fill(m, s[:c])
		},
	}
}

// newRef makes a value with a reference, in one way or another.
func newRef[T any](m *machine, how int) testRef[T] {
	if how%6 == 4 {
		r, _ := newTestRef[T](m.a)
		return r
	}
	return testRefSlabOf[T](m.a).New()
}

// referred tells the model of a reference, which is good until Reset.
func (m *machine) referred(good func(a *Arena) bool) { m.refs = append(m.refs, good) }

// grow calls step until it has made n of something, a few at a time, with other
// allocations between.
func (m *machine) grow(typ reflect.Type, n int, step func(n int)) {
	for n > 0 {
		k := min(n, 1+m.r.IntN(9))
		step(k)
		n -= k
		if m.r.IntN(4) == 0 {
			kits[m.r.IntN(len(kits))].new(m, m.r.IntN(4))
		}
	}
}

// allocated tells the model that n values of typ were allocated.
func (m *machine) allocated(typ reflect.Type, n int) { m.counted(typ.String(), n, n*int(typ.Size())) }

func (m *machine) counted(name string, n, bytes int) {
	m.count[name] += int64(n)
	m.bytes[name] += int64(bytes)
}

func (m *machine) add(what string, p unsafe.Pointer, size, align int, check func() error) {
	from := uintptr(p)
	if from%uintptr(align) != 0 {
		m.fatalf("%s at %#x is not aligned to %d", what, from, align)
	}
	if size > 0 {
		m.objects = append(m.objects, modelObject{span{from, from + uintptr(size)}, what, check})
	}
}

func (m *machine) addString(s, want string) {
	m.counted("text", 1, len(s))
	m.add("string", unsafe.Pointer(unsafe.StringData(s)), len(s), 1, func() error {
		if s != want {
			return fmt.Errorf("string is %q, was %q", s, want)
		}
		return nil
	})
}

func (m *machine) fatalf(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nprogram:\n%s", fmt.Sprintf(format, args...), strings.Join(m.log[max(0, len(m.log)-40):], "\n"))
}

// verify checks the arena against the model.
func (m *machine) verify() {
	stats := m.a.Stats()
	var sum int64
	for _, ts := range stats.Types {
		if ts.Count != m.count[ts.Name] || ts.Bytes != m.bytes[ts.Name] {
			m.fatalf("Stats: %d %s of %d bytes, want %d of %d", ts.Count, ts.Name, ts.Bytes, m.count[ts.Name], m.bytes[ts.Name])
		}
		sum += ts.Bytes
	}
	types := 0
	for _, n := range m.count {
		if n > 0 {
			types++
		}
	}
	m.peak = max(m.peak, sum)
	if len(stats.Types) != types || stats.InUse != sum || stats.Peak != m.peak || stats.Resets != m.resets || stats.Reserved < stats.InUse {
		m.fatalf("Stats are %+v; want %d types, %d in use, peak %d, %d resets", stats, types, sum, m.peak, m.resets)
	}
	if m.opt.Limit > 0 && stats.Reserved > m.opt.Limit {
		m.fatalf("%d bytes reserved, limit %d", stats.Reserved, m.opt.Limit)
	}
	for _, o := range m.objects {
		if err := o.check(); err != nil {
			m.fatalf("%v", err)
		}
	}
	for i, good := range m.refs {
		if !good(m.a) {
			m.fatalf("reference %d of %d leads to something else", i, len(m.refs))
		}
	}
	if m.a.stores == nil {
		return
	}
	chunks, err := m.a.stores.checkInvariants()
	if err != nil {
		m.fatalf("%v", err)
	}
	slices.SortFunc(chunks, func(x, y span) int { return int(int64(x.from) - int64(y.from)) })
	slices.SortFunc(m.objects, func(x, y modelObject) int { return int(int64(x.span.from) - int64(y.span.from)) })
	for i, o := range m.objects {
		if i > 0 && m.objects[i-1].span.to > o.span.from {
			m.fatalf("%s %x overlaps %s %x", m.objects[i-1].what, m.objects[i-1].span, o.what, o.span)
		}
		at, ok := slices.BinarySearchFunc(chunks, o.span, func(c, o span) int { return int(int64(c.from) - int64(o.from)) })
		if !ok {
			at--
		}
		if at < 0 || !chunks[at].contains(o.span) {
			m.fatalf("%s %x lies in no chunk", o.what, o.span)
		}
	}
}

// mark begins a scope.
func (m *machine) mark() {
	s := modelScope{m.a.Mark(), slices.Clone(m.objects), maps.Clone(m.count), maps.Clone(m.bytes)}
	m.withRefs(s.count, s.bytes, -1)
	m.scopes = append(m.scopes, s)
}

// withRefs adds what has a reference, which no Rewind ends, to counts and bytes, or takes it away.
func (m *machine) withRefs(count, bytes map[string]int64, sign int64) {
	add := func(name string, n, b int64) {
		count[name] += sign * n
		bytes[name] += sign * b
	}
	stats := region.StatsOf(m.a.stores.space, func(t reflect.Type, n, b int64) { add(t.String(), n, b) })
	add("text", stats.Text.Count, stats.Text.Bytes)
}

// rewind ends scopes until left scopes are open.
func (m *machine) rewind(left int) {
	m.verify()
	s := m.scopes[left]
	m.a.Rewind(s.mark)
	for _, s := range m.scopes[left:] {
		m.used = append(m.used, s.mark)
	}
	m.scopes = m.scopes[:left]
	var refs [][]byte
	if refs = region.Chunks(m.a.stores.space); refs == nil {
		refs = [][]byte{region.Whole(m.a.stores.space)}
	}
	for _, o := range m.objects {
		in := func(b []byte) bool { return o.span.from-mem.Address(b) < uintptr(len(b)) }
		known := func(k modelObject) bool { return k.span == o.span && k.what == o.what }
		if slices.ContainsFunc(refs, in) && !slices.ContainsFunc(s.objects, known) {
			s.objects = append(s.objects, o)
		}
	}
	m.withRefs(s.count, s.bytes, 1)
	m.objects, m.count, m.bytes = s.objects, s.count, s.bytes
	m.verify()
}

// mustBeUsed checks that the Marks are good no longer.
func (m *machine) mustBeUsed() {
	m.used = m.used[max(0, len(m.used)-5):]
	for _, u := range m.used {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "arena: ") || !strings.Contains(r, "Mark") && !strings.Contains(r, "Free") {
					m.fatalf("Rewind with a Mark that was used: %v", r)
				}
			}()
			m.a.Rewind(u)
		}()
	}
}

// emptied tells the model that the arena is empty.
func (m *machine) emptied() {
	for _, s := range m.scopes {
		m.used = append(m.used, s.mark)
	}
	m.scopes = nil
	m.refs = nil
	m.objects, m.count, m.bytes = nil, map[string]int64{}, map[string]int64{}
}

// An op is one operation of a program.
type op struct {
	code, kit byte
	size      uint16
}

// step carries out o. Allocations that the limit forbids change nothing.
func (m *machine) step(o op) {
	k := kits[int(o.kit)%len(kits)]
	n := int(o.size) % 64
	if o.code&0x80 != 0 { // now and then a long one
		n = int(o.size) % 5000
	}
	if k.name == "mBig" || k.name == "mBag" {
		n /= 32
	}
	m.log = append(m.log, fmt.Sprintf("%d %s %d", o.code%22, k.name, n))
	before := m.a.Stats()
	objects := len(m.objects)
	err := Try(func() {
		switch o.code % 22 {
		case 20:
			m.mark()
		case 21:
			if len(m.scopes) > 0 {
				m.rewind(max(0, len(m.scopes)-1-int(o.size)%4))
			}
			m.mustBeUsed()
		case 6, 7, 8, 9:
			k.make(m, n, n+int(o.kit)/16, int(o.size>>8))
		case 10:
			want := strings.Repeat("x", n) + heapString(m.r)
			if o.kit%2 == 0 {
				m.addString(String(m.a, want), want)
				break
			}
			r := newTestRefString(m.a, want)
			m.addString(r.Get(m.a), want)
			m.referred(func(a *Arena) bool { return r.Get(a) == want && r.Len() == len(want) })
		case 11:
			want := []string{heapString(m.r), strings.Repeat("y", n), heapString(m.r)}
			if n%2 == 0 {
				m.addString(Concat(m.a, want...), strings.Join(want, ""))
			} else {
				m.addString(Join(m.a, want, ", "), strings.Join(want, ", "))
			}
		case 12:
			if m.opt.Limit > 0 {
				return // fmt keeps the panic of a String method to itself
			}
			want := fmt.Sprintf("%d %s", n, m)
			m.addString(Sprintf(m.a, "%d %s", n, m), want)
		case 13:
			m.build(n)
		case 14:
			if n > 0 {
				align := 1 << (o.kit % 13)
				s := MakeSliceAligned[int32](m.a, n, n, align)
				m.allocated(reflect.TypeFor[int32](), n)
				m.add("int32", unsafe.Pointer(&s[0]), 4*n, max(align, 4), func() error { return nil })
			}
		case 15:
			runtime.GC()
		case 16:
			m.verify()
		case 17:
			m.verify()
			m.a.Reset()
			if m.a.stores != nil { // a Reset of an unused arena does nothing
				m.resets++
			}
			m.emptied()
			m.verify()
			if r := m.opt.Retain; r != 0 {
				if got := m.a.Stats().Reserved; got > max(r, 0) {
					m.fatalf("%d bytes kept by Reset, Retain %d", got, r)
				}
			}
		case 18:
			if o.size%8 != 0 {
				return
			}
			m.verify()
			m.a.Free()
			if !m.watched() {
				for _, o := range m.objects {
					if err := o.check(); err != nil {
						m.fatalf("after Free: %v", err)
					}
				}
			}
			*m = machine{t: m.t, r: m.r, opt: m.opt, a: NewWith(m.opt), log: m.log}
			m.emptied()
		default:
			k.new(m, int(o.size))
		}
	})
	var limit *LimitError
	var none *MemoryError
	if errors.As(err, &none) && m.opt.Memory != nil && errors.Is(err, errTestMemory) {
		err = nil // as expected
		m.stepFailed(o, before, objects)
	}
	if err != nil && (!errors.As(err, &limit) || !errors.Is(err, ErrLimit) || m.opt.Limit == 0 || limit.Reserved+limit.Needed <= m.opt.Limit) {
		m.fatalf("Try: %v", err)
	}
	if err != nil {
		m.stepFailed(o, before, objects)
	}
}

// stepFailed checks that what failed has changed nothing.
func (m *machine) stepFailed(o op, before Stats, objects int) {
	// One value or slice at a time: all or nothing.
	if o.code%22 < 6 && (m.a.Stats().InUse != before.InUse || len(m.objects) != objects) {
		m.fatalf("an allocation over the limit has changed the arena")
	}
}

// watched tells whether values end with Free.
func (m *machine) watched() bool { return m.opt.Guard || m.opt.Memory != nil || (&stores{}).watched() }

// String makes a machine an argument for Sprintf that uses the arena meanwhile.
func (m *machine) String() string {
	s := "inner " + strings.Repeat("z", 20)
	m.addString(String(m.a, s), s)
	return s
}

// build makes a text with a Builder, other allocations between.
func (m *machine) build(n int) {
	b := NewBuilder(m.a)
	m.allocated(reflect.TypeFor[Builder](), 1)
	var want strings.Builder
	var text []byte
	account := func() {
		if cap(b.all) == cap(text) {
			return
		}
		if cap(text) > 0 && unsafe.SliceData(b.all) == unsafe.SliceData(text) {
			m.counted("uint8", cap(b.all)-cap(text), cap(b.all)-cap(text))
		} else {
			m.counted("uint8", cap(b.all), cap(b.all))
		}
		text = b.all
	}
	m.grow(reflect.TypeFor[byte](), n, func(n int) {
		defer account() // also when the limit is hit half-way
		switch n % 4 {
		case 0:
			b.WriteInt(int64(n)*7919, 10)
			fmt.Fprint(&want, n*7919)
		case 1:
			b.WriteByte(byte('a' + n))
			want.WriteByte(byte('a' + n))
		case 2:
			b.WriteString("abc")
			want.WriteString("abc")
		case 3:
			b.WriteRune('☃')
			want.WriteRune('☃')
		}
	})
	if b.String() != want.String() {
		m.fatalf("Builder has %q, want %q", b, &want)
	}
	s, w := b.String(), want.String()
	m.add("built", unsafe.Pointer(unsafe.StringData(s)), len(s), 1, func() error {
		if s != w {
			return fmt.Errorf("built text is %q, was %q", s, w)
		}
		return nil
	})
}

// runProgram runs a program.
func runProgram(t testing.TB, opt Options, seed uint64, program []op) {
	if region, ok := opt.Memory.(*testRegion); ok {
		region.empty()
	}
	m := &machine{t: t, r: rand.New(rand.NewPCG(seed, 1)), opt: opt, a: NewWith(opt)}
	m.emptied()
	for _, o := range program {
		m.step(o)
	}
	m.verify()
	m.a.Free()
	if mem, ok := opt.Memory.(interface{ mustBeEmpty(testing.TB) }); ok {
		mem.mustBeEmpty(t)
	}
}

// degenerate options, next to the default ones.
var modelOptions = []Options{
	{},
	{Retain: 4096},
	{Retain: -1},
	{Retain: 1},
	{Limit: 1},
	{Limit: 100},
	{Limit: 1000},
	{Limit: 20_000},
	{Limit: 300_000, Retain: 10_000},
	{Guard: true, Report: unexpected},
	{Guard: true, Limit: 20_000, Report: unexpected},
	{Memory: &testMemory{}, Report: unexpected},
	{Memory: &testMemory{}, Report: unexpected, Limit: 100_000, Retain: 10_000},
	{Memory: &testMemory{every: 5}, Report: unexpected},
	{Memory: &testRegion{}, Report: unexpected},
	{Memory: &testRegion{testMemory: testMemory{every: 5}}, Report: unexpected, Limit: 100_000},
}

func unexpected(r *Report) { panic(r) }

// TestRandomPrograms runs random programs against the model, with all options.
func TestRandomPrograms(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	rounds := 4
	if !testrun.Long() {
		rounds = 1
	}
	for range rounds {
		for _, opt := range modelOptions {
			most := 900
			if testing.Short() {
				most = 300
			}
			program := make([]op, 100+r.IntN(most))
			for i := range program {
				program[i] = op{byte(r.Uint32()), byte(r.Uint32()), uint16(r.Uint32())}
				if r.IntN(8) != 0 {
					program[i].code %= 18 // mostly small and without Reset and Free
					if program[i].code >= 16 {
						program[i].code += 4
					}
				}
			}
			runProgram(t, opt, r.Uint64(), program)
		}
	}
	guard.Check()
}

// TestDirty fills several chunks of plain memory with text, and checks that the
// slices that get this memory after Reset are zero, however they come to it.
func TestDirty(t *testing.T) {
	a := NewArena()
	check := func(s []byte) []byte {
		t.Helper()
		for i, c := range s[:cap(s)] {
			if c != 0 {
				t.Fatalf("byte %d of a slice of %d is %#x", i, cap(s), c)
			}
		}
		return s
	}
	for _, use := range []func(){
		func() { check(MakeSlice[byte](a, 100, 100)) },
		func() { check(MakeSlice[byte](a, 0, 3000)) },
		func() { // in place, a piece at a time
			s := MakeSlice[byte](a, 0, 1)
			for range 200 {
				s = check(Append(a, s, 0))
			}
		},
		func() { check(Bytes(a, make([]byte, 70_000))) },
		func() { String(a, "text"); check(MakeSlice[byte](a, 10, 10)) },
	} {
		for range 3 {
			for range 400 {
				String(a, strings.Repeat("x", 1000))
			}
			String(a, strings.Repeat("x", 300_000))
			a.Reset()
			check(MakeSlice[byte](a, 270_000, 270_000)) // a chunk of its own
			for range few(1000) {
				use()
			}
			a.Reset()
		}
	}
}

// TestLimitKept checks that memory which Reset has kept for one type does not
// stand in the way of another type under a limit.
func TestLimitKept(t *testing.T) {
	const limit = 100_000
	a := NewWith(Options{Limit: limit})
	for range 3 {
		for _, use := range []func(){
			func() { New[mNode](a) },
			func() { New[mBag](a) },
			func() { String(a, "sixteen letters.") },
			func() { MakeSlice[mFlags](a, 5, 5) },
			func() { NewValue(a, reflect.TypeFor[mWide]()) },
			func() { MakeSlice[int64](a, 5000, 5000) }, // a chunk of its own
		} {
			for err := error(nil); err == nil && a.Stats().InUse < limit/2; {
				if err = Try(use); err != nil {
					t.Fatalf("%v, after Reset of what others had", err)
				}
			}
			a.Reset()
		}
	}
}

// TestLimitUsed has random rounds of large slices and small values in arenas that are used again,
// alone, in a Pool and in a Group. What fits in a fresh arena fits in these: with an eighth more
// for the slices, and a chunk more for each of the two types.
func TestLimitUsed(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	const need = 4 << 20
	opt := Options{Limit: need + need/8 + 2*maxChunk}
	pool, group, own := Pool{Options: opt}, Group{Options: opt}, NewWith(opt)
	owners := map[string]func(f func(a *Arena)){
		"Arena": func(f func(a *Arena)) { f(own); own.Reset() },
		"Pool":  func(f func(a *Arena)) { a := pool.Get(); f(a); pool.Put(a) },
		"Group": func(f func(a *Arena)) { group.Do(f); group.Reset() },
	}
	for i := range few(300) {
		var bytes, pointers []int // slices, in chunks of their own
		size := r.IntN(need/maxChunk-1) + 1
		for left := need - 2*firstChunk - 4096; ; {
			n := maxChunk/2 + 1 + r.IntN(size*maxChunk)
			if left -= n; left < 0 {
				break
			}
			if r.IntN(3) > 0 {
				bytes = append(bytes, n)
			} else {
				pointers = append(pointers, n/int(wordSize))
			}
		}
		round := func(a *Arena) {
			New[*int](a)
			String(a, "text")
			for _, n := range bytes {
				MakeSlice[byte](a, n, n)
			}
			for _, n := range pointers {
				MakeSlice[*int](a, n, n)
			}
		}
		if err := Try(func() { round(NewWith(Options{Limit: need})) }); err != nil {
			t.Fatalf("the model fails: %v", err)
		}
		for name, use := range owners {
			if err := Try(func() { use(round) }); err != nil {
				t.Fatalf("%s, round %d, slices of %d bytes and %d pointers: %v", name, i, bytes, pointers, err)
			}
		}
	}
}

// FuzzArena runs fuzzed programs against the model.
func FuzzArena(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		b := make([]byte, 4*50+1)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 || len(b) > 4*400 {
			return
		}
		opt := modelOptions[int(b[0])%len(modelOptions)]
		if opt.Guard && b[0] < 250 {
			opt.Guard = false // it takes long
		}
		var program []op
		for b = b[1:]; len(b) >= 4; b = b[4:] {
			program = append(program, op{b[0], b[1], binary.LittleEndian.Uint16(b[2:])})
		}
		runProgram(t, opt, 1, program)
	})
}
