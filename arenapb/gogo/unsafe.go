package gogo

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// The functions of this file write to messages where a plan says that fields are: SAFETY of all of
// them is that a plan is made from the type of the struct itself, by package reflect, and a field
// is decoded here only if the memory of its Go type is what the function writes (plan.go). Memory
// for messages, slices and what fields point at comes from slabs of those very types, or of a type
// with the same memory, so that the collector knows it. Pointers are written as pointers, with the
// write barriers of the compiler.

type pointer = unsafe.Pointer

// pointerTo returns the pointer in m, which may be nil.
func pointerTo(m Message) pointer {
	// SAFETY: m is a pointer to a struct, which planOf has made sure of.
	return reflect.ValueOf(m).UnsafePointer()
}

// addressOf returns where v is, which can be set.
func addressOf(v reflect.Value) pointer { return v.Addr().UnsafePointer() }

// at returns what lies offset bytes behind p, in the same value.
func at(p pointer, offset uintptr) pointer {
	// SAFETY: it is the offset of a field, or of an element.
	return unsafe.Add(p, offset)
}

// original returns the part of in that s is a part of, in copied. Both are of the same length.
func original(in, copied, s []byte) []byte {
	if len(s) == 0 {
		return in[:0:0]
	}
	// SAFETY: addresses of the same memory, which copied keeps alive, are subtracted; the
	// difference is an index, and Go checks it.
	i := int(uintptr(unsafe.Pointer(unsafe.SliceData(s))) - uintptr(unsafe.Pointer(unsafe.SliceData(copied))))
	return in[i : i+len(s) : i+len(s)]
}

// A face is an interface value in memory.
type face struct{ word, data pointer }

// firstWord returns the first word of interfaces of type iface with a pointer of type t in them. It
// reports false unless an interface put together from it is what the compiler makes.
func firstWord(iface, t reflect.Type) (pointer, bool) {
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

// messageAt returns the value at p as a message. word is the result of firstWord for the type
// Message and the type of a pointer to the value.
func messageAt(word, p pointer) (m Message) {
	// SAFETY: firstWord has made sure that an interface is put together so.
	*(*face)(unsafe.Pointer(&m)) = face{word, p}
	return m
}

// A header is what a slice is in memory.
type header struct {
	data     pointer
	len, cap int
}

// The following say how memory is seen. SAFETY: above.

func store32(p pointer, v uint32)            { *(*uint32)(p) = v }
func store64(p pointer, v uint64)            { *(*uint64)(p) = v }
func storeBool(p pointer, v bool)            { *(*bool)(p) = v }
func storeString(p pointer, b []byte)        { *(*string)(p) = text(b) }
func storeBytes(p pointer, b []byte)         { *(*[]byte)(p) = b }
func storeTime(p pointer, t time.Time)       { *(*time.Time)(p) = t }
func loadPointer(p pointer) pointer          { return *(*pointer)(p) }
func storePointer(p, v pointer)              { *(*pointer)(p) = v }
func faceAt(p pointer) *face                 { return (*face)(p) }
func headerAt(p pointer) *header             { return (*header)(p) }
func textsAt(p pointer) *map[string]string   { return (*map[string]string)(p) }
func textAt(p pointer) *string               { return (*string)(p) }
func bytesAt(p pointer) *[]byte              { return (*[]byte)(p) }
func sliceAt[T any](h *header, from int) []T { return unsafe.Slice((*T)(h.data), h.len)[from:] }
func dataOf[T any](s []T) pointer            { return unsafe.Pointer(unsafe.SliceData(s)) }

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

// copyValues copies n values of type t.
func copyValues(t reflect.Type, to, from pointer, n int) {
	// SAFETY: both have n values of type t. Package reflect copies with write barriers.
	reflect.Copy(reflect.SliceAt(t, to, n), reflect.SliceAt(t, from, n))
}

// newMessage returns a new M in a, where the messages are that Unmarshal makes.
func newMessage[M any](a *arena.Arena) *M {
	if a == nil {
		return new(M)
	}
	// SAFETY: it is a pointer to an M.
	return (*M)(arenakit.SlabOf(a, reflect.TypeFor[M]()).New())
}
