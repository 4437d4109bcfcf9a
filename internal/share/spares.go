package share

// Spares are things of one kind that an arena hands out, and hands out again after Reset: those in
// use, up to used, and behind them the spare ones. A unit of work that does the same as the one
// before gets the same things in the same order, so they are as large as it needs. The zero Spares
// are empty.
type Spares[T any] struct {
	all        []T
	used, most int // most is how many were in use at once, lately
	rounds     int // since all were dropped
}

// Each trimRounds Resets, those are dropped that nobody needed meanwhile. Each lifeRounds Resets,
// all are: those that their owner has made large keep their memory.
const trimRounds, lifeRounds = 32, 256

// Next returns the place of the next thing: a zero T if there was none. It is valid until the next
// call.
func (s *Spares[T]) Next() *T {
	if s.used == len(s.all) {
		var none T
		s.all = append(s.all, none)
	}
	s.used++
	return &s.all[s.used-1]
}

// Reset calls empty for all that are in use, which are spare then. If again is false, all are
// dropped instead.
func (s *Spares[T]) Reset(again bool, empty func(*T)) {
	if !again {
		*s = Spares[T]{}
		return
	}
	for i := range s.all[:s.used] {
		empty(&s.all[i])
	}
	s.most, s.used = max(s.most, s.used), 0
	switch s.rounds++; {
	case s.rounds == lifeRounds:
		*s = Spares[T]{}
	case s.rounds%trimRounds == 0:
		s.keep(s.most)
		s.most = 0
	}
}

// Retain keeps at most so many bytes, if none is in use, and returns how many it keeps.
func (s *Spares[T]) Retain(most int64, bytesOf func(T) int64) (kept int64) {
	for i, v := range s.all {
		bytes := bytesOf(v)
		if kept+bytes > most {
			s.keep(i)
			break
		}
		kept += bytes
	}
	return kept
}

// Leave leaves those in use to their owners. The others stay spare.
func (s *Spares[T]) Leave() {
	if s.used > 0 {
		s.all, s.used = append([]T(nil), s.all[s.used:]...), 0
	}
}

func (s *Spares[T]) keep(n int) {
	if n < len(s.all) {
		s.all = append([]T(nil), s.all[:n]...)
	}
}
