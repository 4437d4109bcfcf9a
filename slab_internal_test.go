package arena

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"
)

// TestSlabLayout compares Slab with slab, field by field: typeless and typedSlab look at the memory of
// one as the other.
func TestSlabLayout(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Slab[byte]](), reflect.TypeFor[Slab[struct{}]](), reflect.TypeFor[Slab[[0]func()]](),
		reflect.TypeFor[Slab[string]](), reflect.TypeFor[Slab[*int]](), reflect.TypeFor[Slab[[1000]any]](),
	} {
		sameLayout(t, typ, reflect.TypeFor[slab]())
	}
}

func sameLayout(t *testing.T, typed, typeless reflect.Type) {
	if typed.Size() != typeless.Size() || typed.NumField() != typeless.NumField() {
		t.Fatalf("%v has %d bytes in %d fields, %v %d in %d", typed, typed.Size(), typed.NumField(), typeless, typeless.Size(), typeless.NumField())
	}
	for i := range typed.NumField() {
		f, g := typed.Field(i), typeless.Field(i)
		same := f.Type == g.Type
		if f.Name == "buf" {
			same = f.Type.Kind() == reflect.Slice && g.Type == reflect.TypeFor[header]()
		}
		if f.Offset != g.Offset || !same {
			t.Errorf("%v has %s %v at %d, %v %s %v at %d", typed, f.Name, f.Type, f.Offset, typeless, g.Name, g.Type, g.Offset)
		}
	}
	var s []int
	h := reflect.TypeFor[header]()
	if at, n, c := h.Field(0).Type.Field(0), h.Field(0).Type.Field(1), h.Field(1); h.Size() != unsafe.Sizeof(s) ||
		at.Offset != 0 || n.Offset != wordSize || c.Offset != 2*wordSize {
		t.Errorf("%v is not what a slice is", h)
	}
}

// TestTrimmedChunks has an arena drop chunks that it had first, and looks whether they are gone.
func TestTrimmedChunks(t *testing.T) {
	type large struct {
		_ [1 << 20]byte
		_ *int
	}
	for _, make := range []func(a *Arena) any{
		func(a *Arena) any { return weak.Make(New[large](a)) },
		func(a *Arena) any { return weak.Make(&MakeSlice[byte](a, 100, 100)[0]) },
		func(a *Arena) any { return weak.Make(NewValue(a, reflect.TypeFor[large]()).Interface().(*large)) },
	} {
		a := NewWith(Options{Retain: -1})
		first := make(a)
		for a.Stats().Chunks < 2 {
			make(a)
		}
		a.Reset()
		if n := a.Stats().Reserved; n != 0 {
			t.Fatalf("%d bytes are retained", n)
		}
		runtime.GC()
		gone := false
		switch w := first.(type) {
		case weak.Pointer[large]:
			gone = w.Value() == nil
		case weak.Pointer[byte]:
			gone = w.Value() == nil
		}
		if !gone {
			t.Errorf("%T: something keeps the first chunk", first)
		}
		runtime.KeepAlive(a)
	}
}

// TestExpectEnds expects many values of a type, and makes none. The next arena does not.
func TestExpectEnds(t *testing.T) {
	typ := reflect.TypeFor[[3]*int]()
	for range 300 { // with a layout, and without
		a := NewArena()
		New[string](a)
		NewValue(a, typ)
		if n := a.Stats().Reserved; n > 4<<10 {
			t.Fatalf("%d bytes for two values", n)
		}
		SlabOfType(a, typ).Expect(1 << 20)
		a.Free()
		a = NewArena()
		SlabOfType(a, typ).Expect(1 << 20)
		a.Free()
	}
}
