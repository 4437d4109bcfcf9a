package arenajson

import (
	"sync"
	"sync/atomic"
)

// repeats has strings of a document that were copied, so that equal jsonwire.Ones share their
// memory, as with encoding/json of Go 1.27. To find a string takes less time than to copy it, but
// to look for one in vain takes more than finding one saves. So the search ends where too many are
// not found.
//
// Invariants: table is nil where strings are not looked for. Only the entries of used are not zero.
// A table that goes back to tables is all zero, because what entries refer to lies in the arena.
type repeats struct {
	table        *[1 << mostRepeats]repeat
	shift        uint8         // of a product, for the place in the table
	hits, misses int           // since it was asked last whether it is worth while
	off          *atomic.Int32 // of learned: how many documents to come in which strings are not looked for
}

// A repeat is a string of the document that a repeats has.
type repeat struct {
	word uint64 // its firstWord
	at   int    // where in the document it begins, behind its quote
	s    string
}

const (
	// 1<<fewRepeats entries of a table are in use for short documents, and 1<<mostRepeats for
	// documents of at least longText bytes. After as many strings that were not found, consider
	// decides whether the search goes on.
	fewRepeats, mostRepeats = 6, 8
	longText                = 16 << 10
	// Strings are looked for in documents of at least leastRepeats bytes. A table has strings of at
	// most longestRepeat bytes.
	leastRepeats, longestRepeat = 4 << 10, 256
	// passRepeats is how many documents of a plan pass without a search after one in which it has
	// ended.
	passRepeats = 15
)

// tables has tables that are zero.
var tables = sync.Pool{New: func() any { return new([1 << mostRepeats]repeat) }}

// begin prepares r for a document of size bytes, if it is to be used. always says that off does not
// matter.
func (r *repeats) begin(size int, off *atomic.Int32, always bool) {
	if !always && off.Load() > 0 {
		off.Add(-1)
		return
	}
	r.table, r.off = tables.Get().(*[1 << mostRepeats]repeat), off
	r.hits, r.misses = 0, 0
	if r.shift = 64 - fewRepeats; size >= longText {
		r.shift = 64 - mostRepeats
	}
}

// used returns the part of the table that is in use.
func (r *repeats) used() []repeat { return r.table[:1<<(64-r.shift)] }

// consider ends the search unless three of five strings were found.
func (r *repeats) consider() {
	if 2*r.hits < 3*r.misses {
		r.off.Store(passRepeats)
		r.end()
	}
	r.hits, r.misses = 0, 0
}

// end gives the table back.
func (r *repeats) end() {
	clear(r.used())
	tables.Put(r.table)
	*r = repeats{}
}

// release is for the end of a document.
func (r *repeats) release() {
	if r.table != nil {
		r.consider()
	}
	if r.table != nil {
		r.end()
	}
}

// repeated is str where the string may be one that r has.
func (d *decoder) repeated(r *repeats, i int) (s string, end int) {
	if r.table == nil {
		return d.str(i)
	}
	text := d.text
	w := text.FirstWord(i)
	e := &r.table[byte(w*0x9e3779b97f4a7c15>>(r.shift&63))]
	if n := len(e.s); w == e.word && n != 0 && n < d.size-i {
		// The rest is compared in words, the last of which ends with the quote. None begins behind
		// what was equal so far.
		k := 8
		for k < n-7 && text.Word(i+k) == text.Word(e.at+k) {
			k += 8
		}
		if n < 8 || k >= n-7 && text.Word(i+n-7) == text.Word(e.at+n-7) {
			r.hits++
			return e.s, i + n + 1
		}
	}
	s, end = d.str(i)
	// If the first quote does not end the string, its word has to be a whole one: for a string with
	// escapes, which may have as many bytes as the text.
	if n := len(s); n > 0 && n <= longestRepeat && end == i+n+1 && (n < 8 && byte(w>>(8*n)) == '"' || n >= 8 && w>>56 != 0) {
		*e = repeat{w, i, s}
	}
	if r.misses++; r.misses == len(r.used()) {
		r.consider()
	}
	return s, end
}
