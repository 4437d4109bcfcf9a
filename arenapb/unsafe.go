package arenapb

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// The functions of this file write to messages where a plan says that fields are: SAFETY of all of
// them is that a plan is made from the type of the struct itself, by package reflect, and a field
// is decoded here only if its Go type is the very one that the function writes (plan.go); another
// is left to protobuf. Memory for messages, slices and what fields point at comes from slabs of
// those very types, so that the collector knows it. Pointers are written as pointers, with the
// write barriers of the compiler.

type pointer = unsafe.Pointer

// pointerTo returns the pointer in m, which may be nil.
func pointerTo(m proto.Message) pointer {
	// SAFETY: an interface is two words, and the second is the pointer if there is one in it. m is
	// a pointer to a struct, which planOf has made sure of; that has looked at the second word of
	// such an interface, too.
	return faceAt(pointer(&m)).data
}

// wordOf returns the first word of m, which says of which type it is.
func wordOf(m proto.Message) pointer {
	// SAFETY: an interface is two words. The word is compared, and not used.
	return faceAt(pointer(&m)).word
}

// place returns one of recent's places.
func place(word pointer) int {
	// SAFETY: the pointer is used as a number.
	return int(uint64(uintptr(word)) * 0x9E3779B97F4A7C15 >> 56)
}

// addressOf returns where v is, or where the message is that v points at.
func addressOf(v reflect.Value) pointer {
	if v.Kind() == reflect.Pointer {
		return v.UnsafePointer()
	}
	return v.Addr().UnsafePointer()
}

// newMessage returns a new M in a, where the messages are that Unmarshal makes.
func newMessage[M any](a *arena.Arena) *M {
	// SAFETY: it is a pointer to an M.
	return (*M)(arenakit.SlabOf(a, reflect.TypeFor[M]()).New())
}

// messageAt returns the message at p.
func messageAt(t reflect.Type, p pointer) proto.Message {
	// SAFETY: what is at p is a t.
	return reflect.NewAt(t, p).Interface().(proto.Message)
}

// at returns what lies offset bytes behind p, in the same value.
func at(p pointer, offset uintptr) pointer {
	// SAFETY: it is the offset of a field, or of an element.
	return unsafe.Add(p, offset)
}

// A face is an interface value in memory.
type face struct{ word, data pointer }

// wrapperWord returns the first word of interfaces of type iface with a pointer of type t in them.
// It reports false unless an interface put together from it is what the compiler makes.
func wrapperWord(iface, t reflect.Type) (pointer, bool) {
	v := reflect.New(iface)
	x := reflect.New(t.Elem())
	v.Elem().Set(x)
	// SAFETY: an interface is two words. The first leads to its type, and is never on the heap; the
	// second is the pointer, if there is one in it. Both are compared with what they should be
	// here, when nothing has been written.
	f := (*face)(v.UnsafePointer())
	if f.data != x.UnsafePointer() {
		return nil, false
	}
	again := reflect.New(iface)
	*(*face)(again.UnsafePointer()) = face{f.word, x.UnsafePointer()}
	back := again.Elem().Elem()
	return f.word, back.Type() == t && back.UnsafePointer() == x.UnsafePointer()
}

// sliceOf returns the first word of interfaces with a list like l, which is protobuf's for slices
// of type t and new, and where in what the second word leads to the pointer to the slice is. It
// reports false if it does not find one.
func sliceOf(l protoreflect.List, t reflect.Type) (word pointer, offset uintptr, ok bool) {
	v := reflect.ValueOf(l)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, 0, false
	}
	field, ok := v.Elem().Type().FieldByName("v")
	if !ok || field.Type != reflect.TypeFor[reflect.Value]() {
		return nil, 0, false
	}
	ptr, ok := field.Type.FieldByName("ptr")
	if !ok || ptr.Type.Kind() != reflect.UnsafePointer {
		return nil, 0, false
	}
	// SAFETY: an interface is two words, and the second is the pointer if there is one in it, which
	// is compared. The pointer leads to a struct that has a reflect.Value there, which has a
	// pointer there. A slice of two elements that is put where it leads must be what the list has.
	f := faceAt(pointer(&l))
	if f.data != v.UnsafePointer() {
		return nil, 0, false
	}
	offset = field.Offset + ptr.Offset
	p := loadPointer(at(f.data, offset))
	if p == nil || l.Len() != 0 {
		return nil, 0, false
	}
	two := reflect.MakeSlice(t, 2, 2)
	slice := valueAt(reflect.TypeFor[reflect.Value](), at(f.data, field.Offset)).Interface().(reflect.Value)
	if slice.Type() != reflect.PointerTo(t) || slice.UnsafePointer() != p {
		return nil, 0, false
	}
	valueAt(t, p).Set(two)
	return f.word, offset, l.Len() == 2
}

// The following say how memory is seen. SAFETY: above.

func store32(p pointer, v uint32)                       { *(*uint32)(p) = v }
func store64(p pointer, v uint64)                       { *(*uint64)(p) = v }
func storeBool(p pointer, v bool)                       { *(*bool)(p) = v }
func load32(p pointer) uint32                           { return *(*uint32)(p) }
func load64(p pointer) uint64                           { return *(*uint64)(p) }
func loadBool(p pointer) bool                           { return *(*bool)(p) }
func loadString(p pointer) string                       { return *(*string)(p) }
func storeString(p pointer, b []byte)                   { *(*string)(p) = text(b) }
func storeBytes(p pointer, b []byte)                    { *(*[]byte)(p) = b }
func loadPointer(p pointer) pointer                     { return *(*pointer)(p) }
func storePointer(p, v pointer)                         { *(*pointer)(p) = v }
func faceAt(p pointer) *face                            { return (*face)(p) }
func sliceAt[T any](p pointer) *[]T                     { return (*[]T)(p) }
func bytesAt(p pointer) *[]byte                         { return (*[]byte)(p) }
func mapAt[K comparable, V any](p pointer) map[K]V      { return *(*map[K]V)(p) }
func extensionsAt(p pointer) *protoimpl.ExtensionFields { return (*protoimpl.ExtensionFields)(p) }

// mark says that f is there, in the message at p.
func (f *field) mark(p pointer) {
	// SAFETY: the word is an element of the array XXX_presence, in the message, which layoutOf has
	// found next to what the race detector wants there.
	protoimpl.X.SetPresentNonAtomic((*uint32)(at(p, f.presence)), f.bit, f.bits)
}

// marks reports whether f is there, in the message at p.
func (f *field) marks(p pointer) bool {
	// SAFETY: as in mark.
	return protoimpl.X.Present((*uint32)(at(p, f.presence)), f.bit)
}

// lenOfMap returns how many entries the map at p has.
func lenOfMap(p pointer) int {
	// SAFETY: maps of all types store their length where this type stores it, and putterFor has
	// tried a type other than the map's; len reads nothing else.
	return len(*(*map[uint64]pointer)(p))
}

// slice returns the n values of type T at p, as a slice of length 0.
func slice[T any](p pointer, n int) []T {
	// SAFETY: p is what arenakit.Slab.Slice(n) has returned, for a T or what has a T's memory:
	// pointers to messages are handled as pointers to anything.
	return unsafe.Slice((*T)(p), n)[:0]
}

// text returns b as a string. Nobody changes b before the message is stale.
func text(b []byte) string {
	if len(b) == 0 {
		return "" // and nothing to keep alive
	}
	// SAFETY: b is a part of the copy of the input that is in the arena, or of the input itself
	// with AliasInput; the other values that lie in it are bytes of other fields.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// valueAt returns what is at p, a t, to be set.
func valueAt(t reflect.Type, p pointer) reflect.Value {
	// SAFETY: what is at p is a t.
	return reflect.NewAt(t, p).Elem()
}
