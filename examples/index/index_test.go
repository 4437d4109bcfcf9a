package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// A model is an index that is too simple to be wrong: the words of all lines.
type model struct {
	names []string
	lines [][][]string // by file and line
}

var modelWord = regexp.MustCompile(`[0-9A-Z_a-z\x{80}-\x{10ffff}]+`)

func newModel(names, texts []string) *model {
	m := &model{names: names}
	for _, text := range texts {
		var lines [][]string
		for line := range strings.Lines(text) {
			words := modelWord.FindAllString(line, -1)
			lines = append(lines, slices.DeleteFunc(words, func(w string) bool { return len(w) > maxWord || w[0] >= '0' && w[0] <= '9' }))
		}
		m.lines = append(m.lines, lines)
	}
	return m
}

// where returns how often words are there of which is is true, and for each of their places how
// many of them are there.
func (m *model) where(is func(string) bool) (count int, at []place, different []int) {
	for file, lines := range m.lines {
		for line, words := range lines {
			found := map[string]bool{}
			for _, w := range words {
				if is(w) {
					count++
					found[w] = true
				}
			}
			if len(found) > 0 {
				at = append(at, place{uint32(file), uint32(line + 1)})
				different = append(different, len(found))
			}
		}
	}
	return count, at, different
}

func (m *model) words() []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		m.where(func(w string) bool { yield(w); return false })
	}))
}

// prefixes returns all beginnings of all words: also those that end within a character.
func (m *model) prefixes() (all []string) {
	for _, word := range m.words() {
		for n := 1; n <= len(word); n++ {
			all = append(all, word[:n])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (m *model) find(query string) (found []match) {
	for file := range m.names {
		hit, all := match{file: file}, true
		for i, term := range strings.Fields(query) {
			_, at, different := m.where(func(w string) bool {
				prefix, ok := strings.CutSuffix(term, "*")
				return w == term || ok && strings.HasPrefix(w, prefix)
			})
			any := false
			for j, p := range at {
				if int(p.file) == file {
					if i == 0 && !any {
						hit.line = p.line
					}
					any = true
					hit.hits += different[j]
				}
			}
			all = all && any
		}
		if all && query != "" {
			found = append(found, hit)
		}
	}
	slices.SortStableFunc(found, func(m, n match) int { return cmp.Compare(n.hits, m.hits) })
	return found
}

// check compares all of an index with the model.
func (m *model) check(t *testing.T, x index, queries []string) {
	t.Helper()
	words := m.words()
	if x.words() != len(words) || x.files() != len(m.names) {
		t.Fatalf("%d words in %d files, want %d in %d", x.words(), x.files(), len(words), len(m.names))
	}
	for i, name := range m.names {
		if d := x.file(i); d.name != name || d.lines != len(m.lines[i]) {
			t.Errorf("file %d is %v, want %s with %d lines", i, d, name, len(m.lines[i]))
		}
	}
	var frequencies []frequency
	for _, word := range words {
		count, at, _ := m.where(func(w string) bool { return w == word })
		frequencies = append(frequencies, frequency{word, count})
		if x.count(word) != count || !slices.Equal(x.places(word), at) {
			t.Fatalf("%q is %d times at %v, want %d at %v", word, x.count(word), x.places(word), count, at)
		}
	}
	for _, word := range []string{"", "none", "*", "é*"} {
		if x.count(word) != 0 || x.places(word) != nil {
			t.Errorf("%q is there", word)
		}
	}
	for _, prefix := range append(m.prefixes(), "", "none", "é日é", "\xff") {
		var got, want []frequency
		for word, count := range x.beginning(prefix) {
			got = append(got, frequency{word, count})
		}
		for _, f := range frequencies {
			if strings.HasPrefix(f.word, prefix) {
				want = append(want, f)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the words that begin with %q are %v, want %v", prefix, got, want)
		}
		for range x.beginning(prefix) {
			break // a caller may stop
		}
	}
	for _, query := range queries {
		if got, want := find(x, query), m.find(query); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	all := top(x, "*", len(words)+1)
	for i, f := range all {
		if f.count != x.count(f.word) || i > 0 && (all[i-1].count < f.count || all[i-1].count == f.count && all[i-1].word >= f.word) {
			t.Errorf("the frequencies are %v", all)
			break
		}
	}
	if len(all) != len(words) {
		t.Errorf("%d frequencies of %d words", len(all), len(words))
	}
}

// randomTexts returns texts of few different words in some files.
func randomTexts(random *rand.Rand) (names, texts []string) {
	letters := []string{"a", "b", "é", "_", "7", "日"}
	var words []string
	for range 2 + random.IntN(60) {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		words = append(words, b.String())
	}
	words = append(words, strings.Repeat("x", maxWord), strings.Repeat("x", maxWord+1), "9lives")
	separators := []string{" ", "\n", "\n\n", ".", "-", "\x00", "\t"}
	for i := range 1 + random.IntN(8) {
		var b strings.Builder
		for range random.IntN(1 << random.IntN(12)) {
			b.WriteString(words[int(float64(len(words))*random.Float64()*random.Float64())])
			b.WriteString(separators[random.IntN(len(separators))])
		}
		names, texts = append(names, fmt.Sprintf("dir/%c.go", 'a'+i)), append(texts, b.String())
	}
	return names, texts
}

// randomQueries returns queries, most of which find something.
func randomQueries(random *rand.Rand, words []string) (queries []string) {
	queries = append(queries, "", "none", "*", "a* none", "a b")
	for range 20 {
		var terms []string
		for range 1 + random.IntN(3) {
			term := "none"
			if len(words) > 0 {
				term = words[random.IntN(len(words))]
			}
			if random.IntN(2) == 0 {
				term = term[:1+random.IntN(len(term))] + "*"
			}
			terms = append(terms, term)
		}
		queries = append(queries, strings.Join(terms, " "))
	}
	return queries
}

// writeTexts writes files and returns their directory.
func writeTexts(t *testing.T, names, texts []string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(texts[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestModel compares indexes of random texts with a model.
func TestModel(t *testing.T) {
	seed := testrun.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 10 {
		names, texts := randomTexts(random)
		m := newModel(names, texts)
		queries := randomQueries(random, m.words())
		path := filepath.Join(t.TempDir(), "index")
		for _, way := range []string{onHeap, asRefs, "mmap", inFile, "opened"} {
			t.Run(way, func(t *testing.T) {
				var x index
				var err error
				if way == "opened" {
					x, err = openIndex(path)
				} else {
					c := config{mmap: way == "mmap"}
					var s *source
					if s, err = newSource(writeTexts(t, names, texts), 0); err == nil {
						x, err = c.build(t.Context(), s, strings.Replace(way, "mmap", asRefs, 1), path)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				m.check(t, x, queries)
				if (x.size() > 0) != (way != onHeap) {
					t.Errorf("the size is %d", x.size())
				}
				if err := x.close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestSource checks which files are taken.
func TestSource(t *testing.T) {
	names := []string{"a/b.go", "a/c.txt", "a.go", "b.go/d.go", "c.go"}
	dir := writeTexts(t, names, []string{"12345", "12345", "12345", "12345", "12345"})
	for size, want := range map[int64]string{0: "[a/b.go a.go b.go/d.go c.go]", 20: "[a/b.go a.go b.go/d.go c.go]", 19: "[a/b.go a.go b.go/d.go]", 5: "[a/b.go]"} {
		s, err := newSource(dir, size)
		if err != nil || fmt.Sprint(s.names) != want || s.bytes != int64(5*len(s.names)) {
			t.Errorf("%d bytes: %v, %v, want %s", size, s, err, want)
		}
	}
}
