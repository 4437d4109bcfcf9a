//go:build goexperiment.arenas

package proof

import (
	std "arena"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
)

// TestExperiment proves that the five functions and Free of the standard library's experiment do
// the same here, for all sorts of types. It runs next to the experiment:
//
//	GOEXPERIMENT=arenas go test ./internal/proof -run Experiment
func TestExperiment(t *testing.T) {
	t.Parallel()
	sideBySide(t, 7, -1)
	sideBySide(t, byte(7), 200)
	sideBySide(t, 1.5, -1)
	sideBySide(t, true, false)
	sideBySide(t, "abc", text(1))
	sideBySide(t, []int{1}, nil)
	sideBySide(t, map[int]int{1: 2}, nil)
	sideBySide[any](t, 7, text(1))
	sideBySide[error](t, &testError{"a"}, nil)
	sideBySide(t, &leaf{1, "a"}, nil)
	sideBySide(t, make(chan int), nil)
	sideBySide(t, leaf{1, "a"}, leaf{2, text(2)})
	sideBySide(t, [3]leaf{{1, "a"}}, [3]leaf{})
	sideBySide(t, flagged{1, true, 2, "b"}, flagged{})
	sideBySide(t, struct{}{}, struct{}{})
	sideBySide(t, [0]func(){}, [0]func(){})
	sideBySide(t, [1 << 12]byte{1}, [1 << 12]byte{2})
	sideBySide(t, [1 << 9]*int{new(int)}, [1 << 9]*int{})
	sideBySide(t, [5 << 20]byte{1}, [5 << 20]byte{2}) // more than the experiment's chunks hold
}

type testError struct{ s string }

func (e *testError) Error() string { return e.s }

type leaf struct {
	i    int
	name string
}

type flagged struct {
	b    byte
	ok   bool
	n    int
	name string
}

// text returns a string that is not constant.
func text(i int) string { return fmt.Sprint("text ", i) }

// sideBySide does all that the experiment can do with values of type T in both.
func sideBySide[T any](t *testing.T, v, w T) {
	t.Helper()
	typ := reflect.TypeFor[T]()
	same := func(what string, ours, theirs any) {
		t.Helper()
		if !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%v, %s: %#v here, %#v there", typ, what, ours, theirs)
		}
	}
	a, s := arena.NewArena(), std.NewArena()

	p, q := arena.New[T](a), std.New[T](s)
	same("New", p, q)
	*p, *q = v, v
	runtime.GC()
	same("New and store", p, q)

	x, y := arena.NewValue(a, typ), reflect.ArenaNew(s, typ)
	if x.Type() != y.Type() {
		t.Errorf("NewValue is a %v, ArenaNew a %v", x.Type(), y.Type())
	}
	same("NewValue", x.Interface(), y.Interface())
	x.Elem().Set(reflect.ValueOf(&w).Elem())
	y.Elem().Set(reflect.ValueOf(&w).Elem())
	same("NewValue and store", x.Interface(), y.Interface())

	for _, n := range [][2]int{{0, 0}, {0, 1}, {1, 1}, {2, 5}, {3, 3}} {
		p, q := arena.MakeSlice[T](a, n[0], n[1]), std.MakeSlice[T](s, n[0], n[1])
		same("MakeSlice", p, q)
		same("cap of MakeSlice", cap(p), cap(q))
		for i := range p {
			p[i], q[i] = w, w
		}
		p, q = append(p, v), append(q, v)
		same("append", p, q)

		c, d := arena.Clone(p), std.Clone(q)
		same("Clone of a slice", c, d)
		if len(c) > 0 && typ.Size() > 0 && &c[0] == &p[0] {
			t.Errorf("%v: Clone did not copy a slice", typ)
		}
	}
	for _, n := range [][2]int{{-1, -1}, {-1, 0}, {0, -1}, {2, 1}} {
		ours := result(func() any { return arena.MakeSlice[T](a, n[0], n[1]) })
		theirs := result(func() any { return std.MakeSlice[T](s, n[0], n[1]) })
		if !panickedWith(ours, "") || !panicked(theirs) {
			t.Errorf("%v, MakeSlice with length %d and capacity %d: %v here, %v there", typ, n[0], n[1], ours, theirs)
		}
	}

	c, d := arena.Clone(p), std.Clone(q)
	same("Clone of a pointer", c, d)
	if typ.Size() > 0 && (c == p || d == q) {
		// The experiment puts values that are large on the heap, where Clone leaves them.
		if c == p || typ.Size() < 1<<20 {
			t.Errorf("%v: Clone did not copy: %t here, %t there", typ, c == p, d == q)
		}
	}
	same("Clone of nil", arena.Clone((*T)(nil)), std.Clone((*T)(nil)))
	same("Clone of nil", arena.Clone([]T(nil)), std.Clone([]T(nil)))
	same("Clone of none", arena.Clone([]T{}), std.Clone([]T{}))

	// What Clone takes there has the same copy here; other types are refused there, and copied
	// here.
	ours, theirs := result(func() any { return arena.Clone(v) }), result(func() any { return std.Clone(v) })
	if panicked(ours) {
		t.Errorf("%v: Clone: %v", typ, ours)
	} else if !panicked(theirs) {
		same("Clone", ours, theirs)
	}

	a.Free()
	s.Free()
	same("the clone after Free", c, d)
	for what, f := range map[string][2]func() any{
		"New":       {func() any { return arena.New[T](a) }, func() any { return std.New[T](s) }},
		"MakeSlice": {func() any { return arena.MakeSlice[T](a, 1, 1) }, func() any { return std.MakeSlice[T](s, 1, 1) }},
		"NewValue":  {func() any { return arena.NewValue(a, typ) }, func() any { return reflect.ArenaNew(s, typ) }},
	} {
		ours, theirs := result(f[0]), result(f[1])
		if !panickedWith(ours, "used after Free") || !panicked(theirs) {
			t.Errorf("%v, %s after Free: %v here, %v there", typ, what, ours, theirs)
		}
	}
}

// A panicking is the result of a call that panics: what with.
type panicking struct{ value any }

// result returns what f returns, or a panicking.
func result(f func() any) (r any) {
	defer func() {
		if e := recover(); e != nil {
			r = panicking{e}
		}
	}()
	return f()
}

// panicked reports whether r, a result, is the result of a panic.
func panicked(r any) bool {
	_, ok := r.(panicking)
	return ok
}

// panickedWith reports whether r, a result, is the result of a panic of package arena that contains
// a text.
func panickedWith(r any, text string) bool {
	p, _ := r.(panicking)
	s, ok := p.value.(string)
	return ok && strings.HasPrefix(s, "arena: ") && strings.Contains(s, text)
}

// TestExperimentClone compares Clone where the experiment looks at where a value lies.
func TestExperimentClone(t *testing.T) {
	t.Parallel()
	a, s := arena.NewArena(), std.NewArena()
	defer a.Free()
	defer s.Free()

	// A string in an arena. The experiment makes one of bytes only.
	b := std.MakeSlice[byte](s, 3, 3)
	copy(b, "abc")
	theirs := unsafe.String(&b[0], 3)
	ours := arena.String(a, "abc")
	for _, str := range [][2]string{{ours, arena.Clone(ours)}, {theirs, std.Clone(theirs)}, {ours[1:2], arena.Clone(ours[1:2])}} {
		if str[0] != str[1] || unsafe.StringData(str[0]) == unsafe.StringData(str[1]) {
			t.Errorf("Clone of the string %q is %q, at the same place: %t", str[0], str[1], unsafe.StringData(str[0]) == unsafe.StringData(str[1]))
		}
	}

	// The copy is shallow in both.
	p, q := arena.New[*leaf](a), std.New[*leaf](s)
	*p, *q = &leaf{1, "a"}, &leaf{1, "a"}
	if *arena.Clone(p) != *p || *std.Clone(q) != *q {
		t.Error("Clone is not shallow")
	}
}

// TestExperimentDiffers shows each difference to the experiment that the package
// comment lists, so that the list stays true.
func TestExperimentDiffers(t *testing.T) {
	type name string
	for _, d := range []struct {
		what         string
		ours, theirs func() any
		want         [2]any
	}{
		{
			"a second Free",
			func() any { a := arena.NewArena(); a.Free(); a.Free(); return nil },
			func() any { a := std.NewArena(); a.Free(); a.Free(); return nil },
			[2]any{nil, anyPanic},
		},
		{
			"a zero Arena",
			func() any { return *arena.New[int](new(arena.Arena)) },
			func() any { return *std.New[int](new(std.Arena)) },
			[2]any{0, anyPanic},
		},
		{
			"a nil Arena",
			func() any { return *arena.New[int](nil) },
			func() any { return *std.New[int](nil) },
			[2]any{0, anyPanic},
		},
		{
			"Free of a nil Arena",
			func() any { (*arena.Arena)(nil).Free(); return nil },
			func() any { (*std.Arena)(nil).Free(); return nil },
			[2]any{nil, anyPanic},
		},
		{
			"Clone of what is on the heap is the same",
			func() any { p := &leaf{1, "a"}; return arena.Clone(p) == p },
			func() any { p := &leaf{1, "a"}; return std.Clone(p) == p },
			[2]any{false, true},
		},
		{
			"Clone of a string of a named type, in an arena",
			func() any { return arena.Clone(name(arena.String(arena.NewArena(), "abc"))) },
			func() any {
				a := std.NewArena()
				defer runtime.KeepAlive(a)
				b := std.MakeSlice[byte](a, 3, 3)
				copy(b, "abc")
				return std.Clone(name(unsafe.String(&b[0], 3)))
			},
			[2]any{name("abc"), anyPanic},
		},
		{
			"values after Free are there",
			func() any { a := arena.NewArena(); p := arena.Ptr(a, 7); a.Free(); runtime.GC(); return *p },
			func() any { return "a fault, or not" },
			[2]any{7, "a fault, or not"},
		},
	} {
		for i, f := range []func() any{d.ours, d.theirs} {
			got := result(f)
			if want := d.want[i]; want == anyPanic && !panicked(got) || want != anyPanic && got != want {
				t.Errorf("%s, in the %s: got %v, want %v", d.what, [2]string{"arena here", "experiment"}[i], got, want)
			}
		}
	}
}

// anyPanic is the result of a call that panics, whatever with.
var anyPanic = panicking{"anything"}
