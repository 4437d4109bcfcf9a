package orders

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

func (s *session) measured(text string) int {
	n := len(strings.TrimSpace(text))
	s.a.Reset()
	text = "done"
	return n + len(strings.TrimSpace(text))
}

func (s *session) measure(b []byte) int { return s.measured(arena.String(s.a, b)) }

func (s *session) lines(first string, list [][]byte) (n int) {
	for _, b := range list {
		if strings.Contains(first, "x") { // in the first turn only it is the caller's
			n++
		}
		s.a.Reset()
		first = arena.String(s.a, b)
	}
	return n
}

func (s *session) count(b []byte, list [][]byte) int { return s.lines(arena.String(s.a, b), list) }

func (s *session) unlessFull(text string, full bool) int {
	if full {
		s.a.Reset()
		return 0
	}
	return len(strings.TrimSpace(text))
}

func (s *session) add(b []byte) int { return s.unlessFull(arena.String(s.a, b), len(b) > 100) }

func (s *session) perhapsOwn(text string, own bool) int {
	if own {
		text = strings.Clone(text)
	}
	s.a.Reset()
	return len(strings.TrimSpace(text))
}

func (s *session) owned(b []byte) int { return s.perhapsOwn(arena.String(s.a, b), true) }

func bump(m *arena.Map[string, int], n *int, key string) {
	*m.Entry(key)++
	*n++
}

func sameEntry(m *arena.Map[string, int], key string) {
	n := m.Entry(key)
	bump(m, n, key)
}

// A table forgets its entries when it is full.
type table struct {
	a     *arena.Arena
	index map[string]*session
	list  []*session
}

func newTable() *table {
	return &table{a: arena.NewArena(), index: make(map[string]*session)}
}

func (t *table) get(key string) int {
	if s, ok := t.index[key]; ok {
		return len(s.user)
	}
	return 0
}

func (t *table) evict() {
	t.index, t.list = make(map[string]*session), t.list[:0]
	t.a.Reset()
}

func (t *table) put(key string) {
	if len(t.index) > 10 {
		t.evict()
	}
	s := arena.Ptr(t.a, session{user: arena.String(t.a, key)})
	t.index[s.user] = s
	t.list = append(t.list, s)
}

func filled(keys []string) (n int) {
	t := newTable()
	for _, k := range keys {
		t.put(k)
	}
	for _, s := range t.list {
		n += len(s.user)
	}
	return n + t.get("x")
}

func lastRecord(lines [][]byte) int {
	var last *record
	for r := range records(lines) {
		last = r
	}
	if last == nil {
		return 0
	}
	return len(last.name) // nothing has ended it
}

func firstMatch(lines [][]byte) []*record {
	var found []*record
	for r := range records(lines) {
		if strings.HasPrefix(r.name, "x") {
			found = append(found, r)
			break
		}
	}
	return found
}

func oneByOne(lines [][]byte) (n int) {
	var one []*record
	for r := range records(lines) {
		one = append(one[:0], r)
		n += len(one[0].name)
	}
	return n
}

func latest(lines [][]byte) (n int) {
	m := map[string]*record{}
	for r := range records(lines) {
		m["latest"] = r
		n += len(m["latest"].name)
	}
	return n
}

func names(lines [][]byte) (all []string) {
	for r := range records(lines) {
		all = append(all, strings.Clone(r.name))
	}
	return all
}

func changes(lines [][]byte) (n int) {
	var last string
	for r := range records(lines) {
		if r.name != last {
			n++
			last = strings.Clone(r.name)
		}
	}
	return n
}

func copied(lines [][]byte) ([]*record, error) {
	var all []*record
	err := forRecords(lines, func(r *record) error {
		all = append(all, &record{name: strings.Clone(r.name)})
		return nil
	})
	return all, err
}

// kept gives records that stay.
func kept(a *arena.Arena, lines [][]byte) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for _, l := range lines {
			if !yield(arena.Ptr(a, record{name: arena.String(a, l)})) {
				return
			}
		}
	}
}

func allKept(a *arena.Arena, lines [][]byte) []*record { return slices.Collect(kept(a, lines)) }

func pulled(lines [][]byte) (n int) {
	next, stop := iter.Pull(records(lines))
	defer stop()
	last := ""
	for {
		r, ok := next()
		if !ok {
			return n
		}
		if r.name != last {
			n++
		}
		last = strings.Clone(r.name)
	}
}

func batches(lines [][]byte) (n int) {
	var batch []int
	for r := range records(lines) {
		if batch = append(batch, len(r.name)); len(batch) == 10 {
			n += len(batch)
			batch = batch[:0]
		}
	}
	return n + len(batch)
}

func (s *store) full() bool { return s.n >= 100 }

func putUnlessFull(s *store, x, y string) string {
	a := s.put(x)
	if s.full() {
		return strings.ToUpper(a.name)
	}
	b := s.put(y)
	return strings.Join([]string{a.name, b.name}, ",")
}

func getBoth(s *store, x, y string) string {
	s.put(x)
	s.put(y)
	a, b := s.get(x), s.get(y)
	if a == nil || b == nil {
		return ""
	}
	return strings.Join([]string{a.name, b.name}, ",")
}

func putCopy(s *store, x, y string) string {
	a := strings.Clone(s.put(x).name)
	b := s.put(y)
	return strings.Join([]string{a, b.name}, ",")
}

func (s *store) tryPut(name string) (*record, bool) {
	anew := s.full()
	return s.put(name), anew
}

func tried(s *store, x, y string) string {
	a := s.put(x)
	b, anew := s.tryPut(y)
	if anew {
		return strings.ToUpper(b.name)
	}
	return strings.Join([]string{a.name, b.name}, ",")
}

func copiedGroups(lines [][]byte) map[string][]string {
	groups := map[string][]string{}
	a := arena.NewArena()
	for _, l := range lines {
		key, value, _ := strings.Cut(arena.String(a, l), "=")
		k := strings.Clone(key)
		groups[k] = append(groups[k], strings.Clone(value))
		a.Reset()
	}
	return groups
}

type once struct {
	a    *arena.Arena
	name string
}

func (o *once) serve(lines [][]byte) {
	for _, l := range lines {
		if o.name == "" {
			o.name = arena.String(o.a, l)
		}
		fmt.Println(o.name)
		o.name = ""
		o.a.Reset()
	}
}
