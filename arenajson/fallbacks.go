package arenajson

import (
	"fmt"
	"reflect"
)

// Fallbacks names what [Unmarshal] leaves to encoding/json of a value of type T, or puts on the
// heap. Each string has the first place of it in a T, its type, and a reason:
//
//   - encoding/json decodes all of each document, because of such a type;
//   - a method decodes the value, and puts on the heap what that needs; a pass over the document
//     comes before;
//   - a map of Go lies on the heap, while its text and what its values refer to lie in the arena.
//     An interface without methods may hold one.
//
// A document with an error is left to encoding/json whatever its type. Fallbacks looks at types
// only, and does the work anew each time. Goroutines may call it at the same time.
func Fallbacks[T any]() []string {
	t := reflect.TypeFor[T]()
	p := rootOf(t, false)
	w := witness{seen: map[*plan]bool{}}
	if p.maps && p.calls {
		w.say(nameOf(t), t, fallbackBoth)
	}
	w.look(nameOf(t), p.plan)
	return w.all
}

// FallbacksV2 is [Fallbacks] for the option V2. encoding/json/v2 then decodes values of such a
// type, and not the whole document. With a Go that has no encoding/json/v2, there is one string
// that says so.
func FallbacksV2[T any]() []string {
	t := reflect.TypeFor[T]()
	w := witness{seen: map[*plan]bool{}}
	if !hasV2 {
		w.say(nameOf(t), t, fallbackNoV2)
		return w.all
	}
	w.look(nameOf(t), planOf(t, true))
	return w.all
}

func nameOf(t reflect.Type) string {
	if t.Name() != "" {
		return t.Name()
	}
	return t.String()
}

// A fallback says why something is not decoded into the arena.
type fallback uint8

const (
	fallbackType fallback = iota
	fallbackBoth
	fallbackFace
	fallbackMethod
	fallbackText
	fallbackMap
	fallbackAny
	fallbackV2
	fallbackNoV2
)

// reasons are the texts of fallbacks.
var reasons = [...]string{
	fallbackType:   "encoding/json decodes each document, since it has rules for this type that are not known here",
	fallbackBoth:   "encoding/json decodes each document, since there are methods beside an arena.Map",
	fallbackFace:   "encoding/json decodes each document in which it is not null, since the interface has methods",
	fallbackMethod: "UnmarshalJSON decodes it",
	fallbackText:   "UnmarshalText decodes it",
	fallbackMap:    "the map lies on the heap",
	fallbackAny:    "the maps of objects in it lie on the heap",
	fallbackV2:     "encoding/json/v2 decodes it",
	fallbackNoV2:   "there is no encoding/json/v2 before Go 1.27",
}

// A witness notes fallbacks.
type witness struct {
	seen map[*plan]bool
	all  []string
}

func (w *witness) say(path string, t reflect.Type, f fallback) {
	w.all = append(w.all, fmt.Sprintf("%s: %v: %s", path, t, reasons[f]))
}

// look notes what there is in p, which is at path, and in what it leads to.
func (w *witness) look(path string, p *plan) {
	if w.seen[p] {
		return // it was said where it was seen first
	}
	w.seen[p] = true
	switch p.op {
	case intoLeave:
		f := fallbackType
		if p.null {
			f = fallbackFace
		}
		w.say(path, p.typ, f)
	case intoV2:
		w.say(path, p.typ, fallbackV2)
	case intoCustom:
		if !p.pure {
			w.say(path, p.typ, fallbackMethod)
		}
	case intoText:
		if !p.pure {
			w.say(path, p.typ, fallbackText)
		}
	case intoAny:
		w.say(path, p.typ, fallbackAny)
	case intoStruct:
		for i := range p.object.fields {
			f := &p.object.fields[i]
			w.look(path+"."+f.name.name, f.plan)
		}
	case intoPointer:
		w.look(path, p.elem)
	case intoSlice, intoArray:
		w.look(path+"[]", p.elem)
	case intoMap:
		w.say(path, p.typ, fallbackMap)
		w.look(path+"[]", p.elem)
	case intoArenaMap:
		w.look(path+"[]", p.elem.elem)
	}
}
