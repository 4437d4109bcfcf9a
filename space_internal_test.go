package arena

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// What follows is of package ref as much as the tests of this package need: they are in the package, and cannot import it.

type testRef[T any] struct{ off uint32 }

func (r testRef[T]) Get(a *Arena) *T {
	return (*T)(region.At(a.Space(), region.Checked(a.Space(), r.off, reflect.TypeFor[T]()), unsafe.Sizeof(*new(T))))
}

type testRefSlice[T any] struct {
	off uint32
	n   int
}

func (r testRefSlice[T]) Len() int { return r.n }

func (r testRefSlice[T]) Get(a *Arena) []T {
	if r.n == 0 {
		return []T{}
	}
	s := a.Space()
	return mem.SliceOf[T](region.Bytes(s, region.Checked(s, r.off, reflect.TypeFor[T]()), uint64(r.n*mem.SizeOf[T]())), r.n)
}

type testRefString struct {
	off uint32
	n   int
}

func (r testRefString) Len() int { return r.n }

func (r testRefString) Get(a *Arena) string {
	if r.n == 0 {
		return ""
	}
	s := a.Space()
	return mem.StringOf(region.Bytes(s, region.Checked(s, r.off, nil), uint64(r.n)))
}

type testRefSlab[T any] struct{ run *region.Run }

func (s testRefSlab[T]) New() testRef[T] { return testRef[T]{region.Next(s.run)} }

func testRefSlabOf[T any](a *Arena) testRefSlab[T] {
	s, id := a.Space(), mem.TypeID[T]()
	run := region.RunOf(s, id)
	if run == nil {
		run = region.NewRun(s, id, reflect.TypeFor[T]())
	}
	return testRefSlab[T]{run}
}

func newTestRef[T any](a *Arena) (testRef[T], *T) {
	r := testRefSlabOf[T](a).New()
	return r, r.Get(a)
}

func newTestRefSlice[T any](a *Arena, n int) (testRefSlice[T], []T) {
	run := testRefSlabOf[T](a).run
	if n == 0 {
		return testRefSlice[T]{}, []T{}
	}
	if uint64(n)*uint64(mem.SizeOf[T]()) > 1<<35-region.Granule {
		region.Fail(a.Space(), int64(n), region.ErrFull)
	}
	r := testRefSlice[T]{region.NewSlice(run, n), n}
	return r, r.Get(a)
}

func newTestRefString(a *Arena, text string) testRefString {
	s := a.Space()
	if text == "" {
		return testRefString{}
	}
	return testRefString{region.NewText(s, text, nil), len(text)}
}
