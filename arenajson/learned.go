package arenajson

import (
	"math"
	"sync/atomic"
)

// What decoding teaches is kept next to the plans, for the documents to come, and all that changes
// is here. Any goroutine reads and writes it at any time: a note that is lost, or is of another
// document, costs time or memory, and no result depends on it. Where memory is limited, nothing is
// used that was learned of the documents of others.

// learned is what the documents of one type have taught.
type learned struct {
	needs atomic.Pointer[needs]
	// letters is how much of a document is text that is kept, in 1/1024 and one more, or 0 before
	// the first document.
	letters atomic.Int32
	// names and values are how many documents to come in which strings are not looked for, see
	// repeats.
	names, values atomic.Int32
}

// learnedSlice is what the slices of one type have taught.
type learnedSlice struct {
	length atomic.Int32 // how many elements the last one had that was long, see longSlice
}

// learnedField is what the objects of one type have taught of a field.
type learnedField struct {
	next atomic.Pointer[fieldPlan] // the field that is expected after this one
}

// learnNext is how many names are not those that were expected until one of them is noted, to be
// expected from then on. That costs more than a look into the table.
const learnNext = 16

// member returns the field whose name's text begins at i, which is not the expected one
// after another one, and the position behind the name's quote, or -1.
func (d *decoder) member(o *objectPlan, before *fieldPlan, i int) (f *fieldPlan, end int) {
	f, end = d.find(o, i)
	if d.opt.V2 && !f.follows(before) {
		d.doubt = true
		return f, end
	}
	if d.unexpected++; d.unexpected%learnNext == 0 && f != &o.none {
		before.learned.next.Store(f)
	}
	return f, end
}

// learn notes that there was a slice of n elements.
func (l *learnedSlice) learn(n int) {
	if int(l.length.Load()) != n {
		l.length.Store(int32(min(n, math.MaxInt32)))
	}
}

// needs say for how many values of each type a document took room that was decoded into a new
// arena.
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

// expect tells the slabs of d, whose arena is new, what the document will take of them if it is
// like the last one of its type. Without that, a slab begins with little memory, doubles it, and
// leaves behind what no longer fits.
func (l *learned) expect(d *decoder) {
	n := l.needs.Load()
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
	if old := d.root.learned.needs.Load(); old != nil {
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
	d.root.learned.needs.Store(n)
}

// learnLetters notes which share of the document was text that is kept, unless it is about the
// share that is noted already.
func (d *decoder) learnLetters() {
	share := int32(min(int64(d.letters.sum+d.letters.used)*1024/int64(max(d.size, 1)), 1024)) + 1
	if old := d.root.learned.letters.Load(); share > old+old/16 || share < old-old/16 {
		d.root.learned.letters.Store(share)
	}
}
