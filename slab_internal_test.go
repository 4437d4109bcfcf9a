package arena

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestSlabLayout compares Slab with slab, and RefSlab with refRun, field by field: typeless and typedSlab look at the memory of
// one as the other.
func TestSlabLayout(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Slab[byte]](), reflect.TypeFor[Slab[struct{}]](), reflect.TypeFor[Slab[[0]func()]](),
		reflect.TypeFor[Slab[string]](), reflect.TypeFor[Slab[*int]](), reflect.TypeFor[Slab[[1000]any]](),
	} {
		sameLayout(t, typ, reflect.TypeFor[slab]())
	}
	if run := reflect.TypeFor[RefSlab[int]]().Field(2); run.Offset != 0 || run.Type != reflect.TypeFor[refRun]() {
		t.Errorf("RefSlab has a %v at %d", run.Type, run.Offset)
	}
	if from, to := unsafe.Sizeof(RefSlab[int]{}), unsafe.Sizeof(refRun{}); from != to {
		t.Errorf("a RefSlab has %d bytes, a refRun %d", from, to)
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
