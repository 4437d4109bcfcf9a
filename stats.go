package arena

import (
	"cmp"
	"reflect"
	"slices"
)

// Stats says what is in an arena. Counts and bytes are of what was allocated
// since the last Reset, capacities included.
type Stats struct {
	InUse    int64 // bytes allocated since the last Reset, without padding; the sum over Types
	Reserved int64 // bytes of all chunks, used or kept; what Options.Limit bounds
	Peak     int64 // the most that InUse has been
	Chunks   int   // number of chunks
	Resets   int64 // number of Resets
	Freed    bool  // the arena is closed
	Types    []TypeStats
}

// TypeStats says how much of one type is in an arena.
type TypeStats struct {
	Name  string       // as Type.String gives it, or "text"
	Type  reflect.Type // nil for text: the bytes of strings
	Count int64        // values of the type, elements of slices included; strings for text
	Bytes int64
}

// Stats returns what is in the arena, by type, the largest first. It walks the
// types in it. The Stats of a nil arena are zero; those of a freed one have
// only Peak, Resets and Freed.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	stats := Stats{Peak: a.peak, Resets: a.resets, Freed: a.freed}
	st := a.stores
	if st == nil {
		return stats
	}
	stats.InUse = st.inUse()
	stats.Reserved = st.reserved
	stats.Peak = max(a.peak, stats.InUse)
	stats.Chunks = st.plain.chunks.count()
	for _, s := range st.all {
		_, chunks := s.held()
		stats.Chunks += chunks
		count, bytes := s.used()
		typ, plain := s.typ(), s.common().plainItems
		if count += plain; count > 0 {
			bytes += int64(plain) * int64(typ.Size())
			// A type may have two stores: a Slab and a valueSlab.
			i := slices.IndexFunc(stats.Types, func(t TypeStats) bool { return t.Type == typ })
			if i < 0 {
				i = len(stats.Types)
				stats.Types = append(stats.Types, TypeStats{Name: typ.String(), Type: typ})
			}
			stats.Types[i].Count += int64(count)
			stats.Types[i].Bytes += bytes
		}
	}
	if text := st.plain.text; text.count > 0 {
		stats.Types = append(stats.Types, TypeStats{"text", nil, text.count, text.bytes})
	}
	slices.SortFunc(stats.Types, func(x, y TypeStats) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Name, y.Name))
	})
	return stats
}
