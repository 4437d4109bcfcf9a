package arenajson

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/arena-go/arena/internal/jsonwire"
)

// encoding/json has no option for names that mean fields of just these names. So it is given
// another document where it decodes in our place: names that it would take for fields in another
// case are replaced by names of no field.

// A renamer makes that document. The new names are as long as the old jsonwire.Ones, so that
// offsets in errors stay what they are.
type renamer struct {
	d     decoder     // unquotes
	text  []byte      // the document, which is valid, with pad bytes behind it
	holds func() bool // holdsPointer of what it is decoded into
	err   error       // it cannot be done
	tells bool        // an error of DisallowUnknownFields is reported

	first, instead string // the first name that means no field, and its replacement, if there is one
}

// renamed is std with the option CaseSensitiveNames.
func (o UnmarshalOptions) renamed(data []byte, v any) error {
	o.CaseSensitiveNames = false
	if !Valid(data) {
		return o.std(data, v)
	}
	to := reflect.ValueOf(v).Elem()
	r := renamer{text: append(bytes.Clone(data), padding...), tells: true}
	r.holds = sync.OnceValue(func() bool { return holdsPointer(to, map[visit]bool{}) })
	r.d.text = jsonwire.TextOf(r.text)
	if r.at(planOf(to.Type(), false), r.d.text.Space(0)); r.err != nil {
		return r.err
	}
	err := o.std(r.text[:len(data)], v)
	if told := unknownField(r.instead); r.instead != "" && reflect.TypeOf(err) == reflect.TypeOf(told) && err.Error() == told.Error() { // the method Error of others may panic
		return unknownField(r.first)
	}
	return err
}

// unknownField is what encoding/json returns for a name of no field.
func unknownField(name string) error { return fmt.Errorf("json: unknown field %q", name) }

// at renames what is in the value at i, which has the plan p, and returns the position behind it.
func (r *renamer) at(p *plan, i int) int {
	for p.op == intoPointer {
		p = p.elem
	}
	if c := r.d.text.Char(i); c != '{' && c != '[' {
		return r.d.text.Skip(i, 0)
	}
	switch t := p.typ; p.op {
	case intoStruct:
		return r.members(i, func(start, end int) *plan { return r.field(p.object, start, end) })
	case intoMap:
		return r.members(i, func(int, int) *plan { return p.elem })
	case intoArenaMap:
		tells := r.tells
		r.tells = tells && onV2 // the first version of encoding/json does not tell UnmarshalJSON
		i = r.at(p.elem, i)
		r.tells = tells
		return i
	case intoSlice, intoArray:
		return r.elements(p, i)
	case intoAny:
		return r.face(p, i)
	case intoLeave:
		switch {
		case unmarshalerFrom(reflect.PointerTo(t)) && t.Name() != "":
		case t.Kind() == reflect.Interface:
			return r.face(p, i)
		case t.Kind() == reflect.Slice:
			return r.elements(p, i)
		case t.Kind() == reflect.Map:
			elem := planOf(t.Elem(), false)
			return r.members(i, func(int, int) *plan { return elem })
		case t.Kind() == reflect.Struct:
			r.refuse(p)
		}
	}
	return r.d.text.Skip(i, 0)
}

// refuse notes that encoding/json would have to decode a value with fields that are not known.
func (r *renamer) refuse(p *plan) {
	if r.err == nil {
		r.err = &refusal{p.typ}
	}
}

// A refusal is the error where the option cannot be kept.
type refusal struct{ typ reflect.Type }

func (e *refusal) Error() string {
	return fmt.Sprintf("arenajson: encoding/json has to decode the document into %v, and has no CaseSensitiveNames", e.typ)
}

// face is at for interfaces. What they point at, if they do, may have fields.
func (r *renamer) face(p *plan, i int) int {
	end := r.d.text.Skip(i, 0)
	if bytes.IndexByte(r.text[i:end], '{') >= 0 && r.holds() {
		r.refuse(p)
	}
	return end
}

// elements is at for arrays.
func (r *renamer) elements(p *plan, i int) int {
	if r.d.text.Char(i) != '[' {
		return r.d.text.Skip(i, 0)
	}
	if i = r.d.text.Space(i + 1); r.d.text.Char(i) == ']' {
		return i + 1
	}
	for n := 0; ; n++ {
		if p.op == intoArray && n >= p.len {
			i = r.d.text.Skip(i, 0)
		} else {
			i = r.at(p.elem, i)
		}
		if i = r.d.text.Space(i); r.d.text.Char(i) == ']' {
			return i + 1
		}
		i = r.d.text.Space(i + 1)
	}
}

// members is at for objects. planFor returns the plan of the value of the name between two
// positions, or nil if it is skipped.
func (r *renamer) members(i int, planFor func(start, end int) *plan) int {
	if r.d.text.Char(i) != '{' {
		return r.d.text.Skip(i, 0)
	}
	if i = r.d.text.Space(i + 1); r.d.text.Char(i) == '}' {
		return i + 1
	}
	for {
		end := r.d.text.SkipString(i + 1)
		p := planFor(i+1, end-1)
		if i = r.d.text.Space(r.d.text.Space(end) + 1); p != nil {
			i = r.at(p, i)
		} else {
			i = r.d.text.Skip(i, 0)
		}
		if i = r.d.text.Space(i); r.d.text.Char(i) == '}' {
			return i + 1
		}
		i = r.d.text.Space(i + 1)
	}
}

// field returns the plan of the field of o that the name between start and end means. If there is
// none, it sees to it that encoding/json finds none either: no field has a name with an apostrophe,
// which tags must not have.
func (r *renamer) field(o *objectPlan, start, end int) *plan {
	name, _ := r.d.unquote(start)
	if f := o.slowly(name, true); f != &o.none {
		return f.plan
	}
	unknown, instead := string(name), ""
	if o.slowly(name, false) != &o.none {
		instead = strings.Repeat("'", end-start)
		copy(r.text[start:end], instead)
	}
	if r.first == "" && r.tells {
		r.first, r.instead = unknown, instead
	}
	return nil
}

// A visit is a place in memory that holdsPointer has been at.
type visit struct {
	at  pointer
	len int
	typ reflect.Type
}

// holdsPointer tells whether there is an interface in v, or in what it refers to, that holds a
// pointer. encoding/json decodes into what that points at.
func holdsPointer(v reflect.Value, seen map[visit]bool) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		to := visit{at: addressOf(v), typ: v.Type()}
		if v.Kind() == reflect.Slice {
			to.len = v.Cap()
		}
		if v.IsNil() || seen[to] {
			return false
		}
		seen[to] = true
	}
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && v.Elem().Kind() == reflect.Pointer && !v.Elem().IsNil()
	case reflect.Pointer:
		return holdsPointer(v.Elem(), seen)
	case reflect.Slice:
		v = v.Slice(0, v.Cap()) // encoding/json decodes into elements behind the last one as they are
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if holdsPointer(v.Index(i), seen) {
				return true
			}
		}
	case reflect.Map:
		for _, e := range v.Seq2() {
			if holdsPointer(e, seen) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && holdsPointer(v.Field(i), seen) {
				return true
			}
		}
	}
	return false
}
