package arenajson

import (
	"iter"
	"reflect"

	"github.com/arena-go/arena/arenakit"
)

// A slab is one of the arena, once it has been asked for.
type slab struct {
	arenakit.Slab
	asked bool
	made  int // values that were made, since the arena was new
	most  int // as many as that at one time, if some were returned
}

// peak is how many values there was room for at one time.
func (s *slab) peak() int { return max(s.made, s.most) }

// slabs are an arena's slabs, by number. There may be very many types in a program, and few in an
// arena.
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
	*s = slab{Slab: arenakit.SlabOf(d.a, typeOfSlab(i).elem), asked: true}
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
		t := typeOfSlab(i).elem
		d.made += int(t.Size())
		return addressOf(reflect.New(t))
	}
	s := d.slab(i)
	p := s.New()
	s.made++ // and not for what there is no memory for
	return p
}

// newSlice returns n new zero values of the type of that number.
func (d *decoder) newSlice(i, n int) pointer {
	if d.a == nil {
		d.made += n * int(typeOfSlab(i).elem.Size())
		return d.onHeap(i, n)
	}
	s := d.slab(i)
	p := s.Slice(n)
	s.made += n
	return p
}

// all are the slabs of which there were values, with their numbers.
func (s slabs) all() iter.Seq2[int, *slab] {
	return func(yield func(int, *slab) bool) {
		for page, slabs := range s {
			if slabs == nil {
				continue
			}
			for i := range slabs {
				if slabs[i].made > 0 && !yield(page*slabPage+i, &slabs[i]) {
					return
				}
			}
		}
	}
}
