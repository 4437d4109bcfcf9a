package proof

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const (
	root   = "../.."
	module = "github.com/arena-go/arena"
)

// A document is a Markdown file of the repository.
type document struct {
	name   string // its path below root, with slashes
	prose  string // the text without code, so that links can be looked for
	lines  []string
	blocks []block
	spans  []span // code within a line
}

// A block is code between fences, or indented.
type block struct {
	language string // behind the fence
	text     string
	line     int // of the first line of text
}

// A span is code between backquotes.
type span struct {
	text string
	line int
}

var (
	fence  = regexp.MustCompile("^( *)```([a-z]*)$")
	quoted = regexp.MustCompile("`[^`]+`")
)

func parse(name, text string) *document {
	d := &document{name: name, lines: strings.Split(text, "\n")}
	var prose strings.Builder
	var open *block
	indent := ""
	for i, line := range d.lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && m != nil:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case m != nil:
			open, indent = &block{language: m[2], line: i + 2}, m[1]
		case strings.HasPrefix(line, "    ") && (i == 0 || d.lines[i-1] == "" || strings.HasPrefix(d.lines[i-1], "    ")):
			d.blocks = append(d.blocks, block{text: strings.TrimSpace(line) + "\n", line: i + 1})
		default:
			for _, q := range quoted.FindAllString(line, -1) {
				d.spans = append(d.spans, span{strings.Trim(q, "`"), i + 1})
			}
			prose.WriteString(quoted.ReplaceAllString(line, "code"))
		}
		prose.WriteByte('\n')
	}
	d.prose = prose.String()
	return d
}

// read returns all documents.
func read(t *testing.T) (all []*document) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "testdata"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		all = append(all, parse(filepath.ToSlash(name), string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLinks checks that the links to files and headings of the repository lead somewhere.
func TestLinks(t *testing.T) {
	for _, d := range read(t) {
		for _, problem := range d.links() {
			t.Error(problem)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)

func (d *document) links() (problems []string) {
	for i, line := range strings.Split(d.prose, "\n") {
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			target := m[1] + m[2]
			if strings.Contains(target, ":") {
				continue // elsewhere
			}
			name, anchor, _ := strings.Cut(target, "#")
			file := d.name
			to := d
			if name != "" {
				file = filepath.ToSlash(filepath.Join(filepath.Dir(d.name), name))
				to = nil
			}
			if to == nil && !exists(file) {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", d.name, i+1, file))
				continue
			}
			if anchor == "" {
				continue
			}
			if to == nil {
				text, err := os.ReadFile(filepath.Join(root, file))
				if err != nil {
					problems = append(problems, fmt.Sprintf("%s:%d: %v", d.name, i+1, err))
					continue
				}
				to = parse(file, string(text))
			}
			if !slices.Contains(to.anchors(), anchor) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s has no heading #%s", d.name, i+1, file, anchor))
			}
		}
	}
	return problems
}

// exists reports whether there is a file or directory of exactly this name, on systems too where
// other names lead to it.
func exists(file string) bool {
	at := root
	for part := range strings.SplitSeq(file, "/") {
		if part == ".." {
			return false // out of the repository
		}
		entries, err := os.ReadDir(at)
		if err != nil || part != "." && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == part }) {
			return false
		}
		at = filepath.Join(at, part)
		if s, err := os.Stat(at); err == nil && !s.IsDir() {
			return strings.HasSuffix(file, part)
		}
	}
	return true
}

// anchors returns the names that GitHub gives to the headings.
func (d *document) anchors() (names []string) {
	for i, line := range d.lines {
		hashes, title, ok := strings.Cut(line, " ")
		if !ok || d.code(i+1) || strings.Trim(hashes, "#") != "" || hashes == "" {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		for first, n := name, 1; slices.Contains(names, name); n++ {
			name = first + "-" + strconv.Itoa(n)
		}
		names = append(names, name)
	}
	return names
}

// code reports whether a line is in a block of code.
func (d *document) code(line int) bool {
	return slices.ContainsFunc(d.blocks, func(b block) bool {
		return b.line <= line && line < b.line+strings.Count(b.text, "\n")
	})
}

// TestChecks proves that what is wrong with a document is found.
func TestChecks(t *testing.T) {
	bad := parse("docs/bad.md", strings.ReplaceAll(`# One heading

[good](../README.md) [good](#one-heading) [gone](gone.md) [gone](../README.md#gone) [gone](#gone) [gone](../../gone.md) [case](../readme.md)
'[code](gone.md)' <img src="gone.svg">

    go run ./gone
    go run ./examples/profiles -gone
    go test -run TestGone ./internal/proof && go vet ./internal/proof
    make gone help
    make help    # gone

Also 'go test ./gone/...' and 'go run ./internal/proof'; 'arena.Gone', 'arena.Pool.Put', 'Pool.Gone' and other.Gone.

'''go
a := arena.NewArena()
a.Gone(imagined)
return a
'''

'''go
func f(a *arena.Arena) *node { return arena.New(a) }
'''
`, "'", "`"))
	is := func(what string, got []string, want ...string) {
		t.Helper()
		if len(got) != len(want) {
			t.Errorf("%s: %q", what, got)
			return
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%s: %q, want %q", what, got[i], want[i])
			}
		}
	}
	is("links", bad.links(), "no docs/gone.md", "README.md has no heading #gone", "bad.md has no heading #gone", "no ../gone.md", "no readme.md", "no docs/gone.svg")
	is("commands", bad.commands(), "go test ./gone/...: there is no such", "go run ./internal/proof: there is no such",
		"go run ./gone: there is no such", "no flag -gone", "no test or benchmark TestGone", "no target gone")
	is("names", bad.names(map[string]bool{"arena": true, "arena.Pool": true, "arena.NewArena": true, "arena.Arena": true, "arena.New": true, "Pool": true, "Pool.Put": true}),
		"no arena.Gone", "no Pool.Gone")
	if !testing.Short() {
		is("fragments", bad.fragments(t, exportData(t)), "a.Gone undefined", "cannot infer T")
	}
	if got := parse("", "## What `New[T]` does, and *why* not?\n\n## Twice\n## Twice\n").anchors(); !slices.Equal(got, []string{"what-newt-does-and-why-not", "twice", "twice-1"}) {
		t.Errorf("the anchors are %q", got)
	}
}
