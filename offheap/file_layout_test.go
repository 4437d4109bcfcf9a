package offheap

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena/ref"
)

// list is what the types of TestLayoutDifference are compared with.
type list struct {
	Next  ref.Of[list]
	Name  ref.String
	Marks ref.Slice[mark8]
	Grid  [2][3]uint8
}

type mark8 struct{ A, B int8 }

// TestLayoutText has the whole layout of a type.
func TestLayoutText(t *testing.T) {
	const want = `root: 28 bytes
root.Next: reference to root at 0
root.Name: text at 4
root.Marks: slice of root.Marks[] at 12
root.Grid: array of 2 at 20
root.Grid[]: array of 3 at 0
root.Grid[][]: uint8 at 0
root.Marks[]: 2 bytes
root.Marks[].A: int8 at 0
root.Marks[].B: int8 at 1
`
	l, err := layoutOf(reflect.TypeFor[list]())
	if err != nil || l.text != want {
		t.Errorf("the layout is %v\n%s", err, l.text)
	}
}

// Types that a program has derived from types of references.
type (
	derivedRef       ref.Of[mark8]
	derivedSlice     ref.Slice[mark8]
	derivedString    ref.String
	derivedList      ref.List[mark8]
	derivedMap       ref.Map[int, mark8]
	derivedTextMap   ref.TextMap[mark8]
	derivedTree      ref.Tree[int, mark8]
	derivedTextTree  ref.TextTree[mark8]
	derivedOf[T any] ref.Of[T]
	derivedTwice     derivedRef
)

// TestLayoutDerived checks that a type which hides what it refers to has no layout, wherever it is,
// and that one in which a reference is embedded has.
func TestLayoutDerived(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[derivedRef](), reflect.TypeFor[derivedSlice](), reflect.TypeFor[derivedString](), reflect.TypeFor[derivedList](),
		reflect.TypeFor[derivedMap](), reflect.TypeFor[derivedTextMap](), reflect.TypeFor[derivedTree](), reflect.TypeFor[derivedTextTree](),
		reflect.TypeFor[derivedOf[int]](), reflect.TypeFor[derivedTwice](),
		reflect.TypeFor[[2]derivedRef](), reflect.TypeFor[struct{ A struct{ B derivedRef } }](),
		reflect.TypeFor[ref.Of[derivedRef]](), reflect.TypeFor[ref.Map[int, ref.List[derivedRef]]](),
		reflect.TypeFor[ref.TextTree[derivedString]](),
	} {
		if _, err := layoutOf(typ); err == nil || !strings.Contains(err.Error(), "which is derived from a type of references") {
			t.Errorf("%v: %v", typ, err)
		}
	}
	if l, err := layoutOf(reflect.TypeFor[struct{ ref.Of[mark8] }]()); err != nil || !strings.Contains(l.text, "root.Of: reference to root.Of*") {
		t.Errorf("an embedded reference: %v\n%s", err, l.text)
	}
}

// TestLayoutKinds checks that each type of references has a layout of its own, also where padding
// makes them as large as others.
func TestLayoutKinds(t *testing.T) {
	seen := map[string]reflect.Type{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[ref.Of[mark8]](), reflect.TypeFor[ref.Slice[mark8]](), reflect.TypeFor[ref.String](),
		reflect.TypeFor[ref.List[mark8]](), reflect.TypeFor[ref.Map[int, mark8]](), reflect.TypeFor[ref.TextMap[mark8]](),
		reflect.TypeFor[ref.Tree[int, mark8]](), reflect.TypeFor[ref.TextTree[mark8]](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[ref.Of[uint16]](), reflect.TypeFor[ref.Slice[uint16]](), reflect.TypeFor[ref.List[uint16]](),
		reflect.TypeFor[ref.Map[uint, mark8]](), reflect.TypeFor[ref.Tree[uint, mark8]](), reflect.TypeFor[ref.TextMap[uint16]](),
	} {
		w := layoutWriter{names: map[reflect.Type]string{}, types: map[string]reflect.Type{}}
		w.value(typ, "x", 4)
		for i := 0; i < len(w.todo) && w.err == nil; i++ {
			w.value(w.todo[i], w.names[w.todo[i]], 0)
		}
		if w.err != nil || seen[w.String()] != nil {
			t.Errorf("%v has the layout of %v, error %v:\n%s", typ, seen[w.String()], w.err, w.String())
		}
		seen[w.String()] = typ
	}
}

// TestLayoutDifference compares types with list: in what they are the same, and what the difference
// is if not.
func TestLayoutDifference(t *testing.T) {
	type renamed struct{ A, B int8 }
	type other struct{ A, C int8 }
	type wider struct {
		A int8
		B int16
	}
	type node struct {
		Next  ref.Of[node]
		Name  ref.String
		Marks ref.Slice[renamed]
		Grid  [2][3]uint8
	}
	file, err := layoutOf(reflect.TypeFor[list]())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		value any
		want  string // of the difference, or none
	}{
		{list{}, ""},
		{node{}, ""},
		{struct {
			Next  ref.Of[list]
			Name  ref.String
			Marks ref.Slice[mark8]
			Grid  [2][3]uint8
		}{}, "Next is ref.Of[github.com/arena-go/arena/offheap.list] at offset 0 in this program, and a ref.Of to the root's type at offset 0 in the file"},
		{struct {
			Next  uint32
			Name  ref.String
			Marks ref.Slice[mark8]
			Grid  [2][3]uint8
		}{}, "Next is uint32 at offset 0 in this program, and a ref.Of to the root's type at offset 0 in the file"},
		{struct{ X [7]float32 }{}, "this program has X, [7]float32 at offset 0, where the file has Next, a ref.Of to the root's type at offset 0"},
		{int64(0), "the root is int64 of 8 bytes in this program, and of 28 bytes in the file"},
	} {
		l, err := layoutOf(reflect.TypeOf(test.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := file.difference(l); file.equal(l) != (test.want == "") || test.want != "" && !strings.Contains(got, test.want) {
			t.Errorf("%T: equal is %t, and the difference: %s", test.value, file.equal(l), got)
		}
	}

	// What is far away from the root counts as well.
	layout := func(typ reflect.Type) layout {
		l, err := layoutOf(typ)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	near := layout(reflect.TypeFor[ref.Of[ref.Slice[ref.Of[mark8]]]]())
	far := layout(reflect.TypeFor[ref.Of[ref.Slice[ref.Of[other]]]]())
	if near.equal(far) || !strings.Contains(near.difference(far), "this program has the root.Get(s)[i].Get(s).C, int8 at offset 1, where the file has the root.Get(s)[i].Get(s).B, int8 at offset 1") {
		t.Errorf("far away: %s", near.difference(far))
	}
	m8, w := layout(reflect.TypeFor[mark8]()), layout(reflect.TypeFor[wider]())
	if got := m8.difference(w); m8.equal(w) || !strings.Contains(got, "4 bytes") {
		t.Errorf("a wider type: %s", got)
	}
	if a, b := layout(reflect.TypeFor[uint16]()), layout(reflect.TypeFor[int16]()); a.equal(b) {
		t.Error("uint16 and int16 are the same")
	}

	// A header that has no room for all of it.
	short := near
	short.text, short.cut = strings.SplitAfter(near.text, "\n")[0], true
	if got := short.difference(far); !strings.Contains(got, "room") {
		t.Errorf("cut: %s", got)
	}
	hostile := near
	hostile.text = "\x1b[2Jroot int64 at 0\r\x9b"
	if got := hostile.difference(far); strings.ContainsAny(got, "\x1b\r") || !strings.Contains(got, "[2Jroot") {
		t.Errorf("a hostile file: %q", got)
	}
	if got := file.difference(file); !strings.Contains(got, "room") {
		t.Errorf("no difference: %s", got)
	}
}

// TestLayoutLong saves a type whose layout does not fit into the header.
func TestLayoutLong(t *testing.T) {
	typ := reflect.TypeFor[int8]()
	for range 4 {
		typ = reflect.StructOf([]reflect.StructField{
			{Name: "Left" + strings.Repeat("x", 100), Type: typ}, {Name: "Right" + strings.Repeat("x", 100), Type: typ}})
	}
	l, err := layoutOf(typ)
	if err != nil || len(l.text) < headerSize {
		t.Fatalf("%v, %d bytes", err, len(l.text))
	}
	h := header{length: headerSize, layout: l, schema: strings.Repeat("s", maxSchema)}
	f := reopen(t, h)
	if got := f.head.layout; !got.cut || !got.equal(l) || !strings.HasPrefix(l.text, got.text) || len(got.text) < 3000 || !strings.HasSuffix(got.text, "\n") {
		t.Errorf("cut is %t, with %d of %d bytes", got.cut, len(got.text), len(l.text))
	}
}

// TestLayoutPlain has types that cannot be in a file.
func TestLayoutPlain(t *testing.T) {
	for value, want := range map[any]string{
		"":                            "root is a string",
		false:                         "root is a bool",
		struct{ P *int }{}:            "root.P is a *int",
		[2]any{}:                      "root[] is a interface {}",
		ref.Of[string]{}:              "root* is a string",
		ref.Slice[struct{ B bool }]{}: "root[].B is a bool",
		ref.Of[ref.Slice[error]]{}:    "root*[] is a error",
	} {
		if _, err := layoutOf(reflect.TypeOf(value)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v", value, err)
		}
	}
}

// reopen writes a file that is just the header h, and opens it.
func reopen(t *testing.T, h header) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must(os.WriteFile(path, h.encode(), 0o666))
	f, err := Open(path, FileOptions{Schema: h.schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(f.Close()) })
	return f
}

// TestLayoutContainers compares roots with maps and trees whose elements differ: the error names
// the program's declarations, and not the insides of a map.
func TestLayoutContainers(t *testing.T) {
	type score struct{ Points, Bonus int32 }
	type points struct{ Points, Extra int32 }
	type orders struct {
		Name ref.String
		Of   ref.Map[uint64, score]
		By   ref.Tree[int64, ref.Of[score]]
		Text ref.TextMap[ref.Tree[uint32, score]]
	}
	for _, test := range []struct {
		value any
		want  string
	}{
		{struct {
			Name ref.String
			Of   ref.Map[uint64, points]
			By   ref.Tree[int64, ref.Of[score]]
			Text ref.TextMap[ref.Tree[uint32, score]]
		}{}, "this program has Of(value).Extra, int32 at offset 4, where the file has Of(value).Bonus, int32 at offset 4"},
		{struct {
			Name ref.String
			Of   ref.Map[uint32, score]
			By   ref.Tree[int64, ref.Of[score]]
			Text ref.TextMap[ref.Tree[uint32, score]]
		}{}, "Of(key) is uint32 at offset 8 in this program, and uint64 at offset 8 in the file"},
		{struct {
			Name ref.String
			Of   ref.Map[uint64, score]
			By   ref.Tree[int64, ref.Of[points]]
			Text ref.TextMap[ref.Tree[uint32, score]]
		}{}, "this program has By(value).Get(s).Extra, int32 at offset 4, where the file has By(value).Get(s).Bonus, int32 at offset 4"},
		{struct {
			Name ref.String
			Of   ref.Map[uint64, score]
			By   ref.Tree[int64, ref.Of[score]]
			Text ref.TextMap[ref.Tree[uint32, points]]
		}{}, "Text(value)(value)"},
		{struct {
			Name ref.String
			Of   ref.TextMap[score]
		}{}, "the root is struct { Name ref.String"},
		{struct {
			Name ref.String
			Of   [64]uint8
			By   ref.Tree[int64, ref.Of[score]]
			Text ref.TextMap[ref.Tree[uint32, score]]
		}{}, "Of"},
	} {
		file, err := layoutOf(reflect.TypeFor[orders]())
		must(err)
		program, err := layoutOf(reflect.TypeOf(test.value))
		must(err)
		for range 5 { // maps have no order
			got := file.difference(program)
			if !strings.Contains(got, test.want) || strings.Contains(got, "tables") || strings.Contains(got, "nodes") || strings.Contains(strings.ToLower(got), "slots") {
				t.Errorf("%T: %s", test.value, got)
				break
			}
		}
	}
}
