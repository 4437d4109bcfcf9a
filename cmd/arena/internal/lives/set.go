package lives

import (
	"math/bits"
	"slices"
)

// A set has numbers of objects, as bits. The zero set is empty.
type set struct {
	words []uint64
	watch *watch // who reads it, if that is known
}

// A watch has the instances that read some sets, and have to be visited again when these grow.
type watch struct{ readers []*instance }

func (w *watch) add(in *instance) {
	if w != nil && in != nil && !slices.Contains(w.readers, in) {
		w.readers = append(w.readers, in)
	}
}

func (w *watch) grown() {
	if w != nil {
		for _, in := range w.readers {
			in.dirty = true
		}
	}
}

// Insert adds a number, and tells whether it was not there.
func (s *set) Insert(n int) bool {
	for n/64 >= len(s.words) {
		s.words = append(s.words, 0)
	}
	old := s.words[n/64]
	s.words[n/64] |= 1 << (n % 64)
	return s.words[n/64] != old
}

// Has tells whether a number is there.
func (s *set) Has(n int) bool { return n/64 < len(s.words) && s.words[n/64]>>(n%64)&1 != 0 }

// UnionWith adds all of another set, and tells whether anything was not there.
func (s *set) UnionWith(o *set) (changed bool) {
	for len(s.words) < len(o.words) {
		s.words = append(s.words, 0)
	}
	for i, w := range o.words {
		if s.words[i]|w != s.words[i] {
			s.words[i] |= w
			changed = true
		}
	}
	return changed
}

// Copy makes s equal to another set.
func (s *set) Copy(o *set) { s.words = append(s.words[:0], o.words...) }

// Len returns how many numbers there are.
func (s *set) Len() (n int) {
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// IsEmpty tells whether there are none.
func (s *set) IsEmpty() bool { return s.Len() == 0 }

// AppendTo appends the numbers to a slice.
func (s *set) AppendTo(all []int) []int {
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			all = append(all, i*64+bits.TrailingZeros64(w))
		}
	}
	return all
}

// meets tells whether two sets have a number in common, old apart.
func (s *set) meets(o *set) bool {
	for i := range min(len(s.words), len(o.words)) {
		w := s.words[i] & o.words[i]
		if i == 0 {
			w &^= 1 << old
		}
		if w != 0 {
			return true
		}
	}
	return false
}
