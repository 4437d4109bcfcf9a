// Package orders has functions that end an arena and use what they were given, and sequences whose
// turns end what the turn before has made.
package orders

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

type session struct {
	a    *arena.Arena
	user string
	log  []string
}

func restartWith(a *arena.Arena, title string) {
	a.Reset()
	fmt.Println(title)
}

func nextChapter(a *arena.Arena, b []byte) {
	title := arena.String(a, b)
	restartWith(a, title) // want `stale: `
}

func (s *session) begin(greeting string) bool {
	s.a.Reset()
	return strings.HasPrefix(greeting, "hello")
}

func (s *session) greet(b []byte) bool {
	return s.begin(arena.String(s.a, b)) // want `stale: `
}

func (s *session) beginAgain(greeting string) bool { return s.begin(greeting) }

func (s *session) greetAgain(b []byte) bool {
	return s.beginAgain(arena.String(s.a, b)) // want `stale: `
}

func (s *session) renamed(old string) string {
	s.a.Reset()
	return old
}

func (s *session) rename(b []byte) int {
	old := s.renamed(arena.String(s.a, b))
	return len(strings.ToUpper(old)) // want `stale: `
}

func total(m *arena.Map[string, int], list string) int {
	sum := m.Entry("total")
	for w := range strings.FieldsSeq(list) {
		*m.Entry(w)++
		*sum++ // want `container: `
	}
	return m.Len()
}

func forEach(list []string, f func(string)) {
	for _, s := range list {
		f(s)
	}
}

func headed(a *arena.Arena, list []string, b []byte) {
	head := arena.String(a, b)
	forEach(list, func(s string) {
		a.Reset()
		fmt.Println(head, arena.Concat(a, s, "!")) // want `stale: `
	})
}
