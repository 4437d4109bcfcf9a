// Package orders has functions that end an arena and use what they were given, and sequences whose
// turns end what the turn before has made.
package orders

import (
	"fmt"
	"iter"
	"slices"
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

type record struct {
	name   string
	fields []string
}

// records gives a record for each line, which is valid until the next one.
func records(lines [][]byte) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		a := arena.NewArena()
		for _, l := range lines {
			a.Reset()
			r := arena.New[record](a)
			r.name = arena.String(a, l)
			if !yield(r) {
				return
			}
		}
	}
}

func texts(a *arena.Arena, lines [][]byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range lines {
			m := a.Mark()
			ok := yield(arena.String(a, l))
			a.Rewind(m)
			if !ok {
				return
			}
		}
	}
}

func allRecords(lines [][]byte) []*record {
	return slices.Collect(records(lines)) // want `outlives: `
}

func sortedTexts(a *arena.Arena, lines [][]byte) []string {
	return slices.Sorted(texts(a, lines)) // want `outlives: `
}

func gathered(lines [][]byte) (n int) {
	var all []*record
	for r := range records(lines) {
		all = append(all, r)
	}
	for _, r := range all {
		n += len(r.name) // want `stale: `
	}
	return n
}

func repeated(a *arena.Arena, lines [][]byte) (n int) {
	var last string
	for s := range texts(a, lines) { // want `stale: `
		if s == last {
			n++
		}
		last = s
	}
	return n
}

func forRecords(lines [][]byte, f func(*record) error) error {
	a := arena.NewArena()
	for _, l := range lines {
		a.Reset()
		if err := f(arena.Ptr(a, record{name: arena.String(a, l)})); err != nil {
			return err
		}
	}
	return nil
}

func byName(lines [][]byte) (map[string]*record, error) {
	all := map[string]*record{}
	err := forRecords(lines, func(r *record) error { // want `stale: `
		all[r.name] = r
		return nil
	})
	return all, err // want `outlives: `
}

func distinct(lines [][]byte) (n int) {
	next, stop := iter.Pull(records(lines))
	defer stop()
	for prev, ok := next(); ok; {
		var r *record
		if r, ok = next(); ok && r.name != prev.name { // want `stale: `
			n++
		}
		prev = r
	}
	return n
}

func firstTwo(a *arena.Arena, lines [][]byte) string {
	next, stop := iter.Pull(texts(a, lines))
	defer stop()
	x, _ := next()
	y, _ := next()
	return x + y // want `stale: `
}

// A store may reset its arena whenever something is put there.
type store struct {
	a      *arena.Arena
	byName map[string]*record
	n      int
}

func (s *store) put(name string) *record {
	if s.n++; s.n > 100 {
		clear(s.byName)
		s.n = 0
		s.a.Reset()
	}
	r := arena.Ptr(s.a, record{name: arena.String(s.a, name)})
	s.byName[r.name] = r
	return r
}

func (s *store) get(name string) *record { return s.byName[name] }

func putTwo(s *store, x, y string) string {
	a := s.put(x)
	b := s.put(y)
	return strings.Join([]string{a.name, b.name}, ",") // want `stale: `
}

func grouped(lines [][]byte) map[string][]string {
	groups := map[string][]string{}
	a := arena.NewArena()
	for _, l := range lines {
		key, value, _ := strings.Cut(arena.String(a, l), "=")
		k := strings.Clone(key)
		groups[k] = append(groups[k], value)
		a.Reset()
	}
	return groups // want `outlives: `
}

// A peer keeps its first name.
type peer struct {
	a    *arena.Arena
	name string
	rest []string
}

func (p *peer) serve(lines [][]byte) {
	for _, l := range lines {
		if p.name == "" {
			p.name = arena.String(p.a, l)
		}
		fmt.Println(p.name) // want `stale: `
		p.a.Reset()
	}
}

func (p *peer) sorted(all [][]byte) {
	var rest []string
	for _, b := range all {
		rest = append(rest, arena.String(p.a, b)) // want `outlives: `
	}
	slices.Sort(rest)
	p.rest = rest
	p.a.Reset()
}

func (p *peer) print() { fmt.Println(p.rest) }
