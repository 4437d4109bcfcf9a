package arenajson

import (
	"iter"
	"math"
	"reflect"

	"github.com/arena-go/arena"
)

// A slab is one of the arena, once it has been asked for.
type slab struct {
	arena.TypeSlab
	asked bool
	made  int // values that were made, since the arena was new
	most  int // as many as that at one time, if some were given back
}

// peak is how many values there was room for at one time.
func (s *slab) peak() int { return max(s.made, s.most) }

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
		t := typeOfSlab(i).elem
		d.made += int(t.Size())
		return addressOf(reflect.New(t))
	}
	s := d.slab(i)
	s.made++
	return s.New()
}

// newSlice returns n new zero values of the type of that number.
func (d *decoder) newSlice(i, n int) pointer {
	if d.a == nil {
		d.made += n * int(typeOfSlab(i).elem.Size())
		return d.onHeap(i, n)
	}
	s := d.slab(i)
	s.made += n
	return s.Slice(n)
}

// needs say for how many values of each type a document took room that was decoded into a new arena.
type needs struct {
	size  int     // of the document
	share float64 // of values, for each byte
	times int     // that it was learnt
	of    []need
}

type need struct{ slab, count int }

// fewTimes is how many times needs are learnt anew where they differ little.
const fewTimes = 8

// fewBytes is how many bytes the first memory of a slab has room for.
const fewBytes = 248

// expect tells the slabs of d, whose arena is new, what the document will take of them if it is like the last one of its type. Without that, a slab
// begins with little memory, doubles it, and leaves behind what no longer fits.
func (p *plan) expect(d *decoder) {
	n := p.needs.Load()
	if n == nil {
		return
	}
	left := math.Inf(1)
	if d.limit > 0 {
		left = float64(d.limit / 8)
	}
	for _, need := range n.of {
		each := float64(typeOfSlab(need.slab).elem.Size())
		bytes := min(float64(need.count)*17/16*float64(d.size)/float64(n.size)*each, left)
		if bytes > fewBytes {
			d.slab(need.slab).Expect(int(bytes / each))
			left -= bytes
		}
	}
}

// learn notes what the document has taken, unless that is what was expected.
func (d *decoder) learn() {
	d.learnLetters()
	if !d.first {
		return
	}
	sum, size := 0, max(d.size, 1)
	for _, s := range d.slabs.all() {
		sum += s.peak()
	}
	share := float64(sum) / float64(size)
	times := 0
	if old := d.root.needs.Load(); old != nil {
		// The first documents take more than others, because little is known of them.
		near := 2.0
		if old.times < fewTimes {
			near = 1.05
		}
		if share >= old.share/near && share <= old.share*near {
			return
		}
		times = old.times + 1
	}
	n := &needs{size: size, share: share, times: times}
	for i, s := range d.slabs.all() {
		n.of = append(n.of, need{i, s.peak()})
	}
	d.root.needs.Store(n)
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
