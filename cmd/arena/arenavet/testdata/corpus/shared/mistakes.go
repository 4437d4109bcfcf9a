package shared

import (
	"context"
	"net/http"
	"sync"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

func both(b []byte) *lib.Doc {
	a := arena.NewArena()
	go lib.Parse(a, b)
	return lib.Parse(a, b) // want `shared: the arena is used while the goroutine`
}

func captured(b []byte) *lib.Doc {
	a := arena.NewArena()
	go func() { lib.Parse(a, b) }()
	return lib.Parse(a, b) // want `shared: `
}

func two(b []byte) {
	a := arena.NewArena()
	go lib.Parse(a, b)
	go lib.Parse(a, b) // want `shared: two goroutines use one arena`
}

func loop(parts [][]byte) {
	a := arena.NewArena()
	var wg sync.WaitGroup
	for _, part := range parts {
		wg.Add(1)
		go func() { // want `shared: two goroutines`
			defer wg.Done()
			lib.Parse(a, part)
		}()
	}
	wg.Wait()
}

func fromRequest(w http.ResponseWriter, r *http.Request) {
	done := make(chan bool)
	go func() { // want `shared: a goroutine uses the arena of the request: give it arena.Fork`
		a := arena.FromContext(r.Context())
		lib.Parse(a, []byte(r.URL.Path))
		close(done)
	}()
	<-done
}

func slabs() *int {
	a := arena.NewArena()
	s := arena.SlabOf[int](a)
	go func() { s.New() }()
	return s.New() // want `shared: `
}

func builder() string {
	a := arena.NewArena()
	go fill(a)
	t := arena.NewBuilder(a) // want `shared: `
	t.WriteString("x")
	return t.String()
}

func fill(a *arena.Arena) { arena.MakeSlice[int](a, 10, 10) }

type parser struct{ a *arena.Arena }

func (p *parser) parse(b []byte) { lib.Parse(p.a, b) }

func carriers(b []byte) {
	p := &parser{a: arena.NewArena()}
	go p.parse(b)
	p.parse(b) // want `shared: `
}

func waitGroup(parts [][]byte) {
	a := arena.NewArena()
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { lib.Parse(a, parts[0]); wg.Done() }()
	go func() { lib.Parse(a, parts[1]); wg.Done() }() // want `shared: `
	wg.Wait()
}

func waitsLate(b []byte) {
	a := arena.NewArena()
	done := make(chan bool)
	go func() { fill(a); close(done) }()
	fill(a) // want `shared: `
	<-done
}

func builderCaptured(a *arena.Arena) {
	t := arena.NewBuilder(a)
	done := make(chan bool)
	go func() { t.WriteString("x"); close(done) }()
	t.WriteString("y") // want `shared: `
	<-done
}

func mapCaptured(a *arena.Arena) {
	m := arena.NewMap[int, int](a, 0)
	done := make(chan bool)
	go func() { m.Set(1, 1); close(done) }()
	*m.Entry(2) = 2 // want `shared: `
	<-done
}

func mapInGoroutines(a *arena.Arena, n int) {
	m := arena.NewMap[int, int](a, 0)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { m.Set(i, i) }) // want `shared: two goroutines`
	}
	wg.Wait()
}

func helperOfHandler(ctx context.Context, b []byte) *lib.Doc {
	doc := lib.Parse(arena.FromContext(ctx), b)
	go func() { lib.Parse(arena.FromContext(ctx), b) }() // want `shared: `
	return doc
}
