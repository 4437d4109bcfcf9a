package arena

import (
	"reflect"
	"strings"

	"github.com/arena-go/arena/internal/deepclone"
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// Clone returns a copy of v that lies on the Go heap. It is shallow. It copies a pointer together
// with the one value that it points to, a slice with its elements, a map of Go with its entries, a
// string with its bytes. What these refer to in turn stays where it is.
//
// Clone returns everything else unchanged: numbers, structs, arrays, channels and functions. So the
// strings, slices and pointers in the fields of a struct go on referring to where they were;
// [DeepClone] copies these as well. If T is an interface type, the dynamic value counts. Nil stays
// nil. The copy of a slice has the same length, and no more capacity.
//
// The function of the same name in the standard library's experiment panics for everything but
// pointers, slices and strings, and returns what is not in an arena unchanged. This one cannot know
// what is in an arena, and always copies.
//
// Any number of goroutines may clone the same value. None may modify it meanwhile.
func Clone[T any](v T) T {
	if s, ok := any(v).(string); ok {
		textIsRead(s)
		return any(strings.Clone(s)).(T)
	}
	return cloneValue(v)
}

// cloneValue is Clone without the short way for strings. Its argument is on the heap, because
// package reflect sees it.
func cloneValue[T any](v T) T {
	x := reflect.ValueOf(&v).Elem()
	if x.Kind() == reflect.Interface {
		x = x.Elem()
	}
	var c reflect.Value
	switch x.Kind() {
	case reflect.String:
		textIsRead(x.String())
		c = reflect.ValueOf(strings.Clone(x.String())).Convert(x.Type())
	case reflect.Pointer:
		if x.IsNil() {
			return v
		}
		c = reflect.New(x.Type().Elem())
		c.Elem().Set(x.Elem())
		c = c.Convert(x.Type())
	case reflect.Slice:
		if x.IsNil() {
			return v
		}
		c = reflect.MakeSlice(x.Type(), x.Len(), x.Len())
		reflect.Copy(c, x)
	case reflect.Map:
		if x.IsNil() {
			return v
		}
		c = reflect.MakeMapWithSize(x.Type(), x.Len())
		for entries := x.MapRange(); entries.Next(); {
			c.SetMapIndex(entries.Key(), entries.Value())
		}
	default:
		return v
	}
	return c.Interface().(T)
}

// DeepClone returns a copy of v and of everything reachable from it, on the Go heap.
// Nothing of the copy lies in memory of the original. So the copy outlives the arenas that
// the original lies in, with the exceptions listed below.
//
// Structs are copied with all their fields, exported or not; arrays and slices with their elements;
// strings with their bytes; maps with their keys and elements; interfaces with the values in them.
// Nil stays nil, empty stays empty.
//
// The copy has the shape of the original. Pointers, slices, maps and interfaces that share memory
// in the original share memory in the copy, in the same way. That includes cycles, pointers to
// fields and to elements, and slices that overlap. Strings that are parts of one text take no more
// memory in the copy than what they reach of that text and 32 bytes for each of them. They may
// share it, and then each keeps all of it. DeepClone does not copy the elements between the length
// and the capacity of a slice, and the copy lacks that capacity. The exception is memory that
// another part of the value also reaches.
//
// Some values are copied shallowly. They go on referring to what the original refers to, which must
// therefore not be in an arena: func values and what they capture, channels and what is queued in
// them, unsafe.Pointer, uintptr. The same goes for values that mean nothing without their identity,
// and for pointers to them:
//
//   - errors made by [errors.New], so that io.EOF remains equal to io.EOF
//   - [time.Location], [time.Timer], [time.Ticker]
//   - [sync.Map], [sync.Pool], and [Pool] and [Group] of this package
//   - contexts, and all other types of packages context, reflect, runtime, unique, weak
//     and of the standard library's internal packages
//   - the system's side of open files, network connections and processes
//   - the type information inside generated Protocol Buffers messages, and their
//     extension fields
//
// An error made by [errors.New] from a string in an arena thus keeps that string.
//
// An arena that the value refers to is not copied. The copy has nil or an empty arena in its place,
// which is the heap. So the copy of each [Map], [Slab] and [Builder] is on the heap, too. The copy
// of a Slab of package arenakit is zero, and has no type: make another one. Entries of a Map move
// when its keys have pointers in them, unless the keys are strings. A pointer to a value of such a
// Map then points at a copy of its own.
//
// Locks and other types of package sync are copied in their current state. Do not clone values
// that must not be copied, or whose identity matters in a way not listed: a *[sync.Cond], an
// error variable that is a pointer to a type of your own.
//
// Pointers to values of size zero remain equal or different among themselves, but need not
// point into the copy of the struct that they pointed into. Memory that unsafe code refers to
// by two types at once is copied once for each.
//
// Any number of goroutines may clone the same value. None may modify it meanwhile.
func DeepClone[T any](v T) T {
	return deepclone.Of(cloner, v)
}

// cloner is what copies for DeepClone.
var cloner = deepclone.New(deepclone.Rules{
	Treat:  treat,
	Finish: finish,
})

// finish is for a pointer to a Map.
func finish(m reflect.Value) { m.Interface().(interface{ rehash() }).rehash() }

var (
	arenaType = reflect.TypeFor[Arena]()
	poolType  = reflect.TypeFor[Pool]()
	groupType = reflect.TypeFor[Group]()
	spaceType = reflect.TypeFor[region.Space]()
	runType   = reflect.TypeFor[region.Run]()
	arenaPath = arenaType.PkgPath()

	// Other types are known by a method of their pointers. Types that embed one have the method
	// too, and are of other packages.
	zeroedType = reflect.TypeFor[interface{ zeroInCopies() }]()
	mapType    = reflect.TypeFor[interface{ rehash() }]()
)

// treat returns what becomes of values of type t, where that is a type of this package, or of
// packages arenakit or offheap. An arena, a part of one and a pointer to one are zero in the copy,
// which is the heap.
func treat(t reflect.Type) deepclone.Treatment {
	switch path, p := t.PkgPath(), reflect.PointerTo(t); {
	case path == arenaPath+"/offheap":
		return deepclone.Kept // the memory is not on the heap, and some of it cannot be read
	case t == arenaType || t.Kind() == reflect.Pointer && t.Elem() == arenaType:
		return deepclone.Zeroed
	case path == arenaPath+"/arenakit":
		return deepclone.Zeroed
	case t == spaceType || t == runType:
		return deepclone.Zeroed // in a Space or a Slab of references
	case path != arenaPath:
		return deepclone.Copied
	case t == poolType || t == groupType:
		return deepclone.Kept
	case p.Implements(zeroedType):
		return deepclone.Zeroed
	case p.Implements(mapType):
		return deepclone.Finished
	}
	return deepclone.Copied
}

// holdsMaps tells whether a value of type t has a Map in it, as itself or as a field or an element
// of an array.
func holdsMaps(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsMaps(t.Elem())
	case reflect.Struct:
		if treat(t) == deepclone.Finished {
			return true
		}
		for i := range t.NumField() {
			if holdsMaps(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// rehashIn rehashes the Maps in v.
func rehashIn(v reflect.Value) {
	switch {
	case !holdsMaps(v.Type()):
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			rehashIn(v.Index(i))
		}
	case treat(v.Type()) == deepclone.Finished:
		finish(mem.Addressable(v))
	default:
		for i := range v.NumField() {
			rehashIn(v.Field(i))
		}
	}
}
