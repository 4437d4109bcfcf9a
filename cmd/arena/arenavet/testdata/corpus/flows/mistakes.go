// Package flows has mistakes in closures, loops, deferred calls, iterators and generic functions.
package flows

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

func deferOrder(p *arena.Pool, b []byte) {
	a := p.Get()
	s := arena.String(a, b)
	defer fmt.Println(s) // want `stale: `
	defer p.Put(a)
}

func deferredLiteral(p *arena.Pool, b []byte) {
	a := p.Get()
	var s string
	defer func() { fmt.Println(s) }() // want `stale: `
	defer p.Put(a)
	s = arena.String(a, b)
}

func counter(a *arena.Arena, b []byte) func() int {
	s := arena.String(a, b)
	n := 0
	next := func() int { n += strings.Count(s, "x"); return n }
	next()
	a.Reset()
	return next // want `outlives: `
}

func literalCalledLater(a *arena.Arena, b []byte) {
	s := arena.SliceOf(a, b...)
	first := func() byte { return s[0] }
	a.Reset()
	fmt.Println(first()) // want `stale: `
}

func setByLiteral(a *arena.Arena, b []byte) {
	var s string
	set := func() { s = arena.String(a, b) }
	set()
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func endByLiteral(a *arena.Arena, b []byte) {
	end := func() { a.Reset() }
	s := arena.String(a, b)
	end()
	fmt.Println(s) // want `stale: `
}

func nestedLiterals(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	end := func() { func() { a.Reset() }() }
	end()
	fmt.Println(s) // want `stale: `
}

func loopCarried(a *arena.Arena, all [][]byte) (n int) {
	var prev []string
	for _, b := range all {
		cur := arena.SliceOf(a, string(b))
		for _, p := range prev { // want `stale: `
			n += len(p)
		}
		prev = cur
		a.Reset()
	}
	return n
}

func whileLoop(a *arena.Arena, next func() []byte) {
	s := arena.String(a, next())
	for s != "x" { // want `stale: `
		a.Reset()
	}
}

func gotoBack(a *arena.Arena, b []byte) {
	var s string
again:
	if len(s) > 3 {
		fmt.Println(s) // want `stale: `
		return
	}
	s = arena.String(a, b)
	a.Reset()
	goto again
}

func continued(a *arena.Arena, all [][]byte) {
	var s string
	for _, b := range all {
		a.Reset()
		if len(b) == 0 {
			fmt.Println(s) // want `stale: `
			continue
		}
		s = arena.String(a, b)
	}
}

func selected(a *arena.Arena, in chan []byte, quit chan bool) {
	var s string
	for {
		select {
		case b := <-in:
			s = arena.String(a, b)
			a.Reset()
		case <-quit:
			fmt.Println(s) // want `stale: `
			return
		}
	}
}

func sentInSelect(p *arena.Pool, out chan string, quit chan bool, b []byte) {
	a := p.Get()
	select {
	case out <- arena.String(a, b): // want `outlives: `
	case <-quit:
	}
	p.Put(a)
}

func typeSwitch(a *arena.Arena, v any) {
	var s string
	switch x := v.(type) {
	case string:
		s = arena.String(a, x)
	case []byte:
		s = arena.String(a, x)
	}
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func assertion(a *arena.Arena, n int) {
	var v any = arena.Ptr(a, n)
	a.Reset()
	if p, ok := v.(*int); ok {
		fmt.Println(*p) // want `stale: `
	}
}

func methodExpression(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	end := (*arena.Arena).Reset
	end(a)
	fmt.Println(s) // want `stale: `
}

func deferredMethodValue(p *arena.Pool, b []byte) string {
	a := p.Get()
	put := p.Put
	defer put(a)
	return arena.String(a, b) // want `outlives: `
}

func funcField(b []byte) string {
	h := hooks{make: func(a *arena.Arena, b []byte) string { return arena.String(a, b) }}
	a := arena.NewArena()
	s := h.make(a, b)
	a.Reset()
	return s + "!" // want `stale: `
}

type hooks struct {
	make func(*arena.Arena, []byte) string
}

func first[T any](a *arena.Arena, v ...T) *T { return &arena.SliceOf(a, v...)[0] }

func genericResult[T cmp.Ordered](a *arena.Arena, v, w T) bool {
	p := first(a, v)
	a.Reset()
	return *p < w // want `stale: `
}

func genericText[S ~string | ~[]byte](a *arena.Arena, s S) {
	t := arena.String(a, s)
	a.Reset()
	fmt.Println(t) // want `stale: `
}

type texts interface{ ~[]string }

func genericSlice[S texts](a *arena.Arena, s S) string {
	t := arena.Append(a, arena.SliceOf(a, s...), s...)
	a.Reset()
	return "first: " + t[0] // want `stale: `
}

func collected(a *arena.Arena, m map[string]int) {
	keys := arena.Collect(a, maps.Keys(m))
	slices.Sort(keys)
	a.Reset()
	for _, k := range keys { // want `stale: `
		fmt.Println(k)
	}
}

func seqKept(a *arena.Arena, all []string) {
	seq := slices.Values(arena.SliceOf(a, all...))
	a.Reset()
	for s := range seq { // want `stale: `
		fmt.Println(s)
	}
}

func words(a *arena.Arena, b []byte) iter.Seq[string] {
	return strings.FieldsSeq(arena.String(a, b))
}

func seqOfFunction(a *arena.Arena, b []byte) {
	seq := words(a, b)
	a.Reset()
	for w := range seq { // want `stale: `
		fmt.Println(w)
	}
}

func rangeOverFunc(a *arena.Arena, seq iter.Seq[[]byte]) {
	var s string
	for b := range seq {
		s = arena.String(a, b)
	}
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func yields(p *arena.Pool, all [][]byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		a := p.Get() // want `lost: `
		for _, b := range all {
			if !yield(arena.String(a, b)) {
				return
			}
		}
		p.Put(a)
	}
}

func resetInCase(a *arena.Arena, b []byte, n int) {
	s := arena.String(a, b)
	switch {
	case n > 1:
		a.Reset()
		fmt.Println(s) // want `stale: `
	default:
		fmt.Println(s)
	}
}

func bothWays(a *arena.Arena, b []byte, big bool) {
	s := arena.String(a, b)
	if big {
		a.Reset()
	} else {
		arena.Sprintf(a, "%d", 1)
		a.Reset()
	}
	fmt.Println(s) // want `stale: `
}

func errorWrapped(p *arena.Pool, b []byte) error {
	a := p.Get()
	defer p.Put(a)
	return fmt.Errorf("bad input: %w", errors.New(arena.String(a, b))) // want `outlives: `
}

func panics(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	panic(arena.String(a, b)) // want `outlives: `
}

func read(p *arena.Pool, r io.Reader) ([]byte, error) {
	a := p.Get()
	defer p.Put(a)
	return arena.ReadAll(a, r) // want `outlives: `
}

func reader(p *arena.Pool, b []byte) io.Reader {
	a := p.Get()
	defer p.Put(a)
	return strings.NewReader(arena.String(a, b)) // want `outlives: `
}

func onceValue(p *arena.Pool, b []byte) func() string {
	a := p.Get()
	s := arena.String(a, b)
	p.Put(a)
	return sync.OnceValue(func() string { return s + "!" }) // want `outlives: `
}

func literalReturned(p *arena.Pool, b []byte) func() string {
	a := p.Get()
	defer p.Put(a)
	s := arena.String(a, b)
	return func() string { return s } // want `outlives: `
}

func goWithArgument(p *arena.Pool, b []byte) {
	a := p.Get()
	s := arena.String(a, b)
	go fmt.Println(s) // want `outlives: `
	p.Put(a)
}

func waitGroupGo(p *arena.Pool, b []byte) {
	a := p.Get()
	s := arena.String(a, b)
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println(s) }) // want `outlives: `
	p.Put(a)
	wg.Wait()
}

func eachTurnGoes(a *arena.Arena, all [][]byte) {
	var wg sync.WaitGroup
	for _, b := range all {
		wg.Go(func() { arena.String(a, b) }) // want `shared: `
	}
	wg.Wait()
}

func nestedLoops(g *arena.Group, rounds [][][]byte) {
	for _, all := range rounds {
		for _, b := range all {
			g.Go(func(a *arena.Arena) { fmt.Println(arena.String(a, b)) }) // want `outlives: `
		}
		g.Reset()
	}
}

func putInLoop(p *arena.Pool, all [][]byte) {
	a := p.Get()
	for _, b := range all {
		fmt.Println(arena.String(a, b)) // want `closed: `
		p.Put(a)                        // want `closed: `
	}
}
