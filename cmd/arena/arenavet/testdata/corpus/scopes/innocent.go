package scopes

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

func okClosed(a *arena.Arena, lines [][]byte) string {
	last := arena.String(a, lines[0])
	s := begin(a)
	for _, line := range lines {
		fmt.Println(arena.String(a, line))
	}
	s.Close()
	return last
}

func okRestored(p *parser) string {
	older := p.ident()
	p.save()
	fmt.Println(p.ident())
	p.restore()
	return older + p.ident()
}

func okLongest(a *arena.Arena, words [][]byte) (best string) {
	within(a, func() {
		for _, w := range words {
			if s := arena.String(a, w); len(s) > len(best) {
				best = strings.Clone(s)
			}
		}
	})
	return best
}

// The last turn has made its value behind its own scope.
func okTurns(a *arena.Arena, lines [][]byte) {
	var last string
	for _, line := range lines {
		m := a.Mark()
		fmt.Println(arena.String(a, line))
		a.Rewind(m)
		fmt.Println(last)
		last = arena.String(a, line)
	}
}

func okWithin(a *arena.Arena, lines [][]byte) {
	var last string
	for _, line := range lines {
		s := begin(a)
		fmt.Println(arena.String(a, line))
		s.Close()
		fmt.Println(last)
		last = arena.String(a, line)
	}
}

func okConcurrent(b []byte) []string {
	out := make([]string, 2)
	var wg sync.WaitGroup
	wg.Go(func() {
		a := pool.Get()
		defer pool.Put(a)
		out[0] = strings.Clone(arena.String(a, b))
	})
	wg.Wait()
	return out
}

func count(m map[string]int, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	m[arena.String(a, b)]++
	fmt.Println(m)
	clear(m)
}

func okCleared(b []byte) map[string]int {
	m := map[string]int{}
	count(m, b)
	return m
}

func okPulled(in []byte) {
	a := arena.NewArena()
	next, stop := iter.Pull(words(a, in))
	defer stop()
	for {
		a.Reset() // next makes the value
		s, ok := next()
		if !ok {
			return
		}
		fmt.Println(s)
	}
}

func (c *cache) okPut(key string) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	c.index[key] = c.order.PushFront(&entry{bytes.Clone(buf.Bytes())})
	return nil
}

func okFields(s string) []string {
	d := getDecoder()
	defer putDecoder(d)
	return slices.Clone(d.fields(s))
}

// Nobody looks at the result of a function that has returned an error.
func okFailed(load func(*decoder) error) (*decoder, error) {
	d := getDecoder()
	err := load(d)
	if err != nil {
		putDecoder(d)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return d, err
}

var interned sync.Pool

// What lies in a map of a Pool is text on the heap.
func intern(b []byte) string {
	m := interned.Get().(map[string]string)
	s, ok := m[string(b)]
	if !ok {
		s = string(b)
		m[s] = s
	}
	interned.Put(m)
	return s
}

func okInterned(properties map[string]string, b []byte) { properties[intern(b)] = string(b) }

func okCopied(dst []byte) {
	buf := buffers.Get().(*bytes.Buffer)
	copy(dst, buf.Bytes())
	buffers.Put(buf)
}
