package stale

import (
	"fmt"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

func acrossParse(a *arena.Arena, b []byte) {
	d := lib.Parse(a, b)
	lib.Finish(a)
	fmt.Println(d.Title) // want `stale: the result of lib.Parse \(line 11\) is used after lib.Finish, which calls Reset \(line 12\)`
}

func acrossField(a *arena.Arena, b []byte) {
	s := lib.Title(lib.Parse(a, b))
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func acrossMethod(a *arena.Arena, b []byte) {
	s := lib.Parse(a, b).First()
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func acrossScope(b []byte) {
	s := lib.NewScope()
	d := s.Doc(b)
	s.Close()
	fmt.Println(d.Title) // want `stale: `
}

func acrossPool(b []byte) {
	a := lib.Get()
	d := lib.Parse(a, b)
	lib.Put(a)
	fmt.Println(d.Title) // want `stale: `
}

func acrossCopy(a *arena.Arena, b []byte) {
	d := lib.Copy(lib.Parse(a, b))
	a.Reset()
	fmt.Println(d.Title)
}

func acrossOther(b []byte) {
	s, t := lib.NewScope(), lib.NewScope()
	d := s.Doc(b)
	t.Close()
	fmt.Println(d.Title)
}
