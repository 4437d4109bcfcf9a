package ref

import (
	"reflect"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// A Slab makes values of one type with references to them in an arena. It is to [New] what
// [arena.Slab] is to [arena.New]: a handle for hot loops, whose New is inlined.
//
// [SlabOf] returns the Slab of a Space. It belongs to the Space: Reset of the arena empties it, and
// when the Space has ended its New panics. It must not be copied: a copy returns the same
// references as the original, and panics when it needs more memory.
type Slab[T any] struct {
	_ noCopy
	notText
	run region.Run // not embedded: the compiler would make its methods for each type
}

// New returns a reference to a new zero value. See the function [New].
func (s *Slab[T]) New() Of[T] { return Of[T]{off: region.Next(&s.run)} }

// SlabOf returns the slab of s for references to values of type T, which New[T](s) also uses. It
// panics as the function New does.
func SlabOf[T any](s Space) *Slab[T] { return typedRun[T](runOf[T](s)) }

// runOf returns the run of s for T, a new one if there is none.
func runOf[T any](s Space) *region.Run {
	region.Open(s.at)
	id := mem.TypeID[T]()
	if r := region.RunOf(s.at, id); r != nil {
		return r
	}
	mustBePlain[T]("New")
	return region.NewRun(s.at, id, reflect.TypeFor[T]())
}

// noCopy lets go vet find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
