package arena

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/region"
)

// Stats says what is in an arena. Counts and bytes are of what was allocated since the last Reset,
// with the whole capacity of slices.
type Stats struct {
	InUse     int64 // bytes allocated since the last Reset, without padding; the sum over Types
	Reserved  int64 // bytes of all chunks, used or kept; Options.Limit bounds them
	Peak      int64 // the largest InUse so far
	Chunks    int   // number of chunks
	Resets    int64 // number of Resets since first use
	RefBytes  int64 // bytes handed out in the memory in which references lie since the last Reset, with padding; in a Region those up to the next reference
	LimitHits int64 // number of allocations that failed with a [*LimitError]; an arena of a Group has the Group's number
	Freed     bool  // Free was called
	Types     []TypeStats
}

// TypeStats says how much of one type is in an arena.
type TypeStats struct {
	Name  string       // Type.String(), or "text"
	Type  reflect.Type // nil for text, which is the bytes of strings
	Count int64        // values of the type, with the elements of slices; for text the number of strings
	Bytes int64
}

// Stats returns what is in the arena, with the types in order of their bytes, the largest first. It
// walks all types in the arena. The Stats of a nil arena are zero. The Stats of an arena that was
// freed, or is in a Pool, have only Peak, Resets, LimitHits and Freed.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	if a.stores != nil {
		a.check()
		a.checkStores()
		return a.stores.stats()
	}
	return a.stats()
}

// stats returns the Stats but for what is in the arena now.
func (a *Arena) stats() Stats {
	limits := int64(0)
	if a.opt != nil {
		limits = a.opt.limitHits()
	}
	peak, resets := a.was()
	if st := a.stores; st != nil {
		peak, resets = st.peak, st.resets
	}
	return Stats{Peak: peak, Resets: resets, LimitHits: limits, Freed: a.life.state() == stateFreed}
}

// stats returns the Stats of the arena.
func (st *stores) stats() Stats {
	stats := st.arena.stats()
	stats.add(st)
	stats.sort()
	stats.Peak = max(stats.Peak, stats.InUse)
	return stats
}

// add adds what is in st.
func (stats *Stats) add(st *stores) {
	stats.InUse += st.inUse()
	stats.Reserved += st.reserved
	stats.Chunks += st.plain.chunks.count()
	refs := region.StatsOf(st.space, func(t reflect.Type, count, bytes int64) {
		stats.addType(TypeStats{t.String(), t, count, bytes})
	})
	stats.Chunks += refs.Chunks
	stats.RefBytes += refs.Used
	text := st.plain.text
	text.count += refs.Text.Count
	text.bytes += refs.Text.Bytes
	for _, s := range st.all {
		stats.Chunks += s.chunks.count()
		count, bytes := s.used()
		typ, plain := s.typ(), s.plainItems
		if count += plain; count > 0 {
			bytes += int64(plain) * int64(typ.Size())
			stats.addType(TypeStats{typ.String(), typ, int64(count), bytes})
		}
	}
	if text.count > 0 {
		stats.addType(TypeStats{"text", nil, text.count, text.bytes})
	}
}

// addType adds t to what there is of the type, which may be in several arenas of a Group.
func (stats *Stats) addType(t TypeStats) {
	i := slices.IndexFunc(stats.Types, func(u TypeStats) bool { return u.Type == t.Type })
	if i < 0 {
		stats.Types = append(stats.Types, t)
		return
	}
	stats.Types[i].Count += t.Count
	stats.Types[i].Bytes += t.Bytes
}

// sort sorts the types.
func (stats *Stats) sort() {
	slices.SortFunc(stats.Types, func(x, y TypeStats) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Name, y.Name))
	})
}
