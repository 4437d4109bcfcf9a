package iterators

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

func okCollect(r io.Reader) (out []record) {
	for rec := range records(r) {
		out = append(out, record{key: strings.Clone(rec.key), value: strings.Clone(rec.value)})
	}
	return out
}

func okDeep(r io.Reader) (out []*record) {
	for rec := range records(r) {
		out = append(out, arena.DeepClone(rec))
	}
	return out
}

func okFirst(r io.Reader) (key string) {
	for rec := range records(r) {
		return strings.Clone(rec.key)
	}
	return ""
}

func okLast(r io.Reader) (n int) {
	for rec := range records(r) {
		n = len(rec.value)
	}
	return n
}

func okCount(r io.Reader) map[string]int {
	m := make(map[string]int)
	for rec := range records(r) {
		if _, ok := m[rec.key]; ok {
			m[rec.key]++
		} else {
			m[strings.Clone(rec.key)] = 1
		}
	}
	return m
}

func okPrint(r io.Reader) {
	for n, line := range lines(r) {
		fmt.Println(n, line)
	}
}

func okLines(r io.Reader) []string {
	var out []string
	for _, line := range lines(r) {
		out = append(out, strings.Clone(strings.TrimSpace(line)))
	}
	return out
}

func okSum(r io.Reader) (n int) {
	var words []string
	for _, line := range lines(r) {
		words = append(words[:0], strings.Fields(line)...)
		n += len(words)
	}
	return n
}

func (t *table) okFirst() (s string) {
	for s = range t.all() {
		break
	}
	s = strings.Clone(s)
	t.a.Reset()
	return s
}

func (t *table) okList() []string {
	return slices.Collect(t.all())
}

func (t *table) okScan() (n int) {
	for s := range t.scan {
		n += len(s)
	}
	return n
}

func okFiltered(r io.Reader) (n int) {
	for rec := range filter(records(r), func(rec *record) bool { return rec.value != "" }) {
		n += len(rec.key)
	}
	return n
}

func okTransform(r io.Reader) []string {
	return slices.Collect(transform(records(r), func(rec *record) string { return strings.Clone(rec.key) }))
}

func okLengths(r io.Reader) []int {
	return slices.Collect(transform(records(r), func(rec *record) int { return len(rec.key) }))
}

func okWords(a *arena.Arena, b []byte) iter.Seq[string] {
	return slices.Values(strings.Fields(arena.String(a, b)))
}

func okWordsOwn(b []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		a := pool.Get()
		defer pool.Put(a)
		for w := range strings.FieldsSeq(arena.String(a, b)) {
			if !yield(w) {
				return
			}
		}
	}
}

func okPull(r io.Reader) string {
	next, stop := iter.Pull(records(r))
	defer stop()
	rec, ok := next()
	if !ok {
		return ""
	}
	return strings.Clone(rec.key)
}

func okKeys(m map[string]int, prefix []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.String(a, prefix)
	return slices.Sorted(filter(maps.Keys(m), func(k string) bool { return strings.HasPrefix(k, p) }))
}

func okNested(r io.Reader, other iter.Seq[string]) (n int) {
	for rec := range records(r) {
		for s := range other {
			if s == rec.key {
				n++
			}
		}
	}
	return n
}

func okBatch(r io.Reader, save func([]string) error) error {
	a := pool.Get()
	defer pool.Put(a)
	var batch []string
	for _, line := range lines(r) {
		batch = append(batch, arena.String(a, line))
		if len(batch) == 100 {
			if err := save(batch); err != nil {
				return err
			}
			batch = nil
			a.Reset()
		}
	}
	return save(batch)
}
