package arenajson

import (
	"reflect"

	"github.com/arena-go/arena"
)

// A slab is one of the arena, once it has been asked for.
type slab struct {
	arena.TypeSlab
	asked bool
}

// slabs are those of an arena, by number. There may be very many types in a program, and few in an arena.
type slabs []*[slabPage]slab

const slabPage = 32

// slab returns the slab of a number. There is an arena.
func (d *decoder) slab(i int) *slab {
	if page := i / slabPage; page < len(d.slabs) && d.slabs[page] != nil {
		if s := &d.slabs[page][i%slabPage]; s.asked {
			return s
		}
	}
	return d.ask(i)
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
	*s = slab{arena.SlabOfType(d.a, typeOfSlab(i).elem), true}
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

// new returns a new zero value of the type of that number.
func (d *decoder) new(i int) pointer {
	if d.a == nil {
		return addressOf(reflect.New(typeOfSlab(i).elem))
	}
	return d.slab(i).New()
}

// newSlice returns n new zero values of the type of that number.
func (d *decoder) newSlice(i, n int) pointer {
	if d.a == nil {
		return addressOf(reflect.MakeSlice(typeOfSlab(i).slice, n, n))
	}
	return d.slab(i).Slice(n)
}
