package flows

import (
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

func deferOrderRight(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	s := arena.String(a, b)
	defer fmt.Println(s)
}

func deferredLiteralRight(p *arena.Pool, b []byte) {
	var s string
	a := p.Get()
	defer p.Put(a)
	defer func() { fmt.Println(s) }()
	s = arena.String(a, b)
}

func evaluatedEarly(p *arena.Pool, b []byte) {
	a := p.Get()
	s := arena.String(a, b)
	defer fmt.Println(len(s))
	p.Put(a)
}

func literalOfCopy(a *arena.Arena, b []byte) func() string {
	s := strings.Clone(arena.String(a, b))
	a.Reset()
	return func() string { return s }
}

func literalThatMakes(a *arena.Arena, b []byte) {
	text := func() string { return arena.String(a, b) }
	fmt.Println(text())
	a.Reset()
	fmt.Println(text())
}

func literalThatEnds(a *arena.Arena, all [][]byte) {
	end := func() { a.Reset() }
	for _, b := range all {
		fmt.Println(arena.String(a, b))
		end()
	}
}

func setAgainByLiteral(a *arena.Arena, b []byte) {
	var s string
	set := func() { s = arena.String(a, b) }
	set()
	a.Reset()
	set()
	fmt.Println(s)
}

func previousCopied(a *arena.Arena, all [][]byte) (n int) {
	var prev []string
	for _, b := range all {
		cur := arena.SliceOf(a, string(b))
		for _, p := range prev {
			n += len(p)
		}
		prev = slices.Clone(cur)
		a.Reset()
	}
	return n
}

func previousCleared(a *arena.Arena, all [][]byte) {
	var prev string
	for _, b := range all {
		if prev != "" {
			fmt.Println(prev)
		}
		prev = arena.String(a, b)
		if len(b) > 10 {
			prev = ""
			a.Reset()
		}
	}
}

func twoPhases(a *arena.Arena, all [][]byte) {
	for _, b := range all {
		fmt.Println(arena.String(a, b))
	}
	a.Reset()
	for _, b := range all {
		fmt.Println(arena.String(a, b))
	}
}

func selectRight(a *arena.Arena, in chan []byte, quit chan bool) {
	var s string
	for {
		select {
		case b := <-in:
			a.Reset()
			s = arena.String(a, b)
		case <-quit:
			fmt.Println(s)
			return
		}
	}
}

func sentCopy(p *arena.Pool, out chan string, quit chan bool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	select {
	case out <- strings.Clone(arena.String(a, b)):
	case <-quit:
	}
}

func sentAndAnswered(a *arena.Arena, out chan string, done chan bool, all [][]byte) {
	for _, b := range all {
		out <- arena.String(a, b)
		<-done
		a.Reset()
	}
}

func typeSwitched(a *arena.Arena, v any) {
	s := ""
	switch x := v.(type) {
	case string:
		s = strings.Clone(arena.String(a, x))
	case fmt.Stringer:
		s = x.String()
	}
	a.Reset()
	fmt.Println(s)
}

func numberOfPointer(a *arena.Arena, n int) int {
	var v any = arena.Ptr(a, n)
	m := *v.(*int)
	a.Reset()
	return m
}

func oneOrTheOther(a *arena.Arena, b []byte, reset bool) {
	s := arena.String(a, b)
	if reset {
		a.Reset()
		s = "none"
	}
	fmt.Println(s)
}

func heapOrArena(a *arena.Arena, b []byte, big bool) string {
	if !big {
		return string(b)
	}
	s := arena.String(a, b)
	t := strings.Clone(s)
	a.Reset()
	return t
}

func genericCount[S ~string | ~[]byte](a *arena.Arena, s S) int {
	n := len(arena.String(a, s))
	a.Reset()
	return n
}

func keysCopied(a *arena.Arena, m map[string]int) []string {
	keys := arena.Collect(a, maps.Keys(m))
	slices.Sort(keys)
	all := slices.Clone(keys)
	a.Reset()
	return all
}

func wordsCopied(a *arena.Arena, b []byte) []string {
	all := slices.Collect(func(yield func(string) bool) {
		for w := range words(a, b) {
			if !yield(strings.Clone(w)) {
				return
			}
		}
	})
	a.Reset()
	return all
}

func yieldsRight(p *arena.Pool, all [][]byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		a := p.Get()
		defer p.Put(a)
		for _, b := range all {
			if !yield(arena.String(a, b)) {
				return
			}
		}
	}
}

func errorCopied(p *arena.Pool, b []byte) error {
	a := p.Get()
	defer p.Put(a)
	return fmt.Errorf("bad input: %s", arena.String(a, b))
}

func errorOfCopy(p *arena.Pool, b []byte) error {
	a := p.Get()
	defer p.Put(a)
	return errors.New("bad input: " + arena.String(a, b))
}

func panicsOfCopy(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	panic("bad input: " + arena.String(a, b))
}

func readCopied(p *arena.Pool, r io.Reader) (string, error) {
	a := p.Get()
	defer p.Put(a)
	b, err := arena.ReadAll(a, r)
	return string(b), err
}

func readInto(a *arena.Arena, r io.Reader) ([]byte, error) { return arena.ReadAll(a, r) }

func waitsForGo(p *arena.Pool, b []byte) {
	a := p.Get()
	s := arena.String(a, b)
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println(s) })
	wg.Wait()
	p.Put(a)
}

func waitGroupEach(parts [][]byte) {
	var wg sync.WaitGroup
	for _, b := range parts {
		wg.Go(func() {
			a := arena.NewArena()
			fmt.Println(arena.String(a, b))
		})
	}
	wg.Wait()
}

func putEachTurn(p *arena.Pool, all [][]byte) {
	for _, b := range all {
		a := p.Get()
		fmt.Println(arena.String(a, b))
		p.Put(a)
	}
}

func putInLiteral(p *arena.Pool, all [][]byte) {
	for _, b := range all {
		func() {
			a := p.Get()
			defer p.Put(a)
			fmt.Println(arena.String(a, b))
		}()
	}
}

func ownedByStruct(b []byte) *owned {
	a := arena.NewArena()
	return &owned{a, arena.String(a, b)}
}

type owned struct {
	a    *arena.Arena
	text string
}

func (o *owned) close() { o.a.Free(); o.text = "" }

func funcParam(a *arena.Arena, f func() []byte) int {
	s := arena.String(a, f())
	n := len(s)
	a.Reset()
	return n + len(f())
}

func cleanup(p *arena.Pool) (a *arena.Arena, done func()) {
	a = p.Get()
	return a, func() { p.Put(a) }
}

func useCleanup(p *arena.Pool, b []byte) int {
	a, done := cleanup(p)
	defer done()
	return len(arena.String(a, b))
}

func lengthOnly(a *arena.Arena, b []byte) int {
	s := arena.String(a, b)
	a.Reset()
	return len(s)
}
