// Package iterators has mistakes in range over functions.
package iterators

import (
	"bufio"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

var (
	pool  arena.Pool
	names []string
)

type record struct {
	key, value string
	fields     []string
}

// records yields records of an arena that ends with the loop.
func records(r io.Reader) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		a := pool.Get()
		defer pool.Put(a)
		sc := bufio.NewScanner(r)
		for sc.Scan() {
			rec := arena.New[record](a)
			rec.key, rec.value, _ = strings.Cut(arena.String(a, sc.Bytes()), "=")
			if !yield(rec) {
				return
			}
		}
	}
}

// lines resets its arena after each turn.
func lines(r io.Reader) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		a := arena.NewArena()
		sc := bufio.NewScanner(r)
		for n := 1; sc.Scan(); n++ {
			if !yield(n, arena.String(a, sc.Bytes())) {
				return
			}
			a.Reset()
		}
	}
}

type table struct {
	a    *arena.Arena
	rows [][]byte
}

func (t *table) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, b := range t.rows {
			if !yield(arena.String(t.a, b)) {
				return
			}
		}
	}
}

func (t *table) scan(yield func(string) bool) {
	a := pool.Get()
	defer pool.Put(a)
	for _, b := range t.rows {
		if !yield(arena.String(a, b)) {
			return
		}
	}
}

func collectRecords(r io.Reader) (out []*record) {
	for rec := range records(r) {
		out = append(out, rec)
	}
	return out // want `outlives: `
}

func firstRecord(r io.Reader) *record {
	for rec := range records(r) {
		return rec // want `outlives: `
	}
	return nil
}

func lastValue(r io.Reader) string {
	var last string
	for rec := range records(r) {
		last = rec.value
	}
	return last // want `outlives: `
}

func countKeys(r io.Reader) map[string]int {
	m := make(map[string]int)
	for rec := range records(r) {
		m[rec.key]++
	}
	return m // want `outlives: `
}

func remember(r io.Reader) {
	for rec := range records(r) {
		names = append(names, rec.key) // want `outlives: `
	}
}

func collected(r io.Reader) []*record {
	return slices.Collect(records(r)) // want `outlives: `
}

func numbered(r io.Reader) map[int]string {
	return maps.Collect(lines(r)) // want `outlives: `
}

func keepLines(r io.Reader) []string {
	var out []string
	for _, line := range lines(r) {
		out = append(out, strings.TrimSpace(line))
	}
	return out // want `outlives: `
}

func (t *table) first() (s string) {
	for s = range t.all() {
		break
	}
	t.a.Reset()
	return s // want `outlives: `
}

func (t *table) list() []string {
	all := slices.Collect(t.all())
	t.a.Reset()
	return all // want `outlives: `
}

func (t *table) scanned() []string {
	var out []string
	for s := range t.scan {
		out = append(out, s)
	}
	return out // want `outlives: `
}

func (t *table) sortedScan() []string {
	return slices.Sorted(t.scan) // want `outlives: `
}

// filter passes on what a sequence gives.
func filter[T any](seq iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range seq {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func transform[T, U any](seq iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		seq(func(v T) bool { return yield(f(v)) })
	}
}

func filtered(r io.Reader) []*record {
	return slices.Collect(filter(records(r), func(rec *record) bool { return rec.value != "" })) // want `outlives: `
}

func keysOf(r io.Reader) []string {
	var out []string
	for k := range transform(records(r), func(rec *record) string { return rec.key }) {
		out = append(out, k)
	}
	return out // want `outlives: `
}

func peek(r io.Reader) string {
	next, stop := iter.Pull(records(r))
	rec, _ := next()
	stop()
	return rec.key // want `stale: `
}

// words yields words of an arena that is gone before the loop begins.
func words(b []byte) iter.Seq[string] {
	a := pool.Get()
	defer pool.Put(a)
	all := strings.Fields(arena.String(a, b))
	return slices.Values(all) // want `outlives: `
}

func wordsLater(b []byte) iter.Seq[string] {
	a := pool.Get()
	defer pool.Put(a)
	all := strings.Fields(arena.String(a, b))
	return func(yield func(string) bool) { // want `outlives: `
		for _, w := range all {
			if !yield(w) {
				return
			}
		}
	}
}

func resetInLoop(t *table) (n int) {
	all := slices.Collect(t.all())
	for range t.rows {
		n += len(all[0])
		t.a.Reset()
	}
	for _, s := range all {
		n += strings.Count(s, "x") // want `stale: `
	}
	return n
}
