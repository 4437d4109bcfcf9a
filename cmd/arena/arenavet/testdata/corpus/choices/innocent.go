package choices

import (
	"bytes"
	"flag"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/arena-go/arena"
)

func titleCopied(page []byte, fallback string) string {
	found := fallback
	arena.Do(func(a *arena.Arena) {
		if t, ok := strings.CutPrefix(arena.String(a, page), "# "); ok {
			found = strings.Clone(t)
		}
	})
	return found
}

func named(page []byte, fallback string) string {
	found, own := fallback, true
	arena.Do(func(a *arena.Arena) {
		if t := arena.String(a, page); t == "index" {
			found = t
			own = false
		}
	})
	if !own {
		return "index"
	}
	return found
}

func lengthOf(page []byte, fallback string) int {
	n := len(fallback)
	arena.Do(func(a *arena.Arena) {
		best := fallback
		if t := arena.String(a, page); len(t) > len(best) {
			best = t
		}
		n = len(best)
	})
	return n
}

func optionsCopied(set *flag.FlagSet) (names []string) {
	a := arena.NewArena()
	set.VisitAll(func(f *flag.Flag) {
		if name := arena.String(a, f.Name); name != f.DefValue {
			names = append(names, strings.Clone(name))
		}
		a.Reset()
	})
	return names
}

func totalSize(root string) (n int64, last string) {
	a := arena.NewArena()
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			last = arena.String(a, path)
			n += int64(len(last))
		}
		return err
	})
	last = strings.Clone(last)
	a.Reset()
	return n, last
}

func wordsOfPage(pages [][][]byte) (most int) {
	a := arena.NewArena()
	count := map[string]int{}
	for _, page := range pages {
		for _, word := range page {
			count[arena.String(a, word)]++
		}
		most = max(most, len(count))
		clear(count)
		a.Reset()
	}
	return most
}

func repeated(pages [][][]byte) (n int) {
	a := arena.NewArena()
	for _, page := range pages {
		var before string
		for i, word := range page {
			w := arena.String(a, word)
			if i > 0 && before == w {
				n++
			}
			before = w
		}
		a.Reset()
	}
	return n
}

type stamp struct {
	line int
	file string
}

type reader struct {
	a    *arena.Arena
	at   stamp
	heap stamp
	warn func(stamp)
	rows []string
}

func newReader(warn func(stamp)) *reader { return &reader{a: arena.NewArena(), warn: warn} }

func (r *reader) open(file []byte) {
	r.at = stamp{1, arena.String(r.a, file)}
	r.heap.file = string(file)
}

func (r *reader) close() int {
	r.warn(r.at)
	r.a.Reset()
	r.warn(r.heap)
	r.at = r.heap
	return r.at.line
}

// collect calls its function when it has enough, and only then resets.
func (r *reader) collect(word []byte, full func([]string)) {
	r.rows = append(r.rows, arena.String(r.a, word))
	if len(r.rows) < 10 {
		return
	}
	full(r.rows)
	clear(r.rows)
	r.rows = r.rows[:0]
	r.a.Reset()
}

func collectAll(in []byte) (n int) {
	r := &reader{a: arena.NewArena()}
	for word := range bytes.FieldsSeq(in) {
		r.collect(word, func(rows []string) { n += len(rows) })
	}
	r.collect([]byte("end"), func(rows []string) { n++ })
	return n
}
