package arenajson

import (
	"reflect"

	"github.com/arena-go/arena"
)

// A slab is one of the arena, once it has been asked for.
type slab struct {
	arena.TypeSlab
	asked bool
	made  int // values that were made, since the arena was new
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
	*s = slab{TypeSlab: arena.SlabOfType(d.a, typeOfSlab(i).elem), asked: true}
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
	s := d.slab(i)
	s.made++
	return s.New()
}

// newSlice returns n new zero values of the type of that number.
func (d *decoder) newSlice(i, n int) pointer {
	if d.a == nil {
		return addressOf(reflect.MakeSlice(typeOfSlab(i).slice, n, n))
	}
	s := d.slab(i)
	s.made += n
	return s.Slice(n)
}

// needs say how many values of each type a document took that was decoded into a new arena.
type needs struct {
	size int // of the document
	sum  int // of values
	of   []need
}

type need struct{ slab, count int }

// expect tells the slabs of d, whose arena is new, what the document will take of them if it is like the last one of its type. Without that, a slab
// begins with little memory, doubles it, and leaves behind what no longer fits.
func (p *plan) expect(d *decoder) {
	n := p.needs.Load()
	if n == nil {
		return
	}
	for _, need := range n.of {
		if count := int(float64(need.count) * float64(d.size) / float64(n.size)); count > 1 {
			d.slab(need.slab).Expect(count + count/16)
		}
	}
}

// learn notes what the document has taken, unless that is what was expected.
func (d *decoder) learn() {
	d.learnLetters()
	if !d.first {
		return
	}
	n := &needs{size: max(d.size, 1)}
	for page, slabs := range d.slabs {
		if slabs == nil {
			continue
		}
		for i := range slabs {
			if made := slabs[i].made; made > 0 {
				n.of = append(n.of, need{page*slabPage + i, made})
				n.sum += made
			}
		}
	}
	if old := d.root.needs.Load(); old == nil || n.share() < old.share()/2 || n.share() > old.share()*2 {
		d.root.needs.Store(n)
	}
}

// share is how many values there are for each byte.
func (n *needs) share() float64 { return float64(n.sum) / float64(n.size) }
