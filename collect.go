package arena

import (
	"cmp"
	"iter"
	"slices"

	"github.com/arena-go/arena/internal/swiss"
)

// Collect returns the values of seq in a slice in a, as slices.Collect does. It returns nil when there are none. The
// slice grows as [Append] does. If you know how many there will be, use [AppendSeq] with a slice of that capacity.
//
// The slice is in a, but the loop over seq takes some bytes of the heap where the compiler does not see what seq does.
func Collect[E any](a *Arena, seq iter.Seq[E]) []E { return AppendSeq(a, []E(nil), seq) }

// AppendSeq appends the values of seq to s, as slices.AppendSeq does. See [Append].
func AppendSeq[S ~[]E, E any](a *Arena, s S, seq iter.Seq[E]) S {
	for v := range seq {
		s = Append(a, s, v)
	}
	return s
}

// CollectMap returns a new [Map] in a with the entries of seq, as maps.Collect does: CollectMap(a, maps.All(m)) of a
// map of Go. Keys and values are stored as they are. If you know how many there will be, use [NewMap] with a hint,
// and [Map.Insert].
func CollectMap[K comparable, V any](a *Arena, seq iter.Seq2[K, V]) *Map[K, V] {
	m := NewMap[K, V](a, 0)
	m.Insert(seq)
	return m
}

// Insert sets the entries of seq, as maps.Insert does. Later ones win.
func (m *Map[K, V]) Insert(seq iter.Seq2[K, V]) {
	for k, v := range seq {
		m.Set(k, v)
	}
}

// Has reports whether k is in the map.
func (m *Map[K, V]) Has(k K) bool { return m.find(k) != nil }

// SortedKeys returns the keys of m in order, in a slice in a, which need not be the arena of m. It is empty when m
// is. The order is that of slices.Sort. For another order, or for keys that have none, collect the keys and use
// slices.SortFunc.
func SortedKeys[K cmp.Ordered, V any](a *Arena, m *Map[K, V]) []K {
	keys := MakeSlice[K](a, 0, m.n)
	for i := range m.groups {
		g := &m.groups[i]
		for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
			k := g.Slot(full).Key
			if looking {
				m.keyIsRead(k)
			}
			keys = Append(a, keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
