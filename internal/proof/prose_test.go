package proof

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A bound is the most that documents or comments may contain of something that readers stumble
// over. A bound only falls.
type bound struct{ documents, comments int }

// bounds are by the name of a pattern, or of a measure of [prose].
var bounds = map[string]bound{
	"that of":         {0, 1},
	"the one that":    {0, 0},
	"in place of":     {0, 0},
	"is told":         {0, 0},
	"takes back":      {0, 0},
	"so many":         {0, 0},
	"as it is":        {0, 0},
	"long sentence":   {6, 123},
	"long line":       {0, 4},
	"history":         {0, 0},
	"universal verbs": {0, 3},
}

// patterns are what a reader parses twice, by name.
var patterns = map[string]*regexp.Regexp{
	"that of":         regexp.MustCompile(`(?i)\b(that|those) of\b`),
	"the one that":    regexp.MustCompile(`(?i)\bthe ones? (that|which|who)\b`),
	"in place of":     regexp.MustCompile(`(?i)\bin (the )?place of\b`),
	"is told":         regexp.MustCompile(`(?i)\b(is|are|was|were) told\b`),
	"takes back":      regexp.MustCompile(`(?i)\b(take|takes|taken|took|gives?|given) back\b`),
	"so many":         regexp.MustCompile(`(?i)\bso many\b[^.]* as\b`),
	"as it is":        regexp.MustCompile(`(?i)\bas (it is|they are)[.,;:)]`),
	"history":         regexp.MustCompile(`(?i)\b(formerly|used to be|was to be|were to be)\b`),
	"universal verbs": regexp.MustCompile(`(?i)\b(mends?|comes of it|stands in the way)\b`),
}

const (
	columns = 100 // a line
	longest = 30  // a sentence, in words
	page    = 250 // a document, in lines
)

// prose reports what is wrong in some prose: text without code, with the line numbers of the file.
func prose(name, text string, report func(kind, where string)) {
	sentence, first := 0, 0
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		for _, kind := range slices.Sorted(maps.Keys(patterns)) {
			for range patterns[kind].FindAllString(line, -1) {
				report(kind, at)
			}
		}
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.ContainsAny(fields[0][:1], "-*#|0123456789") {
			sentence = 0
		}
		for _, word := range fields {
			if sentence == 0 {
				first = i + 1
			}
			if strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
				sentence++
			}
			if sentence == longest+1 {
				report("long sentence", fmt.Sprintf("%s:%d", name, first))
			}
			if end := strings.TrimRight(word, `)*"”`); strings.HasSuffix(end, ".") || strings.HasSuffix(end, ":") || strings.HasSuffix(end, ";") || strings.HasSuffix(end, "?") {
				sentence = 0
			}
		}
	}
}

// TestProse limits long lines, long sentences, and phrases that are read twice.
func TestProse(t *testing.T) {
	t.Parallel()
	documents, comments := map[string][]string{}, map[string][]string{} // where each kind is
	in := func(places map[string][]string) func(kind, where string) {
		return func(kind, where string) { places[kind] = append(places[kind], where) }
	}
	for _, d := range read(t) {
		if d.name == "bench/PUBLISHED.md" {
			continue // a program writes it
		}
		if n := len(d.lines) - 1; n > page && !strings.HasPrefix(d.name, "bench/") {
			t.Errorf("%s has %d lines, and a page has at most %d", d.name, n, page)
		}
		made := false // by a program
		for i, line := range d.lines {
			if strings.HasPrefix(line, "<!-- ") {
				made = !strings.HasPrefix(line, "<!-- /")
			}
			wraps := strings.Count(line, " ") > 1 && !strings.Contains(line, "](https://") && !strings.HasPrefix(line, "|") && !strings.HasPrefix(strings.TrimSpace(line), "<")
			if utf8.RuneCountInString(line) > columns && wraps && !made && !d.code(i+1) {
				in(documents)("long line", fmt.Sprintf("%s:%d", d.name, i+1))
			}
		}
		prose(d.name, d.prose, in(documents))
	}
	for name := range strings.FieldsSeq(output(t, root, "git", "ls-files", "*.go")) {
		if strings.Contains(name, "testdata/") || strings.HasSuffix(name, ".pb.go") {
			continue
		}
		src, err := os.ReadFile(root + "/" + name)
		if err != nil {
			continue // it is gone from the tree but not from the index
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // a newer Go's syntax
		}
		lines := bytes.Split(src, []byte("\n"))
		for _, group := range f.Comments {
			if strings.Contains(group.Text(), "#include") {
				continue // C, for cgo
			}
			for _, c := range group.List {
				line := fset.Position(c.Pos()).Line
				whole := strings.ReplaceAll(string(lines[line-1]), "\t", "    ")
				if strings.HasPrefix(strings.TrimSpace(whole), "//") && utf8.RuneCountInString(whole) > columns && !strings.Contains(whole, "://") && !strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//\t") {
					in(comments)("long line", fmt.Sprintf("%s:%d", name, line))
				}
			}
			prose(fmt.Sprintf("%s:%d", name, fset.Position(group.Pos()).Line), group.Text(), in(comments))
		}
	}
	for kind, b := range bounds {
		for _, side := range []struct {
			name string
			at   []string
			most int
		}{{"documents", documents[kind], b.documents}, {"comments", comments[kind], b.comments}} {
			n := len(side.at)
			t.Logf("%s in %s: %d of %d", kind, side.name, n, side.most)
			if n > side.most {
				t.Errorf("%s in %s: %s", kind, side.name, strings.Join(side.at[:min(n, 40)], " "))
			}
		}
	}
}

// TestProseChecks proves that prose finds each kind, and that each has a bound.
func TestProseChecks(t *testing.T) {
	found := map[string]int{}
	prose("bad.md", `The size is that of a page, the one that comes first, in place of a word. Who is told it takes back
as many; so many bytes as it has stay as they are. It was to be short, and mends nothing.
`+strings.Repeat("word ", longest)+"word.\n"+strings.Repeat("word ", longest-1)+"word.\n", func(kind, where string) { found[kind]++ })
	for kind := range bounds {
		if want := 1; kind != "long line" && found[kind] != want {
			t.Errorf("%s: found %d times, want %d", kind, found[kind], want)
		}
	}
	if len(found) != len(patterns)+1 || len(bounds) != len(patterns)+2 {
		t.Errorf("%d kinds were found of %d patterns and %d bounds", len(found), len(patterns), len(bounds))
	}
}
