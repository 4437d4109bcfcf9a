// Package truncate has mistakes with text of a Builder that is written anew, and with references.
package truncate

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

func bytesBefore(a *arena.Arena, b *arena.Builder) int {
	b.WriteString("first")
	first := b.Bytes()
	b.Truncate(0)
	b.WriteString("second")
	return find(first) // want `container: `
}

func find(b []byte) int {
	for i := range b {
		if b[i] == ' ' {
			return i
		}
	}
	return -1
}

type item struct {
	next ref.Of[item]
	name [8]byte
}

func freed(s ref.Space) byte {
	r, _ := ref.New[item](s)
	r.Free(s)
	return r.Get(s).name[0] // want `container: `
}

func pointerAfterFree(s ref.Space) byte {
	r, p := ref.New[item](s)
	p.name[0] = 1
	r.Free(s)
	return p.name[0] // want `container: `
}

func twice(s ref.Space, on bool) {
	r, _ := ref.New[item](s)
	if on {
		println("freed")
	}
	r.Free(s)
	r.Free(s) // want `container: `
}
