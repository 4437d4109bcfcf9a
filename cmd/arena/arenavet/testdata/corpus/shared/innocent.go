package shared

import (
	"context"
	"net/http"
	"sync"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

func handedOver(b []byte) {
	a := arena.NewArena()
	go lib.Parse(a, b)
}

func oneEach(parts [][]byte) {
	for _, part := range parts {
		a := arena.NewArena()
		go func() { lib.Parse(a, part) }()
	}
}

func group(parts [][]byte) {
	g := arena.NewGroup()
	for _, part := range parts {
		g.Go(func(a *arena.Arena) { lib.Parse(a, part) })
	}
	g.Wait()
	g.Reset()
}

func members(parts [][]byte) {
	g := arena.NewGroup()
	var wg sync.WaitGroup
	for _, part := range parts {
		a := g.Arena()
		wg.Add(1)
		go func() { defer wg.Done(); lib.Parse(a, part) }()
	}
	wg.Wait()
	g.Reset()
}

func oneAfterTheOther(b []byte) {
	a := arena.NewArena()
	done := make(chan bool)
	go func() { fill(a); close(done) }()
	<-done
	fill(a)
}

func reads(a *arena.Arena, b []byte) {
	d := lib.Parse(a, b)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); lib.RememberCopy(d.Title) }()
	e := lib.Parse(a, b)
	wg.Wait()
	lib.RememberCopy(e.Title)
}

func locked(parts [][]byte) {
	a := arena.NewArena()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, part := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			lib.Parse(a, part)
			mu.Unlock()
		}()
	}
	wg.Wait()
}

func forked(w http.ResponseWriter, r *http.Request) {
	done := make(chan bool)
	ctx := arena.Fork(r.Context())
	go func() {
		lib.Parse(arena.FromContext(ctx), []byte(r.URL.Path))
		close(done)
	}()
	<-done
}

func forkedInside(w http.ResponseWriter, r *http.Request) {
	done := make(chan bool)
	go func() {
		ctx := arena.Fork(r.Context())
		lib.Parse(arena.FromContext(ctx), []byte(r.URL.Path))
		close(done)
	}()
	<-done
}

// noContext asks contexts that are nil, or of which nothing is known, for their arenas.
func noContext(contexts func() context.Context, use func(*arena.Arena)) {
	mine := arena.NewArena()
	use(mine)
	use(arena.FromContext(nil))
	use(arena.FromContext(contexts()))
	defer arena.FromContext(nil)
}

func other(b []byte) {
	a, c := arena.NewArena(), arena.NewArena()
	go lib.Parse(a, b)
	lib.Parse(c, b)
}

func ownPool(p *arena.Pool, parts [][]byte) {
	var wg sync.WaitGroup
	for _, part := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a := p.Get()
			defer p.Put(a)
			lib.Parse(a, part)
		}()
	}
	wg.Wait()
}

func inside(all <-chan []byte) {
	go func() {
		a := arena.NewArena()
		for b := range all {
			lib.Parse(a, b)
			a.Reset()
		}
	}()
}

func lentToGoroutine(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	done := make(chan bool)
	go func() {
		lib.Parse(a, []byte(r.URL.Path))
		close(done)
	}()
	<-done
	lib.Parse(a, nil)
}

func mapInTurn(a *arena.Arena) {
	m := arena.NewMap[int, int](a, 0)
	var wg sync.WaitGroup
	wg.Go(func() { m.Set(1, 1) })
	wg.Wait()
	m.Set(2, 2)
}

func mapRead(a *arena.Arena) {
	m := arena.NewMap[int, int](a, 0)
	m.Set(1, 1)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { m.Get(1) })
	}
	m.Get(2)
	wg.Wait()
}

func mapLocked(a *arena.Arena) {
	m := arena.NewMap[int, int](a, 0)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			m.Set(i, i)
		})
	}
	wg.Wait()
}

func builders(p *arena.Pool, all [][]byte) {
	var wg sync.WaitGroup
	for _, b := range all {
		wg.Go(func() {
			a := p.Get()
			defer p.Put(a)
			t := arena.NewBuilder(a)
			t.Write(b)
		})
	}
	wg.Wait()
}

func mapOnHeap() {
	m := arena.NewMap[int, int](nil, 0)
	go m.Set(1, 1)
	lib.Parse(nil, nil)
}
