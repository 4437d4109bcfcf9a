package share

// Locals are the values of arenakit.Local of one arena. The zero Locals are empty.
type Locals []local

// A local is the value for one type.
type local struct {
	value any
	known bool                                // the arena has it already
	reset interface{ ArenaReset(again bool) } // the value, if it is to be told
}

// Local returns the T in ls, a new one if there is none, and reports whether the arena asks for it
// for the first time.
func Local[T any](ls *Locals) (v *T, first bool) {
	for i := range *ls {
		l := &(*ls)[i]
		if v, ok := l.value.(*T); ok {
			first = !l.known
			l.known = true
			return v, first
		}
	}
	v = new(T)
	l := local{value: v, known: true}
	l.reset, _ = l.value.(interface{ ArenaReset(again bool) })
	*ls = append(*ls, l)
	return v, true
}

// Reset tells the values of a Reset, and whether the arena uses its memory again.
func (ls Locals) Reset(again bool) {
	for i := range ls {
		if r := ls[i].reset; r != nil {
			r.ArenaReset(again)
		}
	}
}

// Add adds v, which learns of Resets. Close forgets v unless v says that nobody has it.
func (ls *Locals) Add(v interface{ ArenaReset(again bool) }) {
	*ls = append(*ls, local{value: v, known: true, reset: v})
}

// Rewind tells the values, but for one, that some of what the arena has handed out is stale, and
// the rest is not.
func (ls Locals) Rewind(but any) {
	for i := range ls {
		if r := ls[i].reset; r != nil && ls[i].value != but {
			r.ArenaReset(false)
		}
	}
}

// Retain lets the values keep at most the given number of bytes, and returns the remaining number
// of bytes.
func (ls Locals) Retain(most int64) int64 {
	for _, l := range ls {
		if r, ok := l.value.(interface{ ArenaRetain(most int64) (kept int64) }); ok {
			most = max(most-r.ArenaRetain(most), 0)
		}
	}
	return most
}

// Close forgets the values, except those that say that nobody has them. The arena has these already
// if it is the next one that asks for them. Otherwise another one does.
func (ls *Locals) Close(same bool) {
	kept := 0
	for _, l := range *ls {
		if v, ok := l.value.(interface{ ArenaIdle() bool }); ok && v.ArenaIdle() {
			l.known = l.known && same
			(*ls)[kept] = l
			kept++
		}
	}
	clear((*ls)[kept:])
	*ls = (*ls)[:kept]
}
