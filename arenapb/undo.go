package arenapb

import (
	"reflect"
	"slices"

	"github.com/arena-go/arena/arenapb/internal/slabs"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// An undo makes a message what it was before a Merge that failed, by an error, a limit or a panic.
// It has the structs of the messages that the Merge has entered and has not made itself. It also
// has what else changes in place: values behind pointers, wrappers of oneofs, entries of maps, and
// what is left to protobuf. Slices are only appended to, so those in the structs are as they were.
type undo struct {
	saved map[pointer]reflect.Value // by where they are: structs of messages as they were
	maps  map[pointer]*savedMap     // by the field
	sets  []savedValue
	parts map[pointer]bool // messages of which protobuf's part is kept
	last  []func()         // called after the values
}

type savedValue struct{ at, was reflect.Value }

// A savedMap is what becomes of a map: keys that were put into it, and the values that those had
// had.
type savedMap struct{ all, put, had reflect.Value }

// message keeps the message at p.
func (u *undo) message(p pointer, m *plan) {
	if _, ok := u.saved[p]; ok {
		return
	}
	if u.saved == nil {
		u.saved = map[pointer]reflect.Value{}
	}
	u.saved[p] = u.value(p, m.typ)
	for _, f := range m.behind {
		q := at(p, f.offset)
		switch x := faceAt(q); {
		case f.header != 0 && loadPointer(q) != nil:
			u.value(loadPointer(q), slabs.Type(f.header))
		case f.form == formOptional && loadPointer(q) != nil:
			u.value(loadPointer(q), slabs.Type(f.slab))
		case f.form == formOneof && x.word == f.wrapper && x.data != nil:
			u.value(x.data, slabs.Type(f.slab))
		}
	}
}

// value keeps the t at p.
func (u *undo) value(p pointer, t reflect.Type) (was reflect.Value) {
	was = reflect.New(t).Elem()
	v := valueAt(t, p)
	was.Set(v)
	u.sets = append(u.sets, savedValue{v, was})
	return was
}

// made reports whether the decoder itself has made data, the value that a oneof of the message at p
// has. In a message that is not saved it has made everything. In one that is saved, the value of
// that time counts as not made. That is wrong where the decoder had made the message and entered it
// again: the value's memory is then not used again.
func (u *undo) made(p pointer, offset uintptr, data pointer) bool {
	if u == nil {
		return true
	}
	was, ok := u.saved[p]
	return !ok || faceAt(at(addressOf(was), offset)).data != data
}

// entry keeps what the map in the field at p, all, has for a key that is about to be put into it.
// It reports whether the decoder has put the key there already.
func (u *undo) entry(p pointer, e *entry, all, key reflect.Value) (made bool) {
	s := u.maps[p]
	if s == nil || s.all.UnsafePointer() != all.UnsafePointer() {
		m := reflect.New(e.typ).Elem()
		m.Set(all)
		s = &savedMap{m, reflect.MakeMap(e.typ), reflect.MakeMap(e.typ)}
		if u.maps == nil {
			u.maps = map[pointer]*savedMap{}
		}
		u.maps[p] = s
		u.last = append(u.last, s.restore)
	}
	if s.put.MapIndex(key).IsValid() {
		return true
	}
	s.put.SetMapIndex(key, reflect.Zero(e.typ.Elem()))
	if v := s.all.MapIndex(key); v.IsValid() {
		s.had.SetMapIndex(key, v)
	}
	return false
}

func (s *savedMap) restore() {
	for i := s.put.MapRange(); i.Next(); {
		s.all.SetMapIndex(i.Key(), s.had.MapIndex(i.Key()))
	}
}

// foreign keeps a copy of what protobuf is about to merge into, of the message at p. To copy a lazy
// field is to decode it.
func (u *undo) foreign(p pointer, m *plan, msg protoreflect.Message) {
	if _, ok := u.saved[p]; !ok || u.parts[p] {
		return
	}
	if u.parts == nil {
		u.parts = map[pointer]bool{}
	}
	u.parts[p] = true
	theirs := func(from protoreflect.Message, f func(protoreflect.FieldDescriptor, protoreflect.Value)) {
		from.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			if !fd.IsExtension() && m.field(uint64(fd.Number())).reason != "" {
				f(fd, v)
			}
			return true
		})
	}
	// An empty list of an extension counts: the Resolver is not asked for an extension that the
	// message has. Range does not have it.
	extend := func(to, from protoreflect.Message) {
		if m.extensions != 0 {
			*extensionsAt(at(pointerTo(to.Interface()), m.extensions)) = *extensionsAt(at(pointerTo(from.Interface()), m.extensions))
		}
	}
	some := msg.New()
	theirs(msg, some.Set)
	extend(some, msg)
	was := proto.Clone(some.Interface()).ProtoReflect()
	u.last = append(u.last, func() {
		msg := messageAt(m.typ, p).ProtoReflect() // its state may be what it was before the first ProtoReflect
		var now []protoreflect.FieldDescriptor
		theirs(msg, func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) { now = append(now, fd) })
		for _, fd := range now {
			msg.Clear(fd)
		}
		theirs(was, msg.Set)
		extend(msg, was)
	})
}

// restore undoes all: first the values and then what is in last, in both the latest first. It
// reports false if that panics.
func (u *undo) restore() (ok bool) {
	defer func() {
		if !ok {
			_ = recover()
		}
	}()
	for _, s := range slices.Backward(u.sets) { // a value that two messages share is there twice
		s.at.Set(s.was)
	}
	for _, f := range slices.Backward(u.last) {
		f()
	}
	return true
}
