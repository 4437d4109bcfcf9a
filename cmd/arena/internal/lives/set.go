package lives

import (
	"slices"

	"golang.org/x/tools/container/intsets"
)

// A set has numbers of objects. The zero set is empty.
type set struct {
	intsets.Sparse
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

// UnionWith adds all of another set, and tells whether anything was not there.
func (s *set) UnionWith(o *set) bool { return s.Sparse.UnionWith(&o.Sparse) }

// Copy makes s equal to another set.
func (s *set) Copy(o *set) { s.Sparse.Copy(&o.Sparse) }

// meets tells whether two sets have a number in common, old apart.
func (s *set) meets(o *set) bool {
	if !s.Intersects(&o.Sparse) {
		return false
	}
	var both intsets.Sparse
	both.Intersection(&s.Sparse, &o.Sparse)
	both.Remove(old)
	return !both.IsEmpty()
}
