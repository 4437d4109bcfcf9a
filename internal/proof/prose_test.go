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
	"long sentence":   {6, 124},
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
	counts, places := map[string]*bound{}, map[string][]string{}
	count := func(kind, where string, comment bool) {
		if counts[kind] == nil {
			counts[kind] = new(bound)
		}
		if comment {
			counts[kind].comments++
			kind += " in comments"
		} else {
			counts[kind].documents++
			kind += " in documents"
		}
		places[kind] = append(places[kind], where)
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
			if !made && utf8.RuneCountInString(line) > columns && !d.code(i+1) && !strings.HasPrefix(line, "|") && strings.Count(line, " ") > 1 && !strings.HasPrefix(strings.TrimSpace(line), "<") && !strings.Contains(line, "](https://") {
				count("long line", fmt.Sprintf("%s:%d", d.name, i+1), false)
			}
		}
		prose(d.name, d.prose, func(kind, where string) { count(kind, where, false) })
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
					count("long line", fmt.Sprintf("%s:%d", name, line), true)
				}
			}
			prose(fmt.Sprintf("%s:%d", name, fset.Position(group.Pos()).Line), group.Text(), func(kind, where string) { count(kind, where, true) })
		}
	}
	for kind, b := range bounds {
		is := counts[kind]
		if is == nil {
			is = new(bound)
		}
		for _, side := range []struct {
			name    string
			is, may int
		}{{"documents", is.documents, b.documents}, {"comments", is.comments, b.comments}} {
			at := places[kind+" in "+side.name]
			switch {
			case side.is > side.may:
				t.Errorf("%s in %s: %d, and at most %d may be: %s", kind, side.name, side.is, side.may, strings.Join(at[:min(len(at), 40)], " "))
			case testing.Verbose():
				t.Logf("%s in %s: %d of %d", kind, side.name, side.is, side.may)
			}
		}
	}
}

// code reports whether a line is in a block of code.
func (d *document) code(line int) bool {
	return slices.ContainsFunc(d.blocks, func(b block) bool {
		return line >= b.line-1 && line <= b.line+strings.Count(b.text, "\n")
	})
}
