// Package growth_test contains the rows of arenaarrow's allocator, next to Go's.
package growth_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestAllocator(t *testing.T) { growth.Run(t, rows()) }

// memory is an allocator of Arrow.
type memory interface {
	Allocate(size int) []byte
	Reallocate(size int, b []byte) []byte
	Free(b []byte)
}

// goMemory is Go's memory, like arrow-go's allocator.
type goMemory struct{}

func (goMemory) Allocate(size int) []byte { return make([]byte, size) }
func (goMemory) Free([]byte)              {}

func (goMemory) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	c := make([]byte, size)
	copy(c, b)
	return c
}

func rows() (rows []growth.Row) {
	sizes := func(i int) int { return 64 << (i * 7 % 9) }
	for name, do := range map[string]func(m memory, n int){
		"same sizes": func(m memory, n int) {
			for range n {
				m.Free(m.Allocate(100))
			}
		},
		"oldest first": func(m memory, n int) {
			var all [][]byte
			for i := range n {
				all = append(all, m.Allocate(sizes(i)))
			}
			for _, b := range all {
				m.Free(b)
			}
		},
		"newest first": func(m memory, n int) {
			var all [][]byte
			for i := range n {
				all = append(all, m.Allocate(sizes(i)))
			}
			for _, b := range slices.Backward(all) {
				m.Free(b)
			}
		},
		"every second first, and again": func(m memory, n int) {
			var all [][]byte
			for i := range n {
				all = append(all, m.Allocate(sizes(i)))
			}
			for i := 0; i < n; i += 2 {
				m.Free(all[i])
			}
			for i := 0; i < n; i += 2 {
				all[i] = m.Allocate(sizes(i) + 64)
			}
			for _, b := range all {
				m.Free(b)
			}
		},
		"grow by little": func(m memory, n int) {
			b := m.Allocate(1)
			for i := range n {
				b = m.Reallocate(8*i, b)
			}
			m.Free(b)
		},
		"grow by doubling": func(m memory, n int) {
			b := m.Allocate(1)
			for i := 1; i < 64*n; i *= 2 {
				b = m.Reallocate(i, b)
			}
			m.Free(b)
		},
		"large ones in turns": func(m memory, n int) {
			for i := range n / 4 {
				a, b := m.Allocate(40<<10+i*512), m.Allocate(50<<10)
				m.Free(a)
				m.Free(b)
			}
		},
		"empty": func(m memory, n int) {
			for range n {
				m.Free(m.Allocate(0))
			}
		},
	} {
		rows = append(rows, growth.Row{Name: name, N: 500, Max: 16000, Unseen: true,
			// Nothing is freed by Go's, while the collector is off. Ours is to take no more than
			// that, and a slab of each size.
			Rules: map[growth.Measure]growth.Rule{
				growth.Bytes: {Times: 4, Slack: 2 << 20, Grow: 2},
				growth.Kept:  {Times: 4, Slack: 2 << 20, Grow: 2},
			},
			New: func(n int) growth.Work {
				a := arenaarrow.New(arenaarrow.Options{})
				c := a.Child("query")
				return growth.Work{Reference: func() { do(goMemory{}, n) }, Ours: []growth.Way{
					{Name: "root", Arena: true, Do: func() { do(a, n) }},
					{Name: "child", Arena: true, Do: func() { do(c, n) }},
				}}
			}})
	}
	for name, do := range map[string]func(a *arenaarrow.Allocator, n int){
		"children": func(a *arenaarrow.Allocator, n int) {
			for i := range n {
				c := a.Child(fmt.Sprint(i))
				c.Free(c.Allocate(100))
				c.Close()
			}
		},
		"children at the same time": func(a *arenaarrow.Allocator, n int) {
			var all []*arenaarrow.Allocator
			for i := range n {
				c := a.Child(fmt.Sprint(i))
				c.Free(c.Allocate(100))
				all = append(all, c)
			}
			for _, c := range all {
				c.Close()
			}
		},
		"children that leave blocks": func(a *arenaarrow.Allocator, n int) {
			for i := range n {
				c := a.Child(fmt.Sprint(i))
				c.Allocate(100)
				c.Close()
			}
		},
		"a child that leaves blocks": func(a *arenaarrow.Allocator, n int) {
			c := a.Child("c")
			for range n {
				c.Allocate(100)
			}
			c.Close()
		},
		"children of children": func(a *arenaarrow.Allocator, n int) {
			var all []*arenaarrow.Allocator
			for i := range n / 10 {
				a = a.Child(fmt.Sprint(i))
				a.Free(a.Allocate(100))
				all = append(all, a)
			}
			for _, c := range slices.Backward(all) {
				c.Close()
			}
		},
		"limits": func(a *arenaarrow.Allocator, n int) {
			c := a.Child("c")
			c.SetLimit(1 << 10)
			for range n {
				c.TryReserve(1 << 20)
			}
			c.Close()
		},
	} {
		rows = append(rows, growth.Row{Name: name, N: 200, Max: 3200, New: func(n int) growth.Work {
			a := arenaarrow.New(arenaarrow.Options{Names: 10})
			return growth.Work{Ours: []growth.Way{{Do: func() { do(a, n) }}}}
		}})
	}
	return rows
}
