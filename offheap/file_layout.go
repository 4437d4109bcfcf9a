package offheap

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"unicode"

	"github.com/arena-go/arena/ref"
)

// A layout must be equal in writer and reader for the values of a file to mean the same. It has a
// line for each field of a type and of the types to which it refers. A type is named by the first
// path to it.
//
//	root: 16 bytes
//	root.Name: text at 0
//	root.Next: reference to root at 8
//	root.Score: float32 at 12
type layout struct {
	hash [16]byte // of all of the text: FNV-1a
	text string   // of a file: as many lines as there is room for in the header
	cut  bool     // there are more lines

	types map[string]reflect.Type // of the program's: by path
}

func (l *layout) equal(m layout) bool { return l.hash == m.hash }

// layoutOf returns the layout of t, or an error if t is not plain.
func layoutOf(t reflect.Type) (layout, error) {
	w := layoutWriter{names: map[reflect.Type]string{}, types: map[string]reflect.Type{}}
	w.refer(t, "root")
	for len(w.todo) > 0 && w.err == nil {
		t := w.todo[0]
		w.todo = w.todo[1:]
		name := w.names[t]
		w.line("%s: %d bytes", name, t.Size())
		w.value(t, name, 0)
	}
	l := layout{text: w.String(), types: w.types}
	h := fnv.New128a()
	h.Write([]byte(l.text))
	h.Sum(l.hash[:0])
	return l, w.err
}

// A layoutWriter contains the lines so far, and the types whose lines are still missing.
type layoutWriter struct {
	strings.Builder
	names map[reflect.Type]string // of types that are referred to
	types map[string]reflect.Type // by path
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
		w.types[path] = t
		w.todo = append(w.todo, t)
	}
	return name
}

// value writes the lines for a value of type t at path.
func (w *layoutWriter) value(t reflect.Type, path string, at uintptr) {
	w.types[path] = t
	if to, ok := referent(t); ok {
		switch to.Kind() {
		case reflect.String:
			w.line("%s: text at %d", path, at)
		case reflect.Slice:
			what := "slice"
			if strings.HasPrefix(t.Name(), "List[") {
				what = "list"
			}
			w.line("%s: %s of %s at %d", path, what, w.refer(to.Elem(), path+"[]"), at)
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
		if isDerived(t) && w.err == nil {
			w.err = fmt.Errorf("%s is a %s, which is derived from a type of references, so what it refers to is unknown; use that type itself, or embed it in a struct",
				path, t)
		}
		for i := range t.NumField() {
			f := t.Field(i)
			w.value(f.Type, path+"."+f.Name, at+f.Offset)
		}
	default:
		if w.err == nil {
			w.err = fmt.Errorf("%s is a %s, which cannot be in a file; use numbers, and ref.Of, ref.Slice and ref.String in place of pointers",
				path, t)
		}
	}
}

// isDerived reports whether a program has derived t from a type of references. All of these have a
// field of one type of package ref, which programs cannot name.
func isDerived(t reflect.Type) bool {
	if t.PkgPath() == refPath {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i).Type; f.PkgPath() == refPath && f.Name() == "notText" {
			return true
		}
	}
	return false
}

// refPath is the path of package ref.
var refPath = reflect.TypeFor[ref.String]().PkgPath()

// referent returns what the method Get of t returns, if t is an Of, a Slice, a List or the String
// of package ref: a pointer, a slice or a string.
func referent(t reflect.Type) (reflect.Type, bool) {
	if t.PkgPath() != refPath {
		return nil, false
	}
	get, ok := t.MethodByName("Get")
	if !ok || get.Type.NumOut() != 1 {
		return nil, false
	}
	return get.Type.Out(0), true
}

// printable returns text, which may come from a hostile file, without characters that a terminal or
// a log would interpret.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// difference describes the first line in which l, the layout of a file, differs from m, the layout
// of the program. A line about a declaration of the program comes before a line about the insides
// of a map or tree.
func (l *layout) difference(m layout) string {
	ours, theirs := strings.Split(m.text, "\n"), strings.Split(printable(l.text), "\n")
	file, program := layoutLine{}, layoutLine{}
	found := false
	for i := range max(len(ours), len(theirs)) {
		if l.cut && i >= len(theirs)-1 {
			break
		}
		f, p := l.line(theirs, i), m.line(ours, i)
		if f.text == p.text {
			continue
		}
		if !found || !f.inside && !p.inside {
			file, program, found = f, p, true
		}
		if !f.inside && !p.inside {
			break
		}
	}
	if !found {
		return "they differ in more fields than the file's header has room to tell"
	}
	if t := m.types[program.types]; t != nil && program.text != "" {
		program.what = t.String()
		if _, at, ok := strings.Cut(program.text, " at "); ok && !program.inside {
			program.what += " at offset " + at
		} else if strings.HasSuffix(program.text, " bytes") && !program.inside {
			program.what += fmt.Sprintf(" of %d bytes", t.Size())
		}
	}
	switch {
	case file.text == "":
		return fmt.Sprintf("this program has %.200s, %.300s, and the file nothing more", program.path, program.what)
	case program.text == "":
		return fmt.Sprintf("the file has %.200s, %.300s, and this program nothing more", file.path, file.what)
	case file.path == program.path && file.what == program.what:
		return fmt.Sprintf("%.200s is %.300s in both, and of other bytes inside", program.path, program.what)
	case file.path == program.path:
		return fmt.Sprintf("%.200s is %.300s in this program, and %.300s in the file", program.path, program.what, file.what)
	}
	return fmt.Sprintf("this program has %.200s, %.300s, where the file has %.200s, %.300s", program.path, program.what, file.path, file.what)
}

// A layoutLine is a line as the author of the types reads it.
type layoutLine struct {
	text   string // the line itself, "" behind the last one
	path   string
	types  string // the path of the type
	what   string
	inside bool // it is about what a map or tree consists of
}

func (l *layout) line(lines []string, i int) (d layoutLine) {
	if i >= len(lines) || lines[i] == "" {
		return d
	}
	d.text = lines[i]
	path, what, _ := strings.Cut(d.text, ": ")
	d.path, d.what, d.types = "", what, path
	for rest := path; ; {
		outer, inner, kind := l.container(path[:len(path)-len(rest)], rest)
		if kind == "" {
			d.path += rest
			break
		}
		d.path += outer
		at, part := -1, ""
		for mark, name := range map[string]string{".Slots[].Key": "(key)", ".Slots[].Val": "(value)", ".keys[]": "(key)", ".vals[]": "(value)"} {
			if j := strings.Index(inner, mark); j >= 0 && (at < 0 || j < at) {
				at, part = j, name
				rest = inner[j+len(mark):]
			}
		}
		if at < 0 {
			d.types = path[:len(path)-len(inner)]
			d.what, d.inside = kind, true
			break
		}
		d.path += part
	}
	if field, ok := strings.CutPrefix(d.path, "root."); ok {
		d.path = field
	} else {
		d.path = "the " + d.path
	}
	d.path = strings.NewReplacer("[]", "[i]", "*", ".Get(s)").Replace(d.path)
	for from, to := range map[string]string{"reference to ": "a ref.Of to ", "slice of ": "a ref.Slice of ", "list of ": "a ref.List of ", "text ": "a ref.String "} {
		if rest, ok := strings.CutPrefix(d.what, from); ok {
			d.what = to + rest
			if target, at, ok := strings.Cut(rest, " at "); ok {
				d.what = to + strings.NewReplacer("root", "the root's type", "[]", "[i]", "*", ".Get(s)").Replace(target) + " at " + at
			}
			break
		}
	}
	d.what = strings.Replace(d.what, " at ", " at offset ", 1)
	if strings.HasSuffix(what, " bytes") && !d.inside {
		d.what = "of " + d.what
	}
	return d
}

// container divides rest, the part of a path after prefix, at its first map or tree, if any, which
// kind names. It recognizes a map or tree by the names of some fields, all of which must be there.
func (l *layout) container(prefix, rest string) (outer, inner, kind string) {
	for i := range len(rest) {
		if rest[i] != '.' {
			continue
		}
		has := func(field string) bool { return strings.Contains("\n"+l.text, "\n"+prefix+rest[:i]+field+":") }
		switch {
		case strings.HasPrefix(rest[i:], ".tables.") && has(".tables.seed") && has(".tables.dir"):
			return rest[:i], rest[i:], "a ref.Map or ref.TextMap"
		case strings.HasPrefix(rest[i:], ".nodes.") && has(".nodes.root") && has(".nodes.leaves"):
			return rest[:i], rest[i:], "a ref.Tree or ref.TextTree"
		}
	}
	return rest, "", ""
}
