package offheap

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
)

// list is what the types of TestLayoutDifference are compared with.
type list struct {
	Next  arena.Ref[list]
	Name  arena.RefString
	Marks arena.RefSlice[mark8]
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

// Types that a program has derived from those of references.
type (
	derivedRef       arena.Ref[mark8]
	derivedSlice     arena.RefSlice[mark8]
	derivedString    arena.RefString
	derivedList      arena.RefList[mark8]
	derivedMap       arena.RefMap[int, mark8]
	derivedTextMap   arena.RefTextMap[mark8]
	derivedTree      arena.RefTree[int, mark8]
	derivedTextTree  arena.RefTextTree[mark8]
	derivedOf[T any] arena.Ref[T]
	derivedTwice     derivedRef
)

// TestLayoutDerived checks that a type which hides what it refers to has no layout, wherever it is, and that one in which a
// reference is embedded has.
func TestLayoutDerived(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[derivedRef](), reflect.TypeFor[derivedSlice](), reflect.TypeFor[derivedString](), reflect.TypeFor[derivedList](),
		reflect.TypeFor[derivedMap](), reflect.TypeFor[derivedTextMap](), reflect.TypeFor[derivedTree](), reflect.TypeFor[derivedTextTree](),
		reflect.TypeFor[derivedOf[int]](), reflect.TypeFor[derivedTwice](),
		reflect.TypeFor[[2]derivedRef](), reflect.TypeFor[struct{ A struct{ B derivedRef } }](),
		reflect.TypeFor[arena.Ref[derivedRef]](), reflect.TypeFor[arena.RefMap[int, arena.RefList[derivedRef]]](),
		reflect.TypeFor[arena.RefTextTree[derivedString]](),
	} {
		if _, err := layoutOf(typ); err == nil || !strings.Contains(err.Error(), "which is derived from a type of references") {
			t.Errorf("%v: %v", typ, err)
		}
	}
	if l, err := layoutOf(reflect.TypeFor[struct{ arena.Ref[mark8] }]()); err != nil || !strings.Contains(l.text, "root.Ref: reference to root.Ref*") {
		t.Errorf("an embedded reference: %v\n%s", err, l.text)
	}
}

// TestLayoutKinds checks that each type of references has a layout of its own, also where padding makes them as large as others.
func TestLayoutKinds(t *testing.T) {
	seen := map[string]reflect.Type{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[arena.Ref[mark8]](), reflect.TypeFor[arena.RefSlice[mark8]](), reflect.TypeFor[arena.RefString](),
		reflect.TypeFor[arena.RefList[mark8]](), reflect.TypeFor[arena.RefMap[int, mark8]](), reflect.TypeFor[arena.RefTextMap[mark8]](),
		reflect.TypeFor[arena.RefTree[int, mark8]](), reflect.TypeFor[arena.RefTextTree[mark8]](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[arena.Ref[uint16]](), reflect.TypeFor[arena.RefSlice[uint16]](), reflect.TypeFor[arena.RefList[uint16]](),
		reflect.TypeFor[arena.RefMap[uint, mark8]](), reflect.TypeFor[arena.RefTree[uint, mark8]](), reflect.TypeFor[arena.RefTextMap[uint16]](),
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

// TestLayoutDifference compares types with list: in what they are the same, and what the difference is if not.
func TestLayoutDifference(t *testing.T) {
	type renamed struct{ A, B int8 }
	type other struct{ A, C int8 }
	type wider struct {
		A int8
		B int16
	}
	type node struct {
		Next  arena.Ref[node]
		Name  arena.RefString
		Marks arena.RefSlice[renamed]
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
			Next  arena.Ref[list]
			Name  arena.RefString
			Marks arena.RefSlice[mark8]
			Grid  [2][3]uint8
		}{}, "Next is arena.Ref[github.com/arena-go/arena/offheap.list] at offset 0 in this program, and a Ref to the root's type at offset 0 in the file"},
		{struct {
			Next  uint32
			Name  arena.RefString
			Marks arena.RefSlice[mark8]
			Grid  [2][3]uint8
		}{}, "Next is uint32 at offset 0 in this program, and a Ref to the root's type at offset 0 in the file"},
		{struct{ X [7]float32 }{}, "this program has X, [7]float32 at offset 0, where the file has Next, a Ref to the root's type at offset 0"},
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
	near := layout(reflect.TypeFor[arena.Ref[arena.RefSlice[arena.Ref[mark8]]]]())
	far := layout(reflect.TypeFor[arena.Ref[arena.RefSlice[arena.Ref[other]]]]())
	if near.equal(far) || !strings.Contains(near.difference(far), "this program has the root.Get(a)[i].Get(a).C, int8 at offset 1, where the file has the root.Get(a)[i].Get(a).B, int8 at offset 1") {
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
		"":                                 "root is a string",
		false:                              "root is a bool",
		struct{ P *int }{}:                 "root.P is a *int",
		[2]any{}:                           "root[] is a interface {}",
		arena.Ref[string]{}:                "root* is a string",
		arena.RefSlice[struct{ B bool }]{}: "root[].B is a bool",
		arena.Ref[arena.RefSlice[error]]{}: "root*[] is a error",
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

// TestLayoutContainers compares roots with maps and trees that differ in what is in them: the difference is told by the names that the program has
// declared, and not by what a map consists of.
func TestLayoutContainers(t *testing.T) {
	type score struct{ Points, Bonus int32 }
	type points struct{ Points, Extra int32 }
	type orders struct {
		Name arena.RefString
		Of   arena.RefMap[uint64, score]
		By   arena.RefTree[int64, arena.Ref[score]]
		Text arena.RefTextMap[arena.RefTree[uint32, score]]
	}
	for _, test := range []struct {
		value any
		want  string
	}{
		{struct {
			Name arena.RefString
			Of   arena.RefMap[uint64, points]
			By   arena.RefTree[int64, arena.Ref[score]]
			Text arena.RefTextMap[arena.RefTree[uint32, score]]
		}{}, "this program has Of(value).Extra, int32 at offset 4, where the file has Of(value).Bonus, int32 at offset 4"},
		{struct {
			Name arena.RefString
			Of   arena.RefMap[uint32, score]
			By   arena.RefTree[int64, arena.Ref[score]]
			Text arena.RefTextMap[arena.RefTree[uint32, score]]
		}{}, "Of(key) is uint32 at offset 8 in this program, and uint64 at offset 8 in the file"},
		{struct {
			Name arena.RefString
			Of   arena.RefMap[uint64, score]
			By   arena.RefTree[int64, arena.Ref[points]]
			Text arena.RefTextMap[arena.RefTree[uint32, score]]
		}{}, "this program has By(value).Get(a).Extra, int32 at offset 4, where the file has By(value).Get(a).Bonus, int32 at offset 4"},
		{struct {
			Name arena.RefString
			Of   arena.RefMap[uint64, score]
			By   arena.RefTree[int64, arena.Ref[score]]
			Text arena.RefTextMap[arena.RefTree[uint32, points]]
		}{}, "Text(value)(value)"},
		{struct {
			Name arena.RefString
			Of   arena.RefTextMap[score]
		}{}, "the root is struct { Name arena.RefString"},
		{struct {
			Name arena.RefString
			Of   [64]uint8
			By   arena.RefTree[int64, arena.Ref[score]]
			Text arena.RefTextMap[arena.RefTree[uint32, score]]
		}{}, "Of"},
	} {
		file, err := layoutOf(reflect.TypeFor[orders]())
		must(err)
		program, err := layoutOf(reflect.TypeOf(test.value))
		must(err)
		for range 5 { // maps have no order
			got := file.difference(program)
			if !strings.Contains(got, test.want) || strings.Contains(got, "refTables") || strings.Contains(got, "nodes") || strings.Contains(got, "slots") {
				t.Errorf("%T: %s", test.value, got)
				break
			}
		}
	}
}
