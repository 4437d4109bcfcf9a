// Package slabs numbers the types that decoders make values of, and finds the slabs of an arena by
// these numbers.
package slabs

import (
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// The first numbers are the numbers of scalars.
const (
	Of32 = iota
	Of64
	OfBool
	OfString
	OfBytes
)

var (
	mu        sync.Mutex
	numbers   = map[reflect.Type]int{}       // guarded by mu
	published atomic.Pointer[[]reflect.Type] // by number; mu guards the storing
)

func init() {
	published.Store(new([]reflect.Type))
	for _, t := range []reflect.Type{
		Of32:     reflect.TypeFor[uint32](),
		Of64:     reflect.TypeFor[uint64](),
		OfBool:   reflect.TypeFor[bool](),
		OfString: reflect.TypeFor[string](),
		OfBytes:  reflect.TypeFor[[]byte](),
	} {
		Number(t)
	}
}

// Number returns the number of t, which it gets at the first call. Goroutines may call it at the
// same time.
func Number(t reflect.Type) int {
	mu.Lock()
	defer mu.Unlock()
	i, ok := numbers[t]
	if !ok {
		all := *published.Load()
		i = len(all)
		numbers[t] = i
		all = append(all, t)
		published.Store(&all)
	}
	return i
}

// Type returns the type of a number that Number has returned.
func Type(i int) reflect.Type { return (*published.Load())[i] }

// A Slab is one of an arena, once it has been asked for.
type Slab struct {
	arenakit.Slab
	arena  *arena.Arena // that the arenakit.Slab is of
	Need   int          // how many values a survey has counted
	Length int          // of the list that was decoded last, where its elements are not counted before
}

// A Set has the slabs of an arena, by number. There may be very many types in a program, and few in
// an arena. The zero Set is empty. When the next arena uses a Set, each slab is asked for again,
// which takes little time where that arena goes on with the slabs of the one before.
type Set []*[page]Slab

const page = 32

// nobody is the arena of slabs that nobody has asked for. The heap's arena is nil.
var nobody = arena.NewArena()

// Of returns the slab of a number, of a.
func (s *Set) Of(a *arena.Arena, i int) *Slab {
	if n := uint(i) / page; n < uint(len(*s)) {
		if p := (*s)[n]; p != nil && p[uint(i)%page].arena == a {
			return &p[uint(i)%page]
		}
	}
	return s.ask(a, i)
}

// ask asks the arena for a slab.
//
//go:noinline
func (s *Set) ask(a *arena.Arena, i int) *Slab {
	n := i / page
	if n >= len(*s) {
		*s = append(*s, make(Set, n+1-len(*s))...)
	}
	if (*s)[n] == nil {
		(*s)[n] = new([page]Slab)
		for j := range (*s)[n] {
			(*s)[n][j].arena = nobody
		}
	}
	slab := &(*s)[n][i%page]
	h, ok := slab.For(a)
	if !ok {
		h = arenakit.SlabOf(a, Type(i))
	}
	slab.Slab, slab.arena = h, a
	return slab
}

// Expect ends a survey: each slab makes room for what it needs, if ok. The needs are zero then.
func (s Set) Expect(ok bool) {
	for _, p := range s {
		if p == nil {
			continue
		}
		for i := range p {
			if slab := &p[i]; slab.Need > 0 {
				if ok {
					slab.Expect(slab.Need)
				}
				slab.Need = 0
			}
		}
	}
}
