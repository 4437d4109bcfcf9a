//go:build go1.27

package arenavet_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/load"
)

const genericMethods = `package generic

import "github.com/arena-go/arena"

type box struct{ a *arena.Arena }

func (b *box) put[T any](v T) *T { return arena.Ptr(b.a, v) }

func (b *box) text[S ~string | ~[]byte](s S) string { return arena.String(b.a, s) }

func stale(b *box) int {
	p := b.put(3)
	b.a.Reset()
	return *p
}

func outlives(b *box, in []byte) string {
	defer b.a.Reset()
	return b.text(in)
}

func methodStale(a *arena.Arena) int {
	p := a.New[int]()
	a.Reset()
	return *p
}

func methodOutlives(a *arena.Arena, in []byte) string {
	defer a.Reset()
	return a.String(in)
}

func methodOk(a *arena.Arena) int {
	n := *a.Ptr(3)
	a.Reset()
	return n
}

func (b *box) each[T any](all []T, f func(*T)) {
	for _, v := range all {
		f(b.put(v))
	}
}

func (b *box) with[T any](f func(*arena.Arena) T) T {
	defer b.a.Reset()
	return f(b.a)
}

type list[E any] struct{ all []E }

func (l *list[E]) to[T any](f func(E) T) (r list[T]) {
	for _, e := range l.all {
		r.all = append(r.all, f(e))
	}
	return r
}

func eachOutlives(b *box, in []int) (all []*int) {
	b.each(in, func(p *int) { all = append(all, p) })
	b.a.Reset()
	return all
}

func withOutlives(b *box) *int {
	return b.with(func(a *arena.Arena) *int { return arena.Ptr(a, 3) })
}

func toOutlives(a *arena.Arena, l *list[string]) list[string] {
	defer a.Reset()
	return l.to(func(s string) string { return arena.String(a, s) })
}

func withOk(b *box) int {
	return b.with(func(a *arena.Arena) int { return *arena.Ptr(a, 3) })
}

func toOk(a *arena.Arena, l *list[string]) list[int] {
	defer a.Reset()
	return l.to(func(s string) int { return len(arena.String(a, s)) })
}

func ok(b *box) int {
	p := b.put(3)
	n := *p
	b.a.Reset()
	return n
}
`

// TestGenericMethods analyzes methods with type parameters of their own, which Go has since 1.27.
func TestGenericMethods(t *testing.T) {
	stub, err := filepath.Abs("testdata/stub")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/generic\n\ngo 1.27\n\nrequire github.com/arena-go/arena v0.0.0\n\nreplace github.com/arena-go/arena => " + stub + "\n",
		"x.go":   genericMethods,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := load.Packages(load.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")}, ".")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(arenavet.Analyzers, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []analysis.Diagnostic
	for _, root := range graph.Roots {
		found = append(found, root.Diagnostics...)
	}
	slices.SortFunc(found, func(a, b analysis.Diagnostic) int { return int(a.Pos - b.Pos) })
	var codes []string
	for _, d := range found {
		codes = append(codes, d.Category)
	}
	if got := strings.Join(codes, " "); got != "stale outlives stale outlives outlives outlives outlives" {
		t.Errorf("found %q, want stale and outlives, twice, and outlives three times", got)
	}
}
