package arena

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// errTestMemory is why a testMemory has none.
var errTestMemory = errors.New("none to be had")

// A testMemory gives away memory of the Go heap, between other bytes, and knows what it has given.
// What comes back must be what was given, with those bytes unchanged; it is overwritten.
type testMemory struct {
	every  int // one call in every fails
	calls  int
	fails  func(call int) bool // instead of every
	blocks map[*byte][]byte    // with what is around them
	frees  int
}

const testEdge = 24

func (m *testMemory) failing() bool {
	m.calls++
	if m.fails != nil {
		return m.fails(m.calls)
	}
	return m.every > 0 && m.calls%m.every == 0
}

func (m *testMemory) Alloc(size int) ([]byte, error) {
	if size <= 0 {
		panic(fmt.Sprint("Alloc of ", size))
	}
	if m.failing() {
		return nil, errTestMemory
	}
	words := make([]uint64, (size+2*testEdge+7)/8)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	for i := range testEdge {
		all[i], all[testEdge+size+i] = 0xED, 0xED
	}
	b := all[testEdge : testEdge+size : testEdge+size]
	if m.blocks == nil {
		m.blocks = map[*byte][]byte{}
	}
	m.blocks[&b[0]] = all
	return b, nil
}

func (m *testMemory) Free(b []byte) {
	all := m.blocks[&b[0]]
	if all == nil || cap(b) != len(b) || (len(b)+2*testEdge+7)/8*8 != len(all) {
		panic(fmt.Sprintf("Free of %d bytes at %p that Alloc has not returned", len(b), &b[0]))
	}
	for i := range testEdge {
		if all[i] != 0xED || all[testEdge+len(b)+i] != 0xED {
			panic(fmt.Sprintf("%d bytes at %p: what is around them was overwritten", len(b), &b[0]))
		}
	}
	for i := range b {
		b[i] = 0xEE
	}
	delete(m.blocks, &b[0])
	m.frees++
}

func (m *testMemory) mustBeEmpty(t testing.TB) {
	t.Helper()
	if len(m.blocks) > 0 {
		t.Fatalf("%d blocks were not given back", len(m.blocks))
	}
}

// A testRegion has room for references, which the next arena goes on with.
type testRegion struct {
	testMemory
	room []uint64 // of the heap: a variable begins at a multiple of 4 only, on 32-bit processors
	size int
}

func (r *testRegion) Grow(size int) ([]byte, error) {
	if size > 0 && r.failing() {
		return nil, errTestMemory
	}
	if r.room == nil {
		r.room = make([]uint64, 4<<20/8)
	}
	if size%8 != 0 || size > len(r.room)*8 {
		return nil, fmt.Errorf("%w: %d bytes", errTestMemory, size)
	}
	r.size = max(r.size, size, 8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&r.room[0])), r.size), nil
}

func (r *testRegion) empty() {
	clear(r.room)
	r.size = 0
}

// A lostMemory is used by cleanups, and so locked.
type lostMemory struct {
	sync.Mutex
	testMemory
}

func (m *lostMemory) Alloc(size int) ([]byte, error) {
	m.Lock()
	defer m.Unlock()
	return m.testMemory.Alloc(size)
}

func (m *lostMemory) Free(b []byte) {
	m.Lock()
	defer m.Unlock()
	m.testMemory.Free(b)
}

func (m *lostMemory) held() int {
	m.Lock()
	defer m.Unlock()
	return len(m.blocks)
}

// TestMemoryLost loses arenas with a Memory in all ways, and checks that each is reported and keeps
// what it has, or with Finalize gives it back; and that one that the collector takes
// out of a Pool gives it back in any case.
func TestMemoryLost(t *testing.T) {
	use := func(a *Arena) {
		Ptr(a, 1)
		MakeSlice[byte](a, 10_000, 10_000)
		newTestRefString(a, "text")
		Ptr(a, "not of it")
	}
	for _, c := range []struct {
		name  string
		lose  func(o Options)
		freed bool // in any case, and not reported
	}{
		{"NewWith", func(o Options) { use(NewWith(o)) }, false},
		{"NewWith, freed", func(o Options) { a := NewWith(o); use(a); a.Free() }, true},
		{"Pool, not Put", func(o Options) { use((&Pool{Options: o}).Get()) }, false},
		{"Pool, Put", func(o Options) { p := &Pool{Options: o}; a := p.Get(); use(a); p.Put(a) }, true},
		{"Pool, Put twice", func(o Options) {
			p := &Pool{Options: o}
			for range 2 {
				a := p.Get()
				use(a)
				p.Put(a)
			}
		}, true},
		{"Pool, dropped", func(o Options) { p := &Pool{Options: o}; a := p.Get(); use(a); p.Drop(a) }, false},
		{"Pool, dropped and freed", func(o Options) { p := &Pool{Options: o}; a := p.Get(); use(a); p.Drop(a); a.Free() }, true},
		{"Group", func(o Options) { g := &Group{Options: o}; use(g.Arena()); use(g.Arena()) }, false},
		{"Group, Reset", func(o Options) { g := &Group{Options: o}; use(g.Arena()); g.Reset() }, false},
		{"Group, freed", func(o Options) { g := &Group{Options: o}; use(g.Arena()); g.Reset(); use(g.Arena()); g.Free() }, true},
	} {
		for _, finalize := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/finalize=%t", c.name, finalize), func(t *testing.T) {
				mem := &lostMemory{}
				reports := make(chan *Report, 10)
				c.lose(Options{Name: "lost", Memory: mem, Finalize: finalize, Report: func(r *Report) { reports <- r }})
				testrun.Collect(func() bool { return len(reports) > 0 || (c.freed || finalize) && mem.held() == 0 })
				for range 3 { // so that there is no second report
					runtime.GC()
					time.Sleep(time.Millisecond)
				}
				held := mem.held()
				if (held == 0) != (c.freed || finalize) && !tools.Filling && !tools.Racing && !sanitizing {
					t.Errorf("%d blocks are left", held)
				}
				switch n := len(reports); {
				case c.freed || finalize:
					if n > 0 || held > 0 {
						t.Errorf("%d blocks left, %d reports, the first: %v", held, n, <-reports)
					}
				case n != 1:
					t.Errorf("%d reports", n)
				default:
					if r := <-reports; r.Mistake != Leak || r.Arena != "lost" || !strings.Contains(r.Made.String(), "memory_test.go") {
						t.Error(r)
					}
				}
			})
		}
	}
}

// TestMemoryMisbehaves checks what is said of a Memory that does not keep to its contract.
func TestMemoryMisbehaves(t *testing.T) {
	words := make([]uint64, 1<<20)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	for _, c := range []struct {
		alloc func(size int) ([]byte, error)
		want  string
	}{
		{func(size int) ([]byte, error) { return room[:size-1], nil }, "returned 4095 bytes"},
		{func(size int) ([]byte, error) { return room[:size+1], nil }, "returned 4097 bytes"},
		{func(size int) ([]byte, error) { return room[4:][:size], nil }, "at a multiple of 8"},
		{func(size int) ([]byte, error) { return nil, nil }, "returned 0 bytes"},
		{func(size int) ([]byte, error) { return room[:size], nil }, "in use"},
		{func(size int) ([]byte, error) { panic("arena: its own panic, in use") }, "in use"},
	} {
		a := NewWith(Options{Memory: badMemory(c.alloc), Report: unexpected})
		text := func() (text string) {
			defer func() { text = fmt.Sprint(recover()) }()
			New[int64](a)
			MakeSlice[byte](a, 100, 100)
			return ""
		}()
		if !strings.HasPrefix(text, "arena: ") && !strings.HasPrefix(text, "ref: ") || !strings.Contains(text, c.want) {
			t.Errorf("got %q, want %q", text, c.want)
		}
		if s := a.Stats(); s.Reserved != s.InUse/8*4096 {
			t.Errorf("%s: %+v", c.want, s)
		}
		a.Free()
		if s := a.Stats(); s.Reserved != 0 {
			t.Errorf("%s: %+v", c.want, s)
		}
	}
}

// TestMemoryOverlaps has a Memory return blocks that have a byte in common with others, at either
// end, inside or around.
func TestMemoryOverlaps(t *testing.T) {
	words := make([]uint64, 1<<20)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	const at = 1 << 20
	for _, c := range []struct {
		at, size int
		good     bool
	}{
		{at, 4096, false}, {at, 8, false}, {at - 8, 8, true}, {at - 8, 16, false}, {at + 4096, 8, true}, {at + 4088, 8, false},
		{at + 8, 8, false}, {at - 4096, 1 << 16, false}, {at - 4096, 4096, true}, {0, 1 << 21, false},
	} {
		p := &provider{memory: badMemory(func(size int) ([]byte, error) { return room[at:][:size], nil })}
		if _, err := p.alloc(4096, nil); err != nil {
			t.Fatal(err)
		}
		p.memory = badMemory(func(int) ([]byte, error) { return room[:1<<10], nil })
		if _, err := p.alloc(1<<10, nil); err != nil {
			t.Fatal(err)
		}
		p.memory = badMemory(func(size int) ([]byte, error) { return room[c.at:][:size], nil })
		r := func() (r any) {
			defer func() { r = recover() }()
			p.alloc(c.size, nil)
			return nil
		}()
		if (r == nil) != c.good || r != nil && !strings.HasPrefix(fmt.Sprint(r), "arena: Alloc") {
			t.Errorf("%d bytes at %d: %v", c.size, c.at-at, r)
		}
	}
}

// A badRegion returns what grow says for each Grow.
type badRegion struct {
	badMemory
	grow func(call, size int) ([]byte, error)
	call int
}

func (r *badRegion) Grow(size int) ([]byte, error) {
	r.call++
	return r.grow(r.call, size)
}

// TestRegionMisbehaves checks what is said of a Region that does not keep to its contract, at its
// first Grow and at later ones.
func TestRegionMisbehaves(t *testing.T) {
	words := make([]uint64, 1<<18)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	none := func(int) ([]byte, error) { return nil, errTestMemory }
	good := func(_, size int) ([]byte, error) { return room[:max(size, 8)], nil }
	later := func(n int, f func(size int) ([]byte, error)) func(call, size int) ([]byte, error) {
		return func(call, size int) ([]byte, error) {
			if call < n {
				return good(call, size)
			}
			return f(size)
		}
	}
	for what, c := range map[string]struct {
		grow  func(call, size int) ([]byte, error)
		alloc func(size int) ([]byte, error)
		want  string
	}{
		"odd":           {later(1, func(size int) ([]byte, error) { return room[1:][:size+8], nil }), none, "begins at a multiple of 8"},
		"odd later":     {later(2, func(size int) ([]byte, error) { return room[1:][:size], nil }), none, "begins at a multiple of 8"},
		"nil":           {later(1, func(int) ([]byte, error) { return nil, nil }), none, "returned 0 bytes"},
		"nil later":     {later(2, func(int) ([]byte, error) { return nil, nil }), none, "returned 0 bytes"},
		"short":         {later(1, func(int) ([]byte, error) { return room[:7], nil }), none, "returned 7 bytes"},
		"short later":   {later(3, func(size int) ([]byte, error) { return room[:size-1], nil }), none, "a Region returns what was asked for"},
		"moved":         {later(2, func(size int) ([]byte, error) { return room[64:][:size], nil }), none, "a Region does not move"},
		"moved later":   {later(4, func(size int) ([]byte, error) { return room[64:][:size], nil }), none, "a Region does not move"},
		"Alloc of it":   {good, func(size int) ([]byte, error) { return room[:size], nil }, "a part of what Grow has returned"},
		"Grow of Alloc": {good, func(size int) ([]byte, error) { return room[1<<16:][:size], nil }, "its Alloc has returned as well"},
	} {
		var a *Arena
		text := func() (text string) {
			defer func() { text = fmt.Sprint(recover()) }()
			a = NewWith(Options{Memory: &badRegion{badMemory: c.alloc, grow: c.grow}, Report: unexpected})
			for range 20 {
				Try(func() { MakeSlice[byte](a, 100, 100) })
				_, p := newTestRef[uint64](a)
				if uintptr(unsafe.Pointer(p))%8 != 0 {
					t.Fatalf("%s: a *uint64 at %p", what, p)
				}
				newTestRefSlice[uint64](a, 1000)
			}
			return ""
		}()
		if !strings.HasPrefix(text, "arena: ") && !strings.HasPrefix(text, "ref: ") || !strings.Contains(text, c.want) {
			t.Errorf("%s: got %q, want %q", what, text, c.want)
		}
		a.Free()
		if s := a.Stats(); s.Reserved != 0 {
			t.Errorf("%s: %+v", what, s)
		}
	}
}

// TestRegionSizes asks for slices of all sizes: the Region is asked for sizes that there can be,
// and what does not fit is an error.
func TestRegionSizes(t *testing.T) {
	words := make([]uint64, 1<<13)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	r := &badRegion{badMemory: func(int) ([]byte, error) { return nil, errTestMemory }, grow: func(_, size int) ([]byte, error) {
		if size < 0 || size%8 != 0 || int64(size) > 1<<35 {
			t.Errorf("Grow(%d)", size)
		}
		if size > len(room) {
			return nil, errTestMemory
		}
		return room[:max(size, 8)], nil
	}}
	a := NewWith(Options{Memory: r, Report: unexpected})
	defer a.Free()
	for b := range 36 {
		for _, by := range []int64{-4096, -9, -8, -1, 0, 1, 8} {
			n := int64(1)<<b + by
			if n < 0 || n > maxBytes {
				continue
			}
			if err := Try(func() { newTestRefSlice[byte](a, int(n)) }); err != nil && !errors.As(err, new(*MemoryError)) || err == nil && n > int64(len(room)) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}

// TestRegionSealed seals a Region that would go on giving memory: nothing that writes gets any,
// with and without room.
func TestRegionSealed(t *testing.T) {
	why := errors.New("sealed")
	r := &tellingRegion{}
	a := NewWith(Options{Memory: r, Report: unexpected})
	defer a.Free()
	ref, p := newTestRef[int64](a)
	*p = 7
	slab := testRefSlabOf[int32](a)
	slab.New()
	r.user.Seal(why)
	for what, write := range map[string]func(){
		"NewRef":                 func() { newTestRef[int64](a) },
		"NewRef of another type": func() { newTestRef[int16](a) },
		"RefSlab.New":            func() { slab.New() },
		"NewRefSlice":            func() { newTestRefSlice[byte](a, 1) },
		"a large NewRefSlice":    func() { newTestRefSlice[byte](a, 1<<20) },
		"NewRefString":           func() { newTestRefString(a, "text") },
	} {
		before := a.Stats()
		if err := Try(write); !errors.Is(err, why) || !strings.Contains(err.Error(), "cannot write to its Memory") {
			t.Errorf("%s: %v", what, err)
		}
		if after := a.Stats(); after.InUse != before.InUse || after.RefBytes != before.RefBytes {
			t.Errorf("%s: %+v became %+v", what, before, after)
		}
	}
	if *ref.Get(a) != 7 {
		t.Errorf("what was there is %d", *ref.Get(a))
	}
}

// A tellingRegion tells its arena what the test wants.
type tellingRegion struct {
	testRegion
	user region.User
}

func (r *tellingRegion) Attach(u region.User) { r.user = u }

type badMemory func(size int) ([]byte, error)

func (f badMemory) Alloc(size int) ([]byte, error) { return f(size) }
func (badMemory) Free([]byte)                      {}

// A panicky Memory spoils what Free hands it, and panics then as often as its field says.
type panicky struct{ panics, held int }

func (m *panicky) Alloc(size int) ([]byte, error) {
	m.held += size
	return make([]byte, size), nil
}

func (m *panicky) Free(b []byte) {
	m.held -= len(b)
	for i := range b {
		b[i] = 0xdb
	}
	if m.panics > 0 {
		m.panics--
		panic("a Memory that panics")
	}
}

// TestMemoryPanicsAtReset has a Reset drop chunks, and the Memory panic at that. The arena goes on
// with other memory.
func TestMemoryPanicsAtReset(t *testing.T) {
	typ := reflect.TypeFor[[2]int32]()
	for _, values := range []int{1, 3000} {
		m := &panicky{}
		a := NewWith(Options{Memory: m, Retain: -1})
		use := func() {
			for range values {
				p, b, v := New[int64](a), MakeSlice[byte](a, 5, 5), NewValue(a, typ)
				if *p != 0 || !v.Elem().IsZero() || !bytes.Equal(b, make([]byte, 5)) {
					t.Fatalf("%d values: %d, %v and %v are not zero", values, *p, v.Elem(), b)
				}
				*p, b[0] = -1, 1
				v.Elem().Index(0).SetInt(7)
			}
		}
		for round := range 4 {
			use()
			m.panics = round % 3
			func() {
				defer func() { recover() }()
				a.Reset()
			}()
			m.panics = 0
			use()
			a.Reset()
			if s := a.Stats(); s.InUse != 0 || s.Reserved != 0 || m.held != 0 {
				t.Errorf("%d values: %+v, %d bytes are not given back", values, s, m.held)
			}
		}
		a.Free()
	}
}

// TestMemoryPanicsAtRewind has a Rewind of a watched arena give chunks back, and the Memory panic
// at that. The arena goes on with other memory.
func TestMemoryPanicsAtRewind(t *testing.T) {
	for panics := range 4 {
		m := &panicky{}
		a := NewWith(Options{Memory: m})
		a.open().once = true // watched, in any program
		use := func() {
			for i := range 300 {
				p, b := New[int64](a), MakeSlice[byte](a, 5+i%2*9000, 5+i%2*9000)
				if *p != 0 || !bytes.Equal(b, make([]byte, len(b))) {
					t.Fatalf("%d panics: %d and %v are not zero", panics, *p, b[:5])
				}
				*p, b[0] = -1, 1
			}
		}
		for range 3 {
			use()
			mark := a.Mark()
			use()
			m.panics = panics
			func() {
				defer func() { recover() }()
				a.Rewind(mark)
			}()
			m.panics = 0
			use()
			if _, err := a.stores.checkInvariants(); err != nil {
				t.Fatalf("%d panics: %v", panics, err)
			}
		}
		a.Free()
		if s := a.Stats(); s.InUse != 0 || s.Reserved != 0 {
			t.Errorf("%d panics: %+v", panics, s)
		}
	}
}

// TestMemoryPanicsAtSlice has a long slice take the place of one that was kept, and the Memory
// panic at that. The arena knows all that it has.
func TestMemoryPanicsAtSlice(t *testing.T) {
	m := &panicky{}
	a := NewWith(Options{Memory: m})
	defer a.Free()
	MakeSlice[int64](a, 1, 1)
	MakeSlice[int64](a, 10_000, 10_000)
	a.Reset()
	m.panics = 1
	func() {
		defer func() { recover() }()
		MakeSlice[int64](a, 20_000, 20_000)
	}()
	if m.panics != 0 {
		t.Fatal("nothing came back")
	}
	if _, err := a.stores.checkInvariants(); err != nil {
		t.Error(err)
	}
}

// TestMemoryRefusedRegion has Grow return a part of what Alloc has returned. The arena does not
// take that for its memory from then on.
func TestMemoryRefusedRegion(t *testing.T) {
	p := &provider{}
	all := make([]byte, 64)
	p.blocks = [][]byte{all[:32:32]}
	if p.claim(all[16:48]) || p.region != nil {
		t.Errorf("the region has %d bytes", len(p.region))
	}
	if !p.claim(all[32:]) || len(p.region) != 32 {
		t.Errorf("the region has %d bytes", len(p.region))
	}
}
