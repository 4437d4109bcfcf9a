package offheap

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"

	"github.com/arena-go/arena"
)

// A layout is what has to be the same for the values of a file to mean the same: a line for each
// field of a type and of those that it refers to, which is called by the path that leads there first.
//
//	root: 16 bytes
//	root.Name: text at 0
//	root.Next: reference to root at 8
//	root.Score: float32 at 12
type layout struct {
	hash [16]byte // of all of the text: FNV-1a
	text string   // of a file: as many lines as there is room for in the header
	cut  bool     // there are more lines
}

func (l *layout) equal(m layout) bool { return l.hash == m.hash }

// layoutOf returns the layout of t, or an error if t is not plain.
func layoutOf(t reflect.Type) (layout, error) {
	w := layoutWriter{names: map[reflect.Type]string{}}
	w.refer(t, "root")
	for len(w.todo) > 0 && w.err == nil {
		t := w.todo[0]
		w.todo = w.todo[1:]
		name := w.names[t]
		w.line("%s: %d bytes", name, t.Size())
		w.value(t, name, 0)
	}
	l := layout{text: w.String()}
	h := fnv.New128a()
	h.Write([]byte(l.text))
	h.Sum(l.hash[:0])
	return l, w.err
}

// A layoutWriter has the lines so far, and the types of which lines are still to come.
type layoutWriter struct {
	strings.Builder
	names map[reflect.Type]string // of types that are referred to
	todo  []reflect.Type
	err   error
}

func (w *layoutWriter) line(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

// refer returns the name of t, which is path if this is the first reference to it.
func (w *layoutWriter) refer(t reflect.Type, path string) string {
	name, ok := w.names[t]
	if !ok {
		name = path
		w.names[t] = path
		w.todo = append(w.todo, t)
	}
	return name
}

// value writes the lines for a value of type t at path.
func (w *layoutWriter) value(t reflect.Type, path string, at uintptr) {
	if to, ok := referent(t); ok {
		switch to.Kind() {
		case reflect.String:
			w.line("%s: text at %d", path, at)
		case reflect.Slice:
			w.line("%s: slice of %s at %d", path, w.refer(to.Elem(), path+"[]"), at)
		default:
			w.line("%s: reference to %s at %d", path, w.refer(to.Elem(), path+"*"), at)
		}
		return
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.line("%s: int%d at %d", path, t.Bits(), at)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.line("%s: uint%d at %d", path, t.Bits(), at)
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		w.line("%s: %s at %d", path, t.Kind(), at)
	case reflect.Array:
		w.line("%s: array of %d at %d", path, t.Len(), at)
		w.value(t.Elem(), path+"[]", 0)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			w.value(f.Type, path+"."+f.Name, at+f.Offset)
		}
	default:
		if w.err == nil {
			w.err = fmt.Errorf("%s is a %s, which cannot be in a file; use numbers, and Ref, RefSlice and RefString in place of pointers",
				path, t)
		}
	}
}

// referent returns what the method Get of t returns, if t is a Ref, a RefSlice or the RefString of
// package arena: a pointer, a slice or a string.
func referent(t reflect.Type) (reflect.Type, bool) {
	if t.PkgPath() != reflect.TypeFor[arena.RefString]().PkgPath() || !strings.HasPrefix(t.Name(), "Ref") {
		return nil, false
	}
	get, ok := t.MethodByName("Get")
	if !ok || get.Type.NumOut() != 1 {
		return nil, false
	}
	return get.Type.Out(0), true
}

// difference describes the first line in which l, that of a file, differs from m.
func (l *layout) difference(m layout) string {
	ours, theirs := strings.SplitAfter(m.text, "\n"), strings.SplitAfter(l.text, "\n")
	line := func(lines []string, i int) string {
		if i >= len(lines) || lines[i] == "" {
			return "nothing more"
		}
		return fmt.Sprintf("%.200q", strings.TrimSuffix(lines[i], "\n"))
	}
	for i := range max(len(ours), len(theirs)) {
		if file, program := line(theirs, i), line(ours, i); file != program {
			if l.cut && i >= len(theirs)-1 {
				break
			}
			return fmt.Sprintf("the file has %s where the program has %s", file, program)
		}
	}
	return "they differ in more fields than the file's header has room to tell"
}
