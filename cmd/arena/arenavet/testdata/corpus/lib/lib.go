// Package lib has functions that other packages of the corpus call.
package lib

import (
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

type Doc struct {
	Title string
	Tags  []string
	Next  *Doc
}

func Parse(a *arena.Arena, b []byte) *Doc {
	d := arena.New[Doc](a)
	d.Title = arena.String(a, b)
	return d
}

func Title(d *Doc) string { return d.Title }

func (d *Doc) First() string { return strings.TrimSpace(d.Title) }

func Finish(a *arena.Arena) { a.Reset() }

var seen = map[string]int{}

func Remember(s string) { seen[s]++ }

func RememberCopy(s string) { seen[strings.Clone(s)]++ }

var Last *Doc

func Keep(d *Doc) { Last = d }

func Copy(d *Doc) *Doc { return arena.DeepClone(d) }

type Scope struct{ arena *arena.Arena }

func NewScope() *Scope { return &Scope{arena.NewArena()} }

func (s *Scope) Doc(b []byte) *Doc { return Parse(s.arena, b) }

func (s *Scope) Close() { s.arena.Reset() }

var pool arena.Pool

func Get() *arena.Arena  { return pool.Get() }
func Put(a *arena.Arena) { pool.Put(a) }

type Buffer struct{ B []byte }

var buffers = sync.Pool{New: func() any { return new(Buffer) }}

func GetBuffer() *Buffer  { return buffers.Get().(*Buffer) }
func PutBuffer(b *Buffer) { b.B = b.B[:0]; buffers.Put(b) }
