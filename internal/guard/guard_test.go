package guard

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/testrun"
)

// An arena has a Guard, and what it has handed out. That is on the heap where the Guard has none.
type arena struct {
	*owner
	guard *Guard
	all   []Memory
}

// An owner is the Owner of an arena, with what was reported to it.
type owner struct {
	name  string
	found []Finding
}

func (o *owner) ArenaName() string   { return o.name }
func (o *owner) Report(f Finding)    { o.found = append(o.found, f) }
func (o *owner) Error(Finding) error { return nil }
func (o *owner) Text(Finding) string { return "text" }

func newArena(most int) *arena {
	o := &owner{}
	return &arena{owner: o, guard: New(o, most, true)}
}

// bytes returns n > 0 new bytes.
func (a *arena) bytes(n int) []byte {
	t := reflect.TypeFor[byte]()
	b := a.guard.Alloc(n, t)
	if b == nil {
		b = make([]byte, n)
	}
	a.all = append(a.all, MemoryOf(b, t, true))
	return b
}

// put returns a new v, whose type is not plain.
func put[T any](a *arena, v T) *T {
	a.all = append(a.all, memoryOf(&v))
	return &v
}

func memoryOf[T any](p *T) Memory {
	return MemoryOf(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)), reflect.TypeFor[T](), false)
}

// end ends all that was handed out.
func (a *arena) end(e Event) {
	all := a.all
	a.all = nil
	a.guard.Retire(all, End{Event: e})
	LetOut()
}

// wardsLeft waits until at most this number of wards are left: nobody uses the others.
func wardsLeft(t *testing.T, want int) {
	t.Helper()
	if !testrun.Collect(func() bool { return Wards() <= want }) {
		t.Fatalf("%d wards are left, want %d", Wards(), want)
	}
}

// faults returns what the access of f to memory that cannot be accessed is, if it is one.
func faults(f func()) (found Finding, ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			if found, ok = At(v.(interface{ Addr() uintptr }).Addr()); !ok {
				panic(v)
			}
		}
	}()
	f()
	return Finding{}, false
}

// TestGuard has arenas hand out memory that ends, or is left, and compares what an access to each
// piece is with what is known of it.
func TestGuard(t *testing.T) {
	Empty()
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	type piece struct {
		b     []byte
		what  string
		ended *Event
	}
	rounds := 200
	if !testrun.Long() {
		rounds = 20
	}
	for round := range rounds {
		a := newArena([]int{MaxFenced, MaxSampled}[r.IntN(2)])
		var pieces []*piece
		for range 1 + r.IntN(40) {
			p := &piece{what: "values of type uint8"}
			if r.IntN(2) == 0 {
				p.what = "what the test makes"
				a.guard.Expect(p.what)
			}
			p.b = a.bytes(1 + r.IntN(20000))
			a.guard.Expect("")
			if n := len(p.b); r.IntN(4) == 0 && n > 8 {
				p.b = p.b[8:]
				a.guard.HandedOut(p.b)
			}
			if a.guard.fenced >= a.guard.most && cap(p.b) <= sharedSize/4 {
				p.what = "" // it shares its pages
			}
			pieces = append(pieces, p)
			for _, b := range p.b {
				if b != 0 {
					t.Fatalf("round %d: new memory is not zero", round)
				}
			}
			if r.IntN(10) == 0 && p.what != "" && p.ended == nil {
				e := Growth
				p.ended = &e
				a.guard.Left(MemoryOf(p.b, reflect.TypeFor[byte](), true), End{Event: Growth})
			}
		}
		check := func(p *piece) {
			i := r.IntN(len(p.b))
			f, ok := faults(func() { p.b[i]++ })
			switch {
			case ok != (p.ended != nil):
				t.Fatalf("round %d: a fault: %t, ended: %v", round, ok, p.ended)
			case ok && (f.Owner != a.owner || f.End.Event != *p.ended || f.Addr != address(p.b)+uintptr(i) || f.Written):
				t.Fatalf("round %d: %+v, want %v", round, f, *p.ended)
			case ok && p.what != "" && f.Detail != fmt.Sprintf("byte %d of %d bytes, %s", i, len(p.b), p.what):
				t.Fatalf("round %d: %q of byte %d of %d, %s", round, f.Detail, i, len(p.b), p.what)
			}
			if ok || p.what == "" {
				return
			}
			// The end of what has pages of its own is the end of what can be accessed.
			f, ok = faults(func() { *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.b)), len(p.b)))++ })
			if !ok || f.End != nil || f.Detail != fmt.Sprintf("0 bytes behind the end of %d bytes, %s", len(p.b), p.what) {
				t.Fatalf("round %d: past the end: %t, %+v", round, ok, f)
			}
		}
		for _, p := range pieces {
			check(p)
		}
		e := Event(r.IntN(2))
		a.end(e)
		for _, p := range pieces {
			if p.ended == nil {
				p.ended = &e
			}
			check(p)
		}
		if len(a.found) > 0 {
			t.Fatalf("round %d: found %+v", round, a.found)
		}
	}
	Empty()
	wardsLeft(t, 0)
}

// TestGuardFinalizer checks that what is handed out does not begin where its object does: the
// program could take away the finalizer there.
func TestGuardFinalizer(t *testing.T) {
	a := newArena(MaxFenced)
	for _, n := range []int{1, 1 << 12, 1 << 13, 1 << 16} {
		if b := a.bytes(n); address(b) == a.guard.wards[len(a.guard.wards)-1].lo {
			t.Errorf("%d bytes begin where their object does", n)
		}
	}
	a.end(Free)
	Empty()
}
