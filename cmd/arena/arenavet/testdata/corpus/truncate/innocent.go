package truncate

import (
	"bytes"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// A string stays what it is.
func stringBefore(b *arena.Builder) int {
	b.WriteString("first")
	first := b.String()
	b.Truncate(0)
	b.WriteString("second")
	return len(first + b.String())
}

func usedBefore(b *arena.Builder) int {
	b.WriteString("first")
	n := find(b.Bytes())
	b.Truncate(0)
	b.WriteString("second")
	return n + find(b.Bytes())
}

func copied(b *arena.Builder) int {
	b.WriteString("first")
	first := bytes.Clone(b.Bytes())
	b.Truncate(0)
	b.WriteString("second")
	return find(first)
}

// Nothing is written.
func emptied(b *arena.Builder) int {
	first := b.Bytes()
	b.Truncate(0)
	return find(first)
}

func inLoop(b *arena.Builder, lines []string) (n int) {
	for _, l := range lines {
		b.Truncate(0)
		b.WriteString(l)
		n += find(b.Bytes())
	}
	return n
}

func freeAll(s ref.Space, r ref.Of[item]) {
	for !r.IsNil() {
		next := r.Get(s).next
		r.Free(s)
		r = next
	}
}

func freeAfter(s ref.Space) byte {
	r, p := ref.New[item](s)
	p.name[0] = 1
	b := r.Get(s).name[0]
	r.Free(s)
	return b
}

func another(s ref.Space) byte {
	r, _ := ref.New[item](s)
	q, p := ref.New[item](s)
	r.Free(s)
	return p.name[0] + q.Get(s).name[0]
}

// What is added later is elsewhere.
func added(b *arena.Builder) int {
	b.Truncate(0)
	b.WriteString("first")
	first := b.Bytes()
	b.WriteString("second")
	return find(first)
}
