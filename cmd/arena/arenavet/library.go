package arenavet

import (
	_ "embed"
	"go/types"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// libraryText says what functions of the standard library return and keep of what they are given. TestLibrary has found it out from their sources.
// Each line has a function, and its flows. Arguments are numbered, and the receiver is the first one. 1 is the argument itself, and 1.
// what its memory refers to. Behind > stands where that may be found: r0 is the first result, r0* what its memory refers to,
// p0 what the memory of the first argument refers to, and any other name a global variable.
//
//go:embed library.txt
var libraryText string

// A libraryFlow is one way of a value through a function.
type libraryFlow struct {
	from   int
	below  bool   // what the memory of the argument refers to
	to     string // "r", "p", or "g"
	n      int
	in     bool // what the memory of the result refers to
	global string
}

func (w libraryFlow) String() string {
	s := strconv.Itoa(w.from)
	if w.below {
		s += "."
	}
	s += ">"
	if w.to == "g" {
		return s + strings.Replace(w.global, " ", ":", 1)
	}
	s += w.to + strconv.Itoa(w.n)
	if w.in {
		s += "*"
	}
	return s
}

func parseFlow(text string) (w libraryFlow) {
	from, to, _ := strings.Cut(text, ">")
	from, w.below = strings.CutSuffix(from, ".")
	w.from, _ = strconv.Atoi(from)
	if path, name, ok := strings.Cut(to, ":"); ok {
		w.to, w.global = "g", path+" "+name
		return w
	}
	to, w.in = strings.CutSuffix(to, "*")
	w.to = to[:1]
	w.n, _ = strconv.Atoi(to[1:])
	return w
}

// library has the flows by the names of functions.
var library = sync.OnceValue(func() map[string][]libraryFlow {
	all := map[string][]libraryFlow{}
	for line := range strings.Lines(libraryText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, word := range words[1:] {
			all[words[0]] = append(all[words[0]], parseFlow(word))
		}
	}
	return all
})

// fromLibrary does what a function of the standard library does of which is known what it returns and keeps. It reports whether it is one.
func (f *flow) fromLibrary(s *state, obj *types.Func, args []ssa.Value, at ssa.Instruction, value *ssa.Call) bool {
	if obj == nil || obj.Pkg() == nil {
		return false
	}
	flows := library()[names.Path(obj)]
	if flows == nil {
		return false
	}
	source := func(w libraryFlow) (v av) {
		if w.from >= len(args) {
			return av{}
		}
		add := func(x av) {
			tags := x.only(func(t tag) bool { return t.kind != isArena })
			if len(tags) > 0 {
				v = v.with(tags...)
				v.other = v.other || x.other
			}
		}
		arg := s.get(args[w.from])
		if !w.below {
			add(arg)
			return v
		}
		s.below(arg.ptr, func(l loc, x av) {
			if l != arg.ptr || isPointer(args[w.from].Type()) {
				add(x)
			}
		})
		if arg.given() && len(v.tags) == 0 {
			v = f.element(s, arg.ptr, stepElem, elementType(args[w.from].Type()))
		}
		return v
	}
	type write struct {
		libraryFlow
		v av
	}
	var writes []write
	for _, w := range flows {
		if v := source(w); len(v.tags) > 0 {
			writes = append(writes, write{w, v})
		}
	}
	results := map[int]av{}
	for _, w := range writes {
		switch w.to {
		case "r":
			if value == nil {
				continue
			}
			t := value.Type()
			if tuple, ok := t.(*types.Tuple); ok {
				t = tuple.At(w.n).Type()
			}
			l := loc{value, ""}
			if w.n > 0 {
				l = l.add(".#" + strconv.Itoa(w.n))
			}
			r, ok := results[w.n]
			if !ok && !isString(t) {
				s.forget(l)
				r.ptr = l
			}
			if sl, ok := t.Underlying().(*types.Slice); ok && w.in && !carries(sl.Elem()) {
				continue
			}
			if w.in {
				old, _ := s.mem.get(l.add(stepAll))
				s.mem.set(l.add(stepAll), joinValues(old, w.v))
			}
			if !w.in || opaque(t) {
				r = r.with(w.v.tags...)
				r.other = r.other || w.v.other
			}
			results[w.n] = r
		case "p":
			if w.n < len(args) {
				if p := s.get(args[w.n]).ptr; p.root != nil {
					f.note(s, p.add(stepElem), w.v, at)
					s.store(p.add(stepElem), w.v)
				}
			}
		case "g":
			if g := f.c.global(w.global); g != nil {
				f.note(s, loc{g, ""}, w.v, at)
				s.store(loc{g, ""}, w.v)
			}
		}
	}
	if value == nil {
		return true
	}
	tuple, ok := value.Type().(*types.Tuple)
	if !ok {
		r, ok := results[0]
		if !ok {
			r = unknown
		}
		s.set(value, r)
		return true
	}
	v := av{sub: map[string]av{}}
	for n := range tuple.Len() {
		r, ok := results[n]
		if !ok {
			r = unknown
		}
		if carries(tuple.At(n).Type()) {
			v.sub[extracted(n)] = r
		}
	}
	s.val[value] = v
	return true
}

// given reports whether a value is what the caller has given.
func (v av) given() bool { return len(v.tags) == 1 && v.tags[0].kind == ofParam && !v.other }

// opaque reports whether values of a type are used as a whole: an interface, or a struct with fields that only its package knows.
func opaque(t types.Type) bool {
	if types.IsInterface(t) {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}
