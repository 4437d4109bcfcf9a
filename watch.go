package arena

import (
	"cmp"
	"reflect"
	"slices"
)

// watched tells whether the arena uses no memory again after Reset. Its memory is retired then, and the collector
// takes it when nothing points at it any more. That is so in guard mode, and in programs that are built to find
// mistakes: with the race detector, with the address sanitizer, or with the tag arenadebug.
func (st *stores) watched() bool { return racing || sanitizing || filling || st.guard != nil }

// retire tells everybody who watches that what the arena has handed out must not be used any more. The caller
// drops it.
func (st *stores) retire() {
	var all []extent
	for _, s := range st.active {
		all = s.extents(all)
	}
	all = st.plain.chunks.extents(all, reflect.TypeFor[byte]())
	if st.refs != nil {
		all = st.refs.extents(all)
	}
	if len(st.left) > 0 {
		slices.SortFunc(st.left, func(x, y extent) int { return cmp.Compare(x.at.address(), y.at.address()) })
		var rest []extent
		for _, m := range all {
			rest = m.without(rest, st.left)
		}
		all, st.left = rest, nil
	}
	if st.guard != nil {
		st.guard.retire(st, all)
	} else if filling {
		for _, m := range all {
			if kindOf(m.typ) == kindPlain {
				m.fill()
			}
		}
	}
	for _, m := range all {
		poison(m)
	}
	if racing {
		if st.provider != nil {
			// What goes back to a Memory is not ours any more, and is written to by it.
			all = slices.DeleteFunc(all, func(m extent) bool { _, ok := st.provider.find(m.at.address()); return ok })
		}
		markEnded(all)
	}
}

// watched is stores.watched of an arena that may be nil, or closed.
func (a *Arena) watched() bool {
	return racing || sanitizing || filling || a != nil && a.stores != nil && a.stores.guard != nil
}

// left tells everybody who watches that the contents of m, a part of the memory of a, have moved, and that m must
// not be used any more. m is left out when a is retired later: two writes in no known order, told to the race
// detector, are a race.
func (a *Arena) left(m extent) {
	var st *stores
	if a != nil {
		st = a.stores
	}
	plain := kindOf(m.typ) == kindPlain
	if st != nil {
		st.left = append(st.left, m)
	}
	if st != nil && st.guard != nil {
		st.guard.left(m)
	} else if filling && plain {
		m.fill()
	}
	poison(m)
	if st == nil || st.provider == nil || !plain {
		markLeft(m)
	}
}

// handOut makes m, of slots of size bytes, good for the address sanitizer.
func handOut[B block[B]](m B, size int) {
	if sanitizing {
		unpoison(extent{m.start(), m.slots() * size, nil})
	}
}
