package real

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// moduleDirs returns the directories of the modules that are required here.
func moduleDirs(t *testing.T) map[string]string {
	list := exec.Command("go", "list", "-m", "-f", "{{if not .Indirect}}{{.Path}} {{.Dir}}{{end}}", "all")
	list.Env = append(os.Environ(), "GOWORK=off")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(path, "github.com/arena-go/") {
			dirs[path] = dir
		}
	}
	return dirs
}

// documents returns the JSON that a module has in files and in the text of its tests.
func documents(t *testing.T, dir string) (docs []string) {
	seen := map[string]bool{}
	add := func(s string) {
		if s = strings.TrimSpace(s); len(s) > 15 && len(s) < 300_000 && (s[0] == '{' || s[0] == '[') && !seen[s] && json.Valid([]byte(s)) {
			seen[s] = true
			docs = append(docs, s)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
		case strings.HasSuffix(path, ".json"):
			b, err := os.ReadFile(path)
			add(string(b))
			return err
		case strings.HasSuffix(path, "_test.go"):
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil // a test of the parser, perhaps
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					s, _ := strconv.Unquote(lit.Value)
					add(s)
				}
				return true
			})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// A span is where a value lies in a document, or a name.
type span struct {
	from, to int
	name     bool
}

// spans returns the spans of all values of a document without errors, parts after the whole.
func spans(doc string) (list []span) {
	var open []int
	for i := 0; i < len(doc); {
		start := i
		switch c := doc[i]; c {
		case ' ', '\t', '\r', '\n', ',':
			i++
			continue
		case ':':
			list[len(list)-1].name = true
			i++
			continue
		case '{', '[':
			open = append(open, len(list))
			i++
		case '}', ']':
			i++
			list[open[len(open)-1]].to = i
			open = open[:len(open)-1]
			continue
		case '"':
			for i++; doc[i] != '"'; i++ {
				if doc[i] == '\\' {
					i++
				}
			}
			i++
		default:
			for i < len(doc) && !strings.ContainsRune(" \t\r\n,]}", rune(doc[i])) {
				i++
			}
		}
		list = append(list, span{from: start, to: i})
	}
	return list
}

// objects returns the objects that lie in a document, or are it, with their names.
func objects(doc string) (parts []string) {
	for _, s := range spans(doc) {
		if doc[s.from] == '{' && s.to-s.from > 15 {
			parts = append(parts, doc[s.from:s.to])
		}
	}
	return parts
}

var values = []string{"null", "0", "-1", "1.5", "1e400", "123456789012345678901234567890", `""`, `"text"`, `"\ud800"`, `"2024-05-06T07:08:09Z"`, "true", "false", "[]", "{}", `[null]`, `{"a":1}`, `[[1]]`, "nul", "01", `"\x"`, "\"\n\"", "\"\xff\"", ""}

// damaged returns the document with something that is wrong, or unusual.
func damaged(r *rand.Rand, doc string) string {
	list := spans(doc)
	if len(list) == 0 {
		return doc
	}
	s := list[r.IntN(len(list))]
	with := func(s span, text string) string { return doc[:s.from] + text + doc[s.to:] }
	switch r.IntN(8) {
	case 0:
		return doc[:r.IntN(len(doc))]
	case 1:
		const bytes = "\"\\{}[]:,0-eE. \n\x00\xffnt"
		b := []byte(doc)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] = bytes[r.IntN(len(bytes))]
		}
		return string(b)
	case 2:
		return doc + values[r.IntN(len(values))]
	case 3:
		if s.name { // the name in other cases
			return with(s, []func(string) string{strings.ToUpper, strings.ToLower, strings.ToTitle}[r.IntN(3)](doc[s.from:s.to]))
		}
	case 4, 5: // a value of the document replaces another, or a name
		if o := list[r.IntN(len(list))]; len(doc) < 20_000 {
			return with(s, doc[o.from:o.to])
		}
	case 6: // the members twice
		if doc[s.from] == '{' && s.to-s.from > 2 && len(doc) < 20_000 {
			return with(s, doc[s.from:s.to-1]+","+doc[s.from+1:s.to])
		}
	}
	for s.name {
		s = list[r.IntN(len(list))]
	}
	return with(s, values[r.IntN(len(values))])
}

// An index finds types that a document is for by the names of its members.
type index map[string][]reflect.Type

func (x index) add(t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			x[name] = append(x[name], t)
		}
	}
}

// types returns those with the most members of the document, n at most.
func (x index) types(doc string, n int) []reflect.Type {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(doc), &members) != nil {
		return nil
	}
	score := map[reflect.Type]float64{}
	for name := range members {
		for _, t := range x[name] {
			score[t] += 1 - float64(t.NumField())/1000
		}
	}
	var list []reflect.Type
	for t := range score {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b reflect.Type) int {
		if score[a] != score[b] {
			return int(1e6 * (score[b] - score[a]))
		}
		return strings.Compare(a.PkgPath()+a.Name(), b.PkgPath()+b.Name())
	})
	return list[:min(n, len(list))]
}
