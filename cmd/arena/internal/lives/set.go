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

// A watch has the instances that have read some sets since these grew. They have to be visited
// again when the sets grow.
type watch struct {
	owner   *instance   // it reads them, whether it has been visited or not
	readers []*instance // some are there twice
	most    int         // readers before those that are there twice are dropped
}

// add notes that an instance reads.
func (w *watch) add(in *instance) {
	if w == nil || in == nil || len(w.readers) > 0 && w.readers[len(w.readers)-1] == in {
		return
	}
	w.readers = append(w.readers, in)
	if len(w.readers) > w.most+16 {
		seen := map[*instance]bool{}
		w.readers = slices.DeleteFunc(w.readers, func(in *instance) bool {
			twice := seen[in]
			seen[in] = true
			return twice
		})
		w.most = 2 * len(w.readers)
	}
}

// grown has the readers be visited again. They read then.
func (w *watch) grown() {
	if w == nil {
		return
	}
	if w.owner != nil {
		w.owner.dirty = true
	}
	for _, in := range w.readers {
		in.dirty = true
	}
	w.readers = w.readers[:0]
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
