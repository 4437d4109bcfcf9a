package arenapb

import (
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// The types that decoders make values of have numbers, by which plans speak of them. The first ones are those of scalars.
const (
	slab32 = iota
	slab64
	slabBool
	slabString
	slabBytes
)

var (
	slabNumbers = map[reflect.Type]int{} // guarded by planning, as is slabTypes
	slabTypes   []reflect.Type           // by number
	published   atomic.Pointer[[]reflect.Type]
)

func init() {
	for _, t := range []reflect.Type{
		slab32:     reflect.TypeFor[uint32](),
		slab64:     reflect.TypeFor[uint64](),
		slabBool:   reflect.TypeFor[bool](),
		slabString: reflect.TypeFor[string](),
		slabBytes:  reflect.TypeFor[[]byte](),
	} {
		slabFor(t)
	}
}

// slabFor returns the number of t.
func slabFor(t reflect.Type) int {
	i, ok := slabNumbers[t]
	if !ok {
		i = len(slabTypes)
		slabNumbers[t] = i
		slabTypes = append(slabTypes, t)
	}
	return i
}

// publishSlabs lets decoders know of all types that there are by now.
func publishSlabs() {
	all := slabTypes
	published.Store(&all)
}

// typeOfSlab returns the type of a number.
func typeOfSlab(i int) reflect.Type { return (*published.Load())[i] }

// scalarSlab returns the number for values of f.
func (f *field) scalarSlab() int {
	switch f.kind {
	case kindVarint32, kindSint32, kindFixed32:
		return slab32
	case kindVarint64, kindSint64, kindFixed64:
		return slab64
	case kindBool:
		return slabBool
	case kindString:
		return slabString
	}
	return slabBytes
}

// A slab is one of the arena, once it has been asked for.
type slab struct {
	arena.TypeSlab
	asked bool
	need  int // what survey has counted
}

// slabs are those of an arena, by number. There may be very many types in a program, and few in an arena.
type slabs []*[slabPage]slab

const slabPage = 32

// slab returns the slab of a number.
func (d *decoder) slab(i int) *slab {
	if page := i / slabPage; page < len(d.slabs) && d.slabs[page] != nil {
		if s := &d.slabs[page][i%slabPage]; s.asked {
			return s
		}
	}
	return d.ask(i)
}

// value returns a new zero value of the slab of a number, or one that was overwritten.
func (d *decoder) value(i int) pointer {
	if faulty {
		step()
	}
	if d.free != nil {
		if p := d.reuse(i); p != nil {
			return p
		}
	}
	return d.slab(i).New()
}

// ask asks the arena for a slab.
//
//go:noinline
func (d *decoder) ask(i int) *slab {
	page := i / slabPage
	if page >= len(d.slabs) {
		d.slabs = append(d.slabs, make(slabs, page+1-len(d.slabs))...)
	}
	if d.slabs[page] == nil {
		d.slabs[page] = new([slabPage]slab)
	}
	s := &d.slabs[page][i%slabPage]
	*s = slab{TypeSlab: arena.SlabOfType(d.a, typeOfSlab(i)), asked: true}
	return s
}

// clear forgets all of them.
func (s slabs) clear() {
	for _, page := range s {
		if page != nil {
			clear(page[:])
		}
	}
}
