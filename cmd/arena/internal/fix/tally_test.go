package fix

import (
	"math"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestTally: the bytes of a line belong to the function of a sample, to what makes values of its
// size, and to the roots only if these are on the stack.
func TestTally(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Box struct{ data []byte; next, other *Box }

//line both.y:7
func First(n int) *Box { return &Box{data: make([]byte, n)} }
//line both.y:7
func Second(n int) *Box { return &Box{data: make([]byte, n)} }
`
	sample := func(name string, size, bytes int64, rest ...string) *profile.Sample {
		s := &profile.Sample{Value: []int64{bytes / size, bytes}, NumLabel: map[string][]int64{"bytes": {size}}}
		for i, name := range append([]string{name}, rest...) {
			file := "both.y"
			if i > 0 {
				file = "a_test.go"
			}
			fn := &profile.Function{Name: name, Filename: file}
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: fn, Line: 7}}})
		}
		return s
	}
	name := writtenProfile(t, []*profile.Sample{
		sample("example.com/m.First", 48, 480),
		sample("example.com/m.First", 4096, 4096*5),
		sample("example.com/m.Second", 48, 48000, "example.com/m.setUp"),
	})
	r, _ := rewritten(t, source, Options{Roots: []string{"m.First"}, Profile: name})
	got := map[string]float64{}
	for _, s := range r.Sites {
		got[s.Function[len("example.com/m."):]+": "+s.Kind] = math.Round(1000*s.Bytes) / 10
	}
	if got["First: a value"] != 2.3 || got["First: a slice"] != 97.7 || len(got) != 2 || r.part() != 1 {
		t.Errorf("%v of %v", got, r.part())
	}
}

// TestLibraryBytes: what a library allocates belongs to the call of it on the line, and to no other
// site there.
func TestLibraryBytes(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import (
	"io"
	"slices"
)

type reader struct{ io.Reader }

func Read(r io.Reader, list []int) ([]byte, error, []int) {
	all, err := io.ReadAll(&reader{r}); list = slices.Clone(list)
	return all, err, list
}

func Write(w io.Writer, n int) {
	io.WriteString(w, text(&n))
}

func text(n *int) string { return "" }
`
	frame := func(name, file string, line int64) *profile.Location {
		fn := &profile.Function{Name: name, Filename: file}
		return &profile.Location{Line: []profile.Line{{Function: fn, Line: line}}}
	}
	read := func() *profile.Location { return frame("example.com/m.Read", "a.go", 11) }
	name := writtenProfile(t, []*profile.Sample{
		{Value: []int64{1, 5000}, Location: []*profile.Location{frame("io.ReadAll", "io.go", 1), read()}},
		{Value: []int64{1, 2000}, Location: []*profile.Location{frame("slices.Clone[go.shape.[]int,go.shape.int]", "slices.go", 1), read()}},
		{Value: []int64{1, 1000}, Location: []*profile.Location{read()}},
		{Value: []int64{1, 2000}, Location: []*profile.Location{frame("bytes.growSlice", "buffer.go", 1), frame("bytes.(*Buffer).WriteString", "buffer.go", 2), frame("io.WriteString", "io.go", 1), frame("example.com/m.Write", "a.go", 16)}},
	})
	r, _ := rewritten(t, source, Options{Roots: []string{"m.Read", "m.Write"}, Profile: name})
	got := map[int]float64{} // by column
	for _, s := range r.Sites {
		got[int(s.Bytes*100)]++
	}
	if r.part() != 0.8 || got[50] != 1 || got[20] != 1 || got[10] != 1 || r.elsewhere["bytes"] != 0.2 {
		t.Errorf("%v of %v, elsewhere %v: %+v", got, r.part(), r.elsewhere, r.Sites)
	}
}

// TestUnreached: the report says where the bytes are that no way of the rewriting reaches, and does
// not list what allocates nearly nothing.
func TestUnreached(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

var hook func(n int) []int

func Parse(n int) ([]int, []int) {
	list := make([]int, n)
	return list, hook(n)
}

func (maker) More(n int) []int {
	return make([]int, n)
}

type maker struct{}

func init() { hook = maker{}.More }
`
	frame := func(name string, line int64) *profile.Location {
		fn := &profile.Function{Name: "example.com/m." + name, Filename: "a.go"}
		return &profile.Location{Line: []profile.Line{{Function: fn, Line: line}}}
	}
	library := &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: "sort.Slice", Filename: "sort.go"}, Line: 1}}}
	name := writtenProfile(t, []*profile.Sample{
		{Value: []int64{10, 2000}, Location: []*profile.Location{frame("Parse", 6)}},
		{Value: []int64{10, 1000}, Location: []*profile.Location{frame("maker.More", 11), frame("Parse", 7)}},
		{Value: []int64{10, 1000}, Location: []*profile.Location{frame("maker.More", 11), library, frame("Parse", 7)}},
	})
	r, _ := rewritten(t, source, Options{Roots: []string{"m.Parse"}, Profile: name})
	if want := "25 % are allocated in functions that no way reaches: example.com/m.maker.More 25 %.\n25 % are allocated below calls without an arena, some of them on lines without sites: a.go:7 25 %.\n"; r.rest() != want || r.part() != 0.5 {
		t.Errorf("%q and %v, want %q", r.rest(), r.part(), want)
	}
	r.Sites = append(r.Sites, Site{Kind: kindText, Why: "an error"}, Site{Kind: kindBox, Why: "a map"})
	var report strings.Builder
	if err := r.WriteReport(&report, false); err != nil || strings.Contains(report.String(), "an error") || !strings.Contains(report.String(), "others") {
		t.Errorf("%v\n%s", err, &report)
	}
}

// TestGeneratedRoot: an error says that a root is in a file that stays unchanged.
func TestGeneratedRoot(t *testing.T) {
	t.Parallel()
	dir := written(t, "-- a.go --\n// Code generated by goyacc. DO NOT EDIT.\n\npackage m\n\nfunc Parse(n int) []int { return make([]int, n) }\n-- b.go --\npackage m\n\nfunc Other() {}\n")
	_, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}})
	if err == nil || !strings.Contains(err.Error(), "-root m.Parse: it is in a.go, which a program has made; try -generated") {
		t.Error(err)
	}
	if _, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}, Generated: true}); err != nil {
		t.Error(err)
	}
}

// TestUnseen: the compiler says nothing of a generic function that nobody instantiates. A profile
// says where it allocates.
func TestUnseen(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Node[T any] struct {
	Next  *Node[T]
	Value T
}

type List[T any] struct{ first *Node[T] }

func (l *List[T]) Push(list []T) {
	for _, x := range list {
		n := &Node[T]{l.first, x}
		l.first = n
		sum := &Node[T]{nil, x}
		_ = sum.Value
	}
}
`
	frame := func(name string, line int64) *profile.Location {
		fn := &profile.Function{Name: "example.com/m." + name, Filename: "a.go"}
		return &profile.Location{Line: []profile.Line{{Function: fn, Line: line}}}
	}
	name := writtenProfile(t, []*profile.Sample{
		{Value: []int64{10, 2000}, Location: []*profile.Location{frame("(*List[...]).Push", 12)}},
	})
	for file, want := range map[string]int{name: 1, "": 0} {
		r, src := rewritten(t, source, Options{Roots: []string{"m.List.Push"}, Profile: file})
		if r.Moved() != want {
			t.Errorf("%d sites move, want %d\n%s", r.Moved(), want, src)
		}
	}
}

// TestNothing: less than half a percent of the bytes is nothing.
func TestNothing(t *testing.T) {
	r := &Result{Asked: []string{"m.Parse"}, Share: 1, Sites: []Site{{Kind: kindText, Bytes: 0.004}, {Kind: kindText, Why: "a map", Bytes: 0.9}}}
	if text := r.verdict(); !r.Nothing() || !strings.HasPrefix(text, "Hardly anything of m.Parse moves, 0.4 % of the bytes ") {
		t.Error(text)
	}
	r.Sites[0].Bytes = 0.006
	if text := r.verdict(); r.Nothing() || !strings.HasPrefix(text, "1 % of the bytes that m.Parse allocates ") {
		t.Error(text)
	}
	if r.Share = 0; r.Nothing() {
		t.Error("without a profile one site counts")
	}
}

// TestShared: a map grows on a line that does not say where it was made, so the functions that no
// way reaches have no part in it. What is allocated on a line in the middle of a site is not lost.
func TestShared(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Set struct {
	names map[string]int
	n     int
}

func Parse(names []string) *Set {
	s := &Set{
		names: map[string]int{},
		n:     len(names),
	}
	fill(s.names, names)
	return s
}

func fill(m map[string]int, names []string) {
	for _, n := range names {
		m[n]++
	}
}

func Other(names []string) *Set {
	s := &Set{names: map[string]int{}}
	fill(s.names, names)
	return s
}
`
	frame := func(name string, line int64) *profile.Location {
		fn := &profile.Function{Name: name, Filename: "a.go"}
		return &profile.Location{Line: []profile.Line{{Function: fn, Line: line}}}
	}
	parse := func(line int64) *profile.Location { return frame("example.com/m.Parse", line) }
	name := writtenProfile(t, []*profile.Sample{
		{Value: []int64{1, 3000}, Location: []*profile.Location{frame("internal/runtime/maps.(*Map).grow", 1), frame("example.com/m.fill", 19), parse(13)}},
		{Value: []int64{1, 1000}, Location: []*profile.Location{frame("image.NewAlpha", 1), parse(11)}},
	})
	r, _ := rewritten(t, source, Options{Roots: []string{"m.Parse"}, Profile: name})
	if want := "25 % are allocated on lines without sites: by image 25 %.\n"; r.rest() != want || r.part() != 0.75 {
		t.Errorf("%q and %v, want %q", r.rest(), r.part(), want)
	}
}

// TestLiterals: below a function literal that no way reaches nothing lies in an arena, though the
// functions that it calls are reached by other ways.
func TestLiterals(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Codec struct{ encode func(buf []byte, n int) []byte }

func (c *Codec) Encode(n int) []byte { return c.encode(nil, n) }

func Int() *Codec { return &Codec{encode: encodeInt} }

func encodeInt(buf []byte, n int) []byte {
	return append(buf, make([]byte, n)...)
}

func List(of *Codec) *Codec {
	c := &Codec{}
	c.encode = func(buf []byte, n int) []byte {
		for range n {
			buf = of.encode(buf, n)
		}
		return buf
	}
	return c
}
`
	frame := func(name string, line int64) *profile.Location {
		fn := &profile.Function{Name: "example.com/m." + name, Filename: "a.go"}
		return &profile.Location{Line: []profile.Line{{Function: fn, Line: line}}}
	}
	encode := func() *profile.Location { return frame("(*Codec).Encode", 5) }
	name := writtenProfile(t, []*profile.Sample{
		{Value: []int64{1, 3000}, Location: []*profile.Location{frame("encodeInt", 10), frame("List.func1", 17), encode()}},
		{Value: []int64{1, 1000}, Location: []*profile.Location{frame("encodeInt", 10), encode()}},
	})
	r, _ := rewritten(t, source, Options{Roots: []string{"m.Codec.Encode"}, Profile: name})
	if want := "75 % are allocated below calls without an arena, some of them on lines without sites: a.go:17 75 %.\n"; r.rest() != want || r.part() != 0.25 {
		t.Errorf("%q and %v, want %q", r.rest(), r.part(), want)
	}
}
