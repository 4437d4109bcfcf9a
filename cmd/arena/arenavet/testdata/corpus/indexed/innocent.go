package indexed

import (
	"strings"

	"github.com/arena-go/arena"
)

type turns struct {
	arenas []*arena.Arena
	turn   int
	last   string
}

// next compares with the text of the turn before, which lies in another arena.
func (t *turns) next(b []byte) string {
	a := t.arenas[t.turn%len(t.arenas)]
	a.Reset()
	s := arena.String(a, b)
	if s != t.last {
		t.last = s
	}
	t.turn++
	return s
}

func twoTurns(t *turns) string {
	x := t.next([]byte("x"))
	y := t.next([]byte("y"))
	return x + y
}

func (t *turns) changed(b []byte) int {
	s := arena.String(t.arenas[t.turn], b)
	t.turn = 1 - t.turn
	t.arenas[t.turn].Reset()
	return len(strings.TrimSpace(s))
}

func (t *turns) flip() { t.turn ^= 1 }

func (t *turns) flipped(b []byte) int {
	s := arena.String(t.arenas[t.turn], b)
	t.flip()
	t.arenas[t.turn].Reset()
	return len(strings.TrimSpace(s))
}

func (t *turns) others(all [][]byte) (n int) {
	for i, b := range all {
		s := arena.String(t.arenas[i%2], b)
		t.arenas[(i+1)%2].Reset()
		n += len(s)
	}
	return n
}
