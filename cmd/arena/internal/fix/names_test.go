package fix

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const names1 = `
-- a.go --
package m

import (
	"io"
	"net/url"

	"example.com/m/other"
)

type Msg struct {
	Name string
	Next *Msg
}

type codec struct{}

func (codec) Decode(r io.Reader, n int) *Msg {
	b := make([]byte, n)
	k, _ := r.Read(b)
	return &Msg{Name: string(b[:k])}
}

func Param(ParamIn int) *Msg { return &Msg{Name: string(make([]byte, ParamIn))} }

func Blank(_ int, p0 string) *Msg { return &Msg{Name: p0} }

func Generic[_, P0 any](x P0) []P0 { return append([]P0(nil), x, x) }

func Local(n int) *Msg {
	LeafIn := n + 1
	m := Leaf(LeafIn)
	return m
}

func Leaf(n int) *Msg { return &Msg{Name: string(make([]byte, n))} }

type token struct{ a, b int }

func Shadow(token token) []*int {
	x := token
	x.a++
	return []*int{&x.a, &x.b}
}

func ShadowPkg(url string) []any {
	u := parse(url)
	v := *u
	var list []any
	list = append(list, &v, url)
	return list
}

func parse(s string) *url.URL { u, _ := url.Parse(s); return u }

func Hidden(n int) []any {
	v := *other.Get()
	v.N = n
	l := make(other.List, n)
	m := append(other.All(), l...)
	return []any{&v, l, m}
}

func Root(r io.Reader) []any {
	var all []any
	all = append(all, codec{}.Decode(r, 3), Param(2), Blank(1, "x"), Generic[int](3), Local(3), Shadow(token{1, 2}), ShadowPkg("http://x"), Hidden(2), declaredInTest(2))
	return all
}

func declaredInTest(n int) *Msg { return &Msg{Name: string(make([]byte, n))} }
-- a_test.go --
package m

import (
	"strings"
	"testing"
)

func declaredInTestIn(n int) *Msg { return declaredInTest(n) }

func Test(t *testing.T) {
	if all := Root(strings.NewReader("abc")); len(all) != 9 || declaredInTestIn(1).Name != "\x00" {
		t.Error(all)
	}
}
-- other/o.go --
package other

type hidden struct{ N int }
type List []hidden

func Get() *hidden  { return &hidden{} }
func All() []hidden { return nil }
`

const names2 = `
-- a.go --
package m

type node struct {
	kids []*node
	n    int
}

func Sum(s string) int {
	t := sum(s)
	return t.n + len(t.kids)
}

func sum(s string) *node {
	t := &node{n: len(s)}
	for range s {
		t.kids = append(t.kids, &node{n: 1})
	}
	return t
}
`

// TestNames: what is written has names that mean the same there.
func TestNames(t *testing.T) {
	t.Parallel()
	r, src := rewritten(t, names1, Options{Roots: []string{"m.Root"}})
	for _, want := range []string{"declaredInTestIn_(", "Generic[P0_, P0 any]", "func (r_ codec) Decode(r io.Reader", "Blank(p0_ int, p0 string)", "ParamIn_(", "LeafIn_("} {
		if !strings.Contains(src, want) {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
	hidden := 0
	for _, s := range r.Sites {
		if s.Why == whyHidden.String() {
			hidden++
		}
	}
	if hidden < 3 {
		t.Errorf("%d sites stay for a name", hidden)
	}
	rewritten(t, names2, Options{Roots: []string{"m.sum"}, Scopes: []string{"m.Sum"}})
}

const systems = `
-- a.go --
package m

type Node struct{ Name string }

func Root(s string) *Node { return leaf(s + "x") }
-- leaf_linux.go --
package m

func leaf(s string) *Node { return &Node{Name: s} }
-- leaf_other.go --
//go:build !linux

package m

func leaf(s string) *Node { return &Node{Name: s + "!"} }
`

// TestSystems: a function stays unchanged if other systems have another one.
func TestSystems(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("builds for Linux")
	}
	r, _ := rewritten(t, systems, Options{Roots: []string{"m.Root"}})
	if len(r.Files) != 1 {
		t.Errorf("%d files change", len(r.Files))
	}
	for name := range r.Files {
		env := append(os.Environ(), "GOOS=darwin", "CGO_ENABLED=0")
		// By the sources of the library: nothing of it has to be compiled for another system.
		const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax
		pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: filepath.Dir(name), Env: env}, "./...")
		if err != nil || len(pkgs) != 1 || len(pkgs[0].Syntax) != 2 {
			t.Fatal(pkgs, err)
		}
		for _, err := range pkgs[0].Errors {
			t.Error(err)
		}
	}
}

// TestOldGo: a function may move that has another declaration for an older Go, but not if a system
// has that, too.
func TestOldGo(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("builds for Linux")
	}
	for tags, moves := range map[string]bool{
		"!go1.18":                      true,
		"!go1.18 && (linux || !linux)": true,
		"!(go1.18 || go1.20)":          true,
		"!go1.18 || windows":           false,
		"!(go1.18 && linux)":           false,
		"!go1.99 && windows":           false,
		"js":                           false,
	} {
		r, _ := rewritten(t, `
-- a.go --
package m

type Node struct{ Name string }

func Root(s string) *Node { return leaf(s) }

func leaf(s string) *Node { return &Node{Name: s} }
-- b.go --
//go:build `+tags+`

package m

func leaf(s string) *Node { return nil }
`, Options{Roots: []string{"m.Root"}})
		if (r.Moved() > 0) != moves {
			t.Errorf("%s: moves %v, want %v", tags, !moves, moves)
		}
	}
}

const loops = `
-- a.go --
//go:build go1.21

package m

func Root(list []int) []*int {
	var all []*int
	for _, v := range list {
		all = append(all, &v)
	}
	return all
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	if all := Root([]int{1, 2}); all[0] != all[1] {
		t.Error("another variable")
	}
}
-- b.go --
package m



func Anew(list []int) []*int {
	var all []*int
	for _, v := range list {
		all = append(all, &v)
	}
	return all
}
`

// TestOldLoops: variables of loops stay that all turns have.
func TestOldLoops(t *testing.T) {
	t.Parallel()
	r, _ := rewritten(t, loops, Options{Roots: []string{"m.Root", "m.Anew"}})
	for _, s := range r.Sites {
		if s.Kind == kindVariable && (s.Why == "") == strings.HasSuffix(s.File, "a.go") {
			t.Errorf("%s: a variable stays because it is %q", s.File, s.Why)
		}
	}
}
