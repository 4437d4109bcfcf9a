// Package choices has functions that store a value of an arena on some of their ways, or in some of
// their calls.
package choices

import (
	"bytes"
	"flag"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

var pool arena.Pool

func title(page []byte, fallback string) string {
	found := fallback
	arena.Do(func(a *arena.Arena) {
		for line := range strings.Lines(arena.String(a, page)) {
			if t, ok := strings.CutPrefix(line, "# "); ok {
				found = t
				return
			}
		}
	})
	return found // want `outlives: `
}

type span struct{ from, to string }

func widest(log []byte, least span) (span, error) {
	best := least
	err := withArena(func(a *arena.Arena) error {
		for part := range bytes.SplitSeq(log, []byte("\n")) {
			s := span{from: arena.String(a, part), to: "end"}
			if len(s.from) > len(best.from) {
				best = s
			}
		}
		return nil
	})
	if err != nil {
		return span{}, err
	}
	return best, nil // want `outlives: `
}

func withArena(f func(*arena.Arena) error) error {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

func options(set *flag.FlagSet) (names []string) {
	a := arena.NewArena()
	set.VisitAll(func(f *flag.Flag) {
		if f.Value.String() != f.DefValue {
			names = append(names, arenastrings.ToUpper(a, arena.String(a, f.Name)))
		}
		a.Reset()
	})
	return names // want `outlives: `
}

func newest(root, prefix string) (name string, err error) {
	a := pool.Get()
	defer pool.Put(a)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), prefix) {
			name = arena.String(a, path)
		}
		return err
	})
	return name, err // want `outlives: `
}

func words(pages [][][]byte) map[string]int {
	a := arena.NewArena()
	defer a.Free()
	count := map[string]int{}
	for n, page := range pages {
		seen := n
		for _, word := range page {
			count[arenastrings.ToLower(a, arena.String(a, word))] += seen // want `stale: `
		}
		a.Reset()
	}
	return nil
}

type position struct {
	line int
	file string
}

type scanner struct {
	a     *arena.Arena
	at    position
	in    []byte
	warn  func(position)
	lines int
}

func newScanner(warn func(position)) *scanner {
	return &scanner{a: arena.NewArena(), warn: warn}
}

func (s *scanner) open(file []byte) {
	s.at.line = 1
	s.at.file = arena.String(s.a, file)
}

func (s *scanner) close() string {
	s.a.Reset()
	return s.at.file // want `(outlives|stale): `
}

func (s *scanner) skip() {
	s.a.Reset()
	if s.lines > 0 {
		s.warn(s.at) // want `stale: `
	}
}

// An option has a field whose name begins like another one.
type option struct{ name, nameOf, names string }

func inBatches(lines [][]byte, write func([]option)) {
	a := arena.NewArena()
	var batch []option
	for _, l := range lines {
		batch = arena.Append(a, batch, option{"option", arena.String(a, l), "options"}) // want `stale: `
		if len(batch) == 10 {
			write(batch)
			batch = batch[:0]
			a.Reset()
		}
	}
	write(batch)
}
