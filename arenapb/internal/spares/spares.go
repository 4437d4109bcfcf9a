// Package spares keeps what decoders make on the heap for the values of an arena: small maps of Go,
// and lists of extensions. It is stale when the arena is Reset, as the values are that have it. It
// is emptied then, and the next values get it. After Free the values stay, and what they have is
// forgotten here.
package spares

// A Kind makes values of one kind, and empties them.
type Kind[V any] interface {
	New() V
	// Empty empties v for its next user. It reports false if v has grown too much for that.
	Empty(v V) bool
}

// A Set has the values that a decoder has made, for this round of its arena and for those before.
// The zero Set is empty. One goroutine at a time uses it.
type Set[V any] struct {
	stocks []stock[V] // by the numbers of the kinds
	active []int      // the numbers of those with values in use
	kept   int        // how many values there are, in use or not
	rounds int        // since all were dropped
}

// A stock has the values of one kind: those in use, up to used, and then those that are not.
type stock[V any] struct {
	kind       Kind[V]
	all        []V
	used, most int // most is how many were in use at once
}

// Most is how many values a Set keeps.
const Most = 2048

// Each trimRounds rounds, those values are dropped that nobody needed meanwhile. Each lifeRounds
// rounds, all are: a map that its owner has made large, and emptied again, keeps its memory.
const trimRounds, lifeRounds = 32, 256

// Take returns an empty value of a kind, which has that number. It is in use until Reset or Leave.
func (s *Set[V]) Take(number int, kind Kind[V]) V {
	for len(s.stocks) <= number {
		s.stocks = append(s.stocks, stock[V]{})
	}
	st := &s.stocks[number]
	if st.used == len(st.all) {
		v := kind.New()
		if s.kept == Most {
			return v // for the collector, when its time has come
		}
		s.kept++
		st.kind = kind
		st.all = append(st.all, v)
	}
	if st.used == 0 {
		s.active = append(s.active, number)
	}
	st.used++
	return st.all[st.used-1]
}

// Reset says that all that has the values in use is stale. They are emptied for the next round, or
// all are dropped if again is false.
func (s *Set[V]) Reset(again bool) {
	if s.kept == 0 {
		return
	}
	if s.rounds++; !again || s.rounds == lifeRounds {
		*s = Set[V]{}
		return
	}
	for _, n := range s.active {
		st := &s.stocks[n]
		st.most = max(st.most, st.used)
		s.kept -= st.end(st.kind.Empty)
	}
	s.active = s.active[:0]
	if s.rounds%trimRounds != 0 {
		return
	}
	for n := range s.stocks {
		st := &s.stocks[n]
		if most := st.most; most < len(st.all) {
			s.kept -= len(st.all) - most
			st.all = append([]V(nil), st.all[:most]...)
		}
		st.most = 0
	}
}

// Leave forgets the values in use: what has them stays.
func (s *Set[V]) Leave() {
	for _, n := range s.active {
		s.kept -= s.stocks[n].end(func(V) bool { return false })
	}
	s.active = s.active[:0]
}

// end ends the use of all values, and keeps those for which again reports true. It returns how many
// it has dropped.
func (st *stock[V]) end(again func(V) bool) (dropped int) {
	kept := 0
	for _, v := range st.all[:st.used] {
		if again(v) {
			st.all[kept] = v
			kept++
		}
	}
	dropped = st.used - kept
	if dropped > 0 {
		n := kept + copy(st.all[kept:], st.all[st.used:])
		clear(st.all[n:])
		st.all = st.all[:n]
	}
	st.used = 0
	return dropped
}
