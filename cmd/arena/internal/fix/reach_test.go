package fix

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var reachRoots = []string{"reach.Parse", "reach.Table", "reach.Watched", "reach.Split", "reach.Reader.Next", "reach.Tokenizer.Tokens", "reach.Unquoted", "reach.Background", "reach.Registered", "reach.Told", "reach.Locked", "reach.Reuser.Parse", "reach.Spoken", "reach.Walked", "reach.Ended", "reach.Shared.Decode", "reach.Filled", "reach.Dict.Split", "reach.Looked", "reach.Once", "reach.Titled.Title", "reach.Duplex.Read", "reach.Duplex.Write", "reach.NewPhrase", "reach.Wide"}

var reach = sync.OnceValues(func() (*Result, error) { return Run(reachOptions()) })

func reachOptions() Options {
	dir, err := filepath.Abs(filepath.Join("testdata", "reach"))
	if err != nil {
		panic(err)
	}
	return Options{Dir: dir, Roots: reachRoots}
}

// TestReach: a root leads to where the work is: past errors that are made of what it has made, by
// functions of a table, pools whose New sets fields, and methods.
func TestReach(t *testing.T) {
	t.Parallel()
	o := reachOptions()
	r, err := reach()
	if err != nil {
		t.Fatal(err)
	}
	asCommented(t, o.Dir, r)
	src := string(r.Files[filepath.Join(o.Dir, "reach.go")])
	for _, want := range []string{
		"defer r.swapArena(r.swapArena(ar))",
		"return r.NextIn(r.arenaOrHeap())",
		"x = pool.New().(*scratch)",
		"func (t *Tokenizer) tokenIn(ar *arena.Arena, w string)",
	} {
		if !strings.Contains(src, want) {
			t.Errorf("no\n%s\nin\n%s", want, src)
		}
	}
	for _, shared := range []string{"Tokenizer", "Shared", "Dict", "Titled", "Duplex", "Phrase"} {
		if slices.Contains(r.Carriers, "example.com/reach."+shared) {
			t.Errorf("many goroutines use a carrier, %s", shared)
		}
	}
}

// TestSteps: a constructor leads to the methods of what it makes, unless one does not change that:
// many goroutines may call it.
func TestSteps(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Steps struct{ text string; last []string }

func NewSteps(text string) *Steps { return &Steps{text: text} }

func (s *Steps) Next() string { s.last = append(s.last, s.text+"!"); return s.text + "?" }
%s
`
	for more, want := range map[string]bool{
		"": true,
		"func (s *Steps) Has() bool { return len(s.last) > 0 }":   true,
		"func (s *Steps) All() string { return s.text + s.text }": false,
		"func (s *Steps) Read(p []byte) (int, error) { return copy(p, s.all()[0]), nil }\n\nfunc (s *Steps) all() []string { return []string{s.text + s.text} }": true, // of a stream
	} {
		r, src := rewritten(t, strings.Replace(source, "%s", more, 1), Options{Roots: []string{"m.NewSteps"}})
		if got := slices.Contains(r.Carriers, "example.com/m.Steps"); got != want {
			t.Errorf("with %q the arena is in Steps: %v\n%s", more, got, src)
		}
	}
}

// TestShare: what the methods of a constructed struct allocate counts as the root's, and a builder
// counts where it grows.
func TestShare(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import "strings"

type Steps struct{ text string; last []*int }

func NewSteps(text string) *Steps { return &Steps{text: text} }

func (s *Steps) Next() string {
	var b strings.Builder
	b.WriteString(s.text)
	b.WriteString(s.text)
	s.last = append(s.last, new(int))
	return b.String()
}
`
	r, src := rewritten(t, source, Options{Roots: []string{"m.NewSteps"}, Profile: allocated(t, "example.com/m.(*Steps).Next", "a.go", 11, 12, 13)})
	moved := 0.0
	for _, s := range r.Sites {
		if s.Why == "" {
			moved += s.Bytes
		}
	}
	if r.Share != 1 || moved < 0.999 || moved > 1.001 {
		t.Errorf("%.2f of %.2f\n%s", moved, r.Share, src)
	}
}

// TestShorter: a field that keeps memory for the next call is on the heap, however it becomes
// shorter. What lies in it moves.
func TestShorter(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import "slices"

var _ = slices.Max[[]int]

type Queue struct{ list, other []*int }

func (q *Queue) Run(n int) (sum int) {
	for i := range n {
		q.list = append(q.list, new(int))
		sum += i
	}
	%s
	return sum
}

func first(list []*int) (*int, []*int) { return list[0], list[1:] }

func all(list []*int) []*int { return slices.Clone(list) }
`
	shortens := map[string]bool{
		"for len(q.list) > 0 { q.list = q.list[1:] }":                         true,
		"q.list = q.list[:n/2]":                                               true,
		"q.list = (q.list)[n:n]":                                              true,
		"q.list = slices.Delete(q.list, 0, n)":                                true,
		"q.list = slices.DeleteFunc(q.list, func(*int) bool { return true })": true,
		"q.list = append(q.list[:0], q.list[1:]...)":                          true,
		"_, rest := first(q.list); q.list = rest":                             true,
		"_, q.list = first(q.list)":                                           true,
		"p := &q.list; *p = (*p)[1:]":                                         true,
		"l := q.list; l = l[1:]; l = append(l, nil); sum += len(l)":           true,
		"q.other, q.list = q.list[1:], nil":                                   true,
		"q.list = slices.Grow(q.list, 9)":                                     false,
		"q.list = all(q.list)":                                                true, // of what it does is nothing known yet
		"q.list = append([]*int(nil), q.list...)":                             false,
		"for _, x := range q.list[1:] { sum += *x }":                          false,
		"q.other = nil; q.list = q.other":                                     false,
	}
	ways := slices.Sorted(maps.Keys(shortens))
	var modules []string
	for _, way := range ways {
		modules = append(modules, strings.Replace(source, "%s", way, 1))
	}
	results, texts := apart(t, modules, Options{Roots: []string{"m.Queue.Run"}})
	for n, way := range ways {
		for kind, stays := range map[string]bool{kindAppend: shortens[way], kindValue: false} {
			sites := results[n].Sites
			i := slices.IndexFunc(sites, func(s Site) bool { return s.Line == 11 && s.Kind == kind })
			if i < 0 || (sites[i].Why != "") != stays {
				t.Errorf("%s: %s: stays %v, want %v\n%s", way, kind, !stays, stays, texts[n])
			}
		}
	}
}

// TestElsewhere: the report says where the bytes are that have no site.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import "regexp"

func Parse(s string) (*regexp.Regexp, []int) { return regexp.MustCompile(s), make([]int, len(s)) }

func Twice(s string) *regexp.Regexp {
	return regexp.MustCompile(s)
}
`
	r, _ := rewritten(t, source, Options{Roots: []string{"m.Parse", "m.Twice"}, Profile: allocated(t, "example.com/m.Twice", "a.go", 8)})
	if want := "100 % are allocated on lines without sites: by example.com/m 100 %.\n"; r.rest() != want {
		t.Errorf("%q, want %q", r.rest(), want)
	}
}
