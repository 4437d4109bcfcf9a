package arenapb

import (
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Maps are Go's, and lie on the heap, and so do lists of extensions. Those that the decoder has made are stale when the arena is Reset, as the
// messages are that have them. They are emptied then, and the next messages get them. After Free the messages stay, and so do the maps in them; an
// arena that looks for mistakes uses nothing again.

// spares are the small maps and lists that a decoder has made, for this round of the arena and for those before.
type spares struct {
	maps   []stock[pointer]            // by the numbers of their Go types, which are those of variables
	lists  []stock[protoreflect.Value] // by the numbers of the extensions
	types  []reflect.Type              // of maps
	kinds  []*extension                // of lists
	active []int                       // the maps in use are of these types
	listed []int                       // the lists in use are of these extensions
	kept   int                         // how many there are of all
	rounds int                         // since those were dropped that nobody needed
}

// A stock has what is in use, up to used, and then what is not.
type stock[T any] struct {
	all        []T
	used, most int // most is how many were in use at once
}

const (
	smallMap    = 8    // entries that Go keeps in one group; larger maps are made anew
	maxSpares   = 2048 // of a decoder, about 1 MB
	spareRounds = 32
)

// take returns one that is not in use, if there is any.
func (s *stock[T]) take() (v T, ok bool) {
	if s.used == len(s.all) {
		return v, false
	}
	v = s.all[s.used]
	s.used++
	return v, true
}

// add adds one that is in use, where none is left that is not.
func (s *stock[T]) add(v T) {
	s.all = append(s.all, v)
	s.used++
}

// reset empties all that are in use, and drops those that were filled too much. It returns how many are left.
func (s *stock[T]) reset(empty func(T) bool, again, trim bool) int {
	s.most = max(s.most, s.used)
	kept := 0
	for _, v := range s.all[:s.used] {
		if again && empty(v) {
			s.all[kept] = v
			kept++
		}
	}
	end := len(s.all)
	if trim {
		end, s.most = s.most, 0
	}
	return s.drop(kept, min(end, len(s.all)))
}

// drop keeps what is in s.all[:kept] and s.all[s.used:end], none of which is in use.
func (s *stock[T]) drop(kept, end int) int {
	kept += copy(s.all[kept:], s.all[s.used:max(s.used, end)])
	clear(s.all[kept:])
	s.all, s.used = s.all[:kept], 0
	return kept
}

// newMap returns an empty map with room for n entries.
func (d *decoder) newMap(number int, t reflect.Type, n int) pointer {
	if n > smallMap {
		return reflect.MakeMapWithSize(t, n).UnsafePointer()
	}
	sp := &d.spares
	for len(sp.maps) <= number {
		sp.maps = append(sp.maps, stock[pointer]{})
		sp.types = append(sp.types, nil)
	}
	s := &sp.maps[number]
	if s.used == 0 {
		sp.active = append(sp.active, number)
	}
	p, ok := s.take()
	if !ok {
		p = reflect.MakeMapWithSize(t, n).UnsafePointer()
		if sp.kept < maxSpares {
			sp.types[number] = t
			sp.kept++
			s.add(p)
		}
	}
	return p
}

// newList returns an empty list for e.
func (d *decoder) newList(e *extension) protoreflect.Value {
	sp := &d.spares
	for len(sp.lists) <= e.id {
		sp.lists = append(sp.lists, stock[protoreflect.Value]{})
		sp.kinds = append(sp.kinds, nil)
	}
	s := &sp.lists[e.id]
	if s.used == 0 {
		sp.listed = append(sp.listed, e.id)
	}
	v, ok := s.take()
	if !ok {
		v = e.info.New()
		if sp.kept < maxSpares {
			sp.kinds[e.id] = e
			sp.kept++
			s.add(v)
		}
	}
	return v
}

// ArenaReset tells d that all messages are stale. What they have is used again, or dropped if again is false.
func (d *decoder) ArenaReset(again bool) {
	d.words = nil
	sp := &d.spares
	if sp.kept == 0 {
		return
	}
	sp.rounds++
	again = again && d.a == nil
	trim := sp.rounds == spareRounds
	if trim {
		sp.rounds = 0
		sp.active, sp.listed = sp.active[:0], sp.listed[:0]
		for i := range sp.maps {
			sp.active = append(sp.active, i)
		}
		for i := range sp.lists {
			sp.listed = append(sp.listed, i)
		}
	}
	for _, i := range sp.active {
		s, t := &sp.maps[i], sp.types[i]
		sp.kept -= len(s.all)
		sp.kept += s.reset(func(p pointer) bool { return emptied(t, p) }, again, trim)
	}
	for _, i := range sp.listed {
		s, e := &sp.lists[i], sp.kinds[i]
		sp.kept -= len(s.all)
		sp.kept += s.reset(e.emptied, again, trim)
	}
	sp.active, sp.listed = sp.active[:0], sp.listed[:0]
}

// leave forgets what is in use: the messages that have it stay.
func (sp *spares) leave() {
	for _, i := range sp.active {
		s := &sp.maps[i]
		sp.kept -= s.used
		s.drop(0, len(s.all))
	}
	for _, i := range sp.listed {
		s := &sp.lists[i]
		sp.kept -= s.used
		s.drop(0, len(s.all))
	}
	sp.active, sp.listed = sp.active[:0], sp.listed[:0]
}

// emptied empties the map p of type t, unless that has grown.
func emptied(t reflect.Type, p pointer) bool {
	m := valueAt(t, pointer(&p))
	if m.Len() > smallMap {
		return false
	}
	m.Clear()
	return true
}

// emptied empties a list.
func (e *extension) emptied(v protoreflect.Value) bool {
	list := v.List()
	*sliceAt[struct{}](loadPointer(at(faceAt(pointer(&list)).data, e.slice))) = nil
	return true
}
