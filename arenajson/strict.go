package arenajson

import (
	"bytes"
	"math"
	"reflect"
	"strconv"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
)

// A StrictError is a fault of a document that was decoded all the same: an object has a name that
// the struct has no field for, or the same name twice. It has the text of the errors of package
// sigs.k8s.io/json, and is one of its FieldErrors.
type StrictError struct {
	Path      string // to the name, as in spec.ports[0].name
	Duplicate bool   // there is a field, which the object has twice
}

// Error says what is wrong.
func (e *StrictError) Error() string {
	if e.Duplicate {
		return "duplicate field " + strconv.Quote(e.Path)
	}
	return "unknown field " + strconv.Quote(e.Path)
}

// FieldPath returns e.Path.
func (e *StrictError) FieldPath() string { return e.Path }

// SetFieldPath sets e.Path.
func (e *StrictError) SetFieldPath(path string) { e.Path = path }

// maxStrictErrors bounds what one document has to say.
const maxStrictErrors = 100

// UnmarshalStrict is [UnmarshalOptions.Unmarshal], and returns a [*StrictError] for each name that
// means no field, and for each that an object has twice: in the order of the document, one for a
// path, 100 at most. They change nothing in the value, and lie on the heap. With an error there are
// none. What a method of a type decodes is not looked at.
//
// With CaseSensitiveNames and PreserveInts, value and errors equal UnmarshalStrict of package
// sigs.k8s.io/json.
func (o UnmarshalOptions) UnmarshalStrict(a *arena.Arena, data []byte, v any) (strict []error, err error) {
	var text []byte
	if to := reflect.ValueOf(v); to.Kind() == reflect.Pointer && !to.IsNil() {
		text = append(bytes.Clone(data), padding...) // methods may write to data
	}
	if err := o.Unmarshal(a, data, v); err != nil {
		return nil, err
	}
	s := stickler{seen: map[StrictError]bool{}}
	s.d.text, s.d.size, s.d.opt = jsonwire.TextOf(text), len(data), o
	s.d.opt.CaseSensitiveNames = o.CaseSensitiveNames || o.V2
	s.value(planOf(reflect.TypeOf(v).Elem(), o.V2), s.d.text.Space(0))
	return s.errs, nil
}

// A stickler looks for StrictErrors in a document without errors.
type stickler struct {
	d    decoder // finds fields, and unquotes
	path []byte
	seen map[StrictError]bool
	errs []error
}

// value looks at the value at i, which has the plan p, or nil for an interface, and returns the
// position behind it.
func (s *stickler) value(p *plan, i int) int {
	for p != nil && p.op == intoPointer {
		p = p.elem
	}
	if p != nil && p.op == intoArenaMap {
		p = p.elem
	}
	switch c := s.d.text.Char(i); {
	case c == '{' && (p == nil || p.op == intoAny):
		return s.object(i, s.keys(nil))
	case c == '{' && p.op == intoMap:
		return s.object(i, s.keys(p.elem))
	case c == '{' && p.op == intoStruct:
		return s.object(i, s.fields(p.object))
	case c == '[' && (p == nil || p.op == intoAny):
		return s.array(nil, math.MaxInt, i)
	case c == '[' && p.op == intoSlice:
		return s.array(p.elem, math.MaxInt, i)
	case c == '[' && p.op == intoArray:
		return s.array(p.elem, p.len, i)
	}
	return s.d.text.Skip(i, 0)
}

// A member is what a name of an object means.
type member struct {
	name string
	plan *plan // nil for an interface
	skip bool  // nobody looks at the value
}

// keys returns what the names of a map mean.
func (s *stickler) keys(elem *plan) func(start int) (m member, end int) {
	seen := map[string]bool{}
	return func(start int) (m member, end int) {
		b, end := s.d.unquote(start)
		m = member{name: string(b), plan: elem}
		if seen[m.name] {
			s.found(m.name, true)
		}
		seen[m.name] = true
		return m, end
	}
}

// fields returns what the names of a struct mean.
func (s *stickler) fields(o *objectPlan) func(start int) (m member, end int) {
	seen := map[*fieldPlan]bool{}
	return func(start int) (m member, end int) {
		f, end := s.d.find(o, start)
		if f.plan == nil {
			b, _ := s.d.unquote(start)
			s.found(string(b), false)
			return member{skip: true}, end
		}
		if seen[f] {
			s.found(f.name.name, true)
		}
		seen[f] = true
		return member{f.name.name, f.plan, f.quoted}, end
	}
}

// found notes an error about a name of the object at the path.
func (s *stickler) found(name string, duplicate bool) {
	if len(s.errs) == maxStrictErrors {
		return
	}
	path := string(s.path)
	if path != "" {
		path += "."
	}
	if e := (StrictError{path + name, duplicate}); !s.seen[e] {
		s.seen[e] = true
		s.errs = append(s.errs, &e)
	}
}

func (s *stickler) object(i int, meaning func(start int) (m member, end int)) int {
	text := s.d.text
	if i = text.Space(i + 1); text.Char(i) == '}' {
		return i + 1
	}
	at := len(s.path)
	for {
		m, end := meaning(i + 1)
		i = text.Space(text.Space(end) + 1)
		if m.skip {
			i = text.Skip(i, 0)
		} else {
			if at > 0 {
				s.path = append(s.path, '.')
			}
			s.path = append(s.path, m.name...)
			i = s.value(m.plan, i)
			s.path = s.path[:at]
		}
		if i = text.Space(i); text.Char(i) == '}' {
			return i + 1
		}
		i = text.Space(i + 1)
	}
}

// array looks at the first most elements of an array.
func (s *stickler) array(elem *plan, most, i int) int {
	text := s.d.text
	if i = text.Space(i + 1); text.Char(i) == ']' {
		return i + 1
	}
	at := len(s.path)
	for n := 0; ; n++ {
		if n < most {
			s.path = append(strconv.AppendInt(append(s.path, '['), int64(n), 10), ']')
			i = s.value(elem, i)
			s.path = s.path[:at]
		} else {
			i = text.Skip(i, 0)
		}
		if i = text.Space(i); text.Char(i) == ']' {
			return i + 1
		}
		i = text.Space(i + 1)
	}
}
