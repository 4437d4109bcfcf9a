package fix

import (
	"os/exec"
	"strings"
	"testing"
)

const formsSource = `
-- a.go --
package m

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

type Name string

type Letters []rune

type Out struct {
	Ints   []int
	Beyond int
	Bytes  []byte
	Runes  []rune
	More   Letters
	Text   string
	Name   Name
	Other  Name
	Short  []string
	Reader io.Reader
}

var calls int

func length(n int) int64 {
	calls++
	return int64(n)
}

func Run(b []byte, r []rune, s string, n uint64) *Out {
	o := &Out{}
	o.Ints = make([]int, length(len(b)))
	o.Ints = slices.Insert(o.Ints, 1, 7, 8)
	o.Ints = slices.Concat(o.Ints, slices.Clone(o.Ints), nil)
	o.Ints = slices.Grow(o.Ints, 3)
	o.Beyond = slices.Grow(o.Ints[:0], 100)[:5][2]
	o.Bytes = make([]byte, n)
	o.Bytes = append(o.Bytes, s...)
	all, err := io.ReadAll(strings.NewReader(s))
	if err != nil {
		return nil
	}
	o.Bytes = append(o.Bytes, all...)
	o.Runes = []rune(s)
	o.More = Letters(s)
	o.Text = string(r)
	o.Name = Name(b)
	o.Other = o.Name + "x" + Name(s)
	o.Other += o.Name
	o.Short = slices.Clone([]string(nil))
	o.Reader = bytes.NewReader(b)
	return o
}

func Sum(n int) (sum int) {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for _, v := range list {
		sum += v
	}
	var squares []int
	for _, v := range list {
		squares = append(squares, v*v)
	}
	for _, v := range squares {
		sum += v
	}
	return sum
}

func Fail(f func(n int64), n int64) (text any) {
	defer func() { text = recover() }()
	f(n)
	return nil
}

func Make(n int64) int { return len(make([]int, n)) }
-- a_test.go --
package m

import (
	"io"
	"reflect"
	"testing"
)

func Test(t *testing.T) {
	calls = 0
	o := Run([]byte("ab"), []rune{'x', -1, 'ü'}, "y\xffü", 2)
	rest, err := io.ReadAll(o.Reader)
	if err != nil || string(rest) != "ab" {
		t.Errorf("%q %v", rest, err)
	}
	o.Reader = nil
	ints := []int{0, 7, 8, 0}
	want := Out{Beyond: 8, Ints: append(ints, ints...), Bytes: []byte("\x00\x00y\xffüy\xffü"), Runes: []rune("y\xffü"), More: Letters("y\xffü"), Text: "x\uFFFDü", Name: "ab", Other: "abxy\xffüab"}
	if !reflect.DeepEqual(*o, want) || calls != 1 {
		t.Errorf("%d calls, %+v, want %+v", calls, *o, want)
	}
	if n := Sum(100); n != 4950+328350 {
		t.Error(n)
	}
	if Make(3) != 3 || Fail(func(n int64) { Make(n) }, -1) == nil {
		t.Error("no panic")
	}
}
`

// TestForms: what functions of the standard library make, and conversions, in an arena, is what it
// is on the heap.
func TestForms(t *testing.T) {
	o := Options{Roots: []string{"m.Run", "m.Sum", "m.Make"}}
	r, src := rewritten(t, formsSource, o)
	for _, want := range []string{
		"arenaMake[int](ar, length(len(b)))", "arenaInsert(ar, ", "arenaConcat(ar, ", "arenaClone(ar, ", "arenaGrow(ar, ", "arenaMake[byte](ar, n)",
		"arenaAppendText(ar, o.Bytes, s)", "arenaReadAll(ar, ", "arenaRunes(ar, s)", "Letters(arenaRunes(ar, s))", "arenaText(ar, r)", "Name(arena.String(ar, b))",
		`Name(arena.Concat(ar, string(o.Name), string("x"), string(Name(s))))`, "o.Other = Name(arena.Concat(ar, string(o.Other), string(o.Name)))",
		"arena.Ptr(ar, *bytes.NewReader(b))", "list := arena.MakeSlice[int](ar, n, n)",
	} {
		if !strings.Contains(src, want) {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
	for _, s := range r.Sites {
		if s.Why != "" {
			t.Errorf("%s:%d: %s stays: %s", s.File, s.Line, s.Kind, s.Why)
		}
	}
	testedLong(t, formsSource, o)
}

// TestSmall: what is on the stack while it is small moves if a profile has its line, and no site of
// that line allocates for certain.
func TestSmall(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Node struct{ Name string }

func Parse(b []byte) (list []*Node) {
	var words []string
	for i := range b {
		words = append(words, "word")
		seen := len(words[i] + "x")
		s := string(b[i:])
		list = append(list, &Node{string(b[:i])})
		if len(s) == seen || len(words) == 0 || string(b) == "x" {
			break
		}
	}
	return list
}
`
	_, src := rewritten(t, source, Options{Roots: []string{"m.Parse"}, Profile: allocated(t, "example.com/m.Parse", "a.go", 8, 9, 10, 11)})
	for _, want := range []string{"words = arenaPush(ar, words, ", "seen := len(arena.Concat(ar, ", "s := arena.String(ar, b[i:])", "arena.String(ar, b[:i])", `string(b) == "x"`} {
		if !strings.Contains(src, want) {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
	r, src := rewritten(t, source, Options{Roots: []string{"m.Parse"}, Profile: allocated(t, "example.com/m.Parse", "a.go", 11)})
	_, all := rewritten(t, source, Options{Roots: []string{"m.Parse"}})
	if _, src := rewritten(t, source, Options{Roots: []string{"m.Parse"}, Profile: allocatedBy(t, "bytes.growSlice", "example.com/m.Parse", "a.go", 10, 11)}); strings.Contains(src, "s := arena") {
		t.Errorf("a conversion moves on a line where a library allocates:\n%s", src)
	}
	if len(r.Sites) != 3 {
		t.Errorf("%d sites, want 3", len(r.Sites))
	}
	for _, no := range []string{"words = arena", "seen := len(arena", "s := arena"} {
		if strings.Contains(src, no) || strings.Contains(all, no) {
			t.Errorf("%s in\n%s\n%s", no, src, all)
		}
	}
}

// TestShadowed: the package has names of builtins, a variable is called string, and a file is of an
// older Go.
func TestShadowed(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Name string

func max(a, b float64) float64 { return a + b }

func Root(a, b Name, words []string) (list []Name) {
	for range words {
		list = append(list, a+b)
	}
	string := "x"
	list = append(list, a+Name(string))
	return list
}
-- b.go --
//go:build go1.18

package m

func Old(words []string) (n int) {
	seen := make(map[string]int)
	for _, w := range words {
		seen[w]++
	}
	for _, m := range seen {
		n += m
	}
	return n
}
-- copy/a.go --
package copy

func copy(from string) string { return from + "!" }

func sync() {}

func Root(words []string) (list []string) {
	arena := 0
	for _, w := range words {
		list = append(list, copy(w))
		arena++
	}
	return list
}
-- copy/a_test.go --
package copy

import "testing"

func Test(t *testing.T) {
	if list := Root([]string{"a", "b"}); list[0]+list[1] != "a!b!" {
		t.Error(list)
	}
}
`
	o := Options{Roots: []string{"m.Root", "m.Old", "copy.Root"}}
	_, src := rewritten(t, source, o)
	if !strings.Contains(src, "Name(arena.Concat(ar, string(a), string(b)))") || !strings.Contains(src, "func arenaMove") {
		t.Errorf("nothing moves in\n%s", src)
	}
	o.Dir, o.Hook = written(t, source), true
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = o.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
