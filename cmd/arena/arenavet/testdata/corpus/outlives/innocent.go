package outlives

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

func clonedKey(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	s := arena.String(a, b)
	cache[strings.Clone(s)]++
	names[1] = arena.Clone(s)
	current = fmt.Sprint(s)
}

func lookedUp(p *arena.Pool, b []byte) int {
	a := p.Get()
	defer p.Put(a)
	return cache[arena.String(a, b)]
}

func dropped(b []byte) *lib.Doc {
	a := arena.NewArena()
	d := lib.Parse(a, b)
	lib.Keep(d)
	return d
}

func forever(a *arena.Arena, b []byte) {
	current = arena.String(a, b)
	cache[current] = 1
}

func forCaller(a *arena.Arena, d *lib.Doc, b []byte) {
	d.Title = arena.String(a, b)
}

func number(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	d := lib.Parse(a, b)
	return len(d.Title)
}

func deepClone(b []byte) *lib.Doc {
	a := pool.Get()
	defer pool.Put(a)
	return lib.Copy(lib.Parse(a, b))
}

func clearedBefore(p *arena.Pool, b []byte) {
	a := p.Get()
	current = arena.String(a, b)
	use()
	current = ""
	p.Put(a)
}

func use() { fmt.Println(current) }

func clearedMap(p *arena.Pool, lines [][]byte) {
	a := p.Get()
	defer p.Put(a)
	for _, line := range lines {
		cache[arena.String(a, line)]++
	}
	fmt.Println(len(cache))
	clear(cache)
}

func localMap(p *arena.Pool, lines [][]byte) int {
	a := p.Get()
	defer p.Put(a)
	count := map[string]int{}
	for _, line := range lines {
		count[arena.String(a, line)]++
	}
	return len(count)
}

func waited(b []byte) {
	a := pool.Get()
	s := arena.String(a, b)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		lib.RememberCopy(s)
	}()
	wg.Wait()
	pool.Put(a)
}

func answered(in <-chan []byte, out chan<- *lib.Doc, done <-chan bool) {
	a := arena.NewArena()
	for b := range in {
		out <- lib.Parse(a, b)
		<-done
		a.Reset()
	}
}

func formatted(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	if s == "" {
		return errors.New("empty")
	}
	return fmt.Errorf("bad: %s", s)
}

func answer(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	name := arena.String(a, r.URL.Path)
	if n, ok := cache[name]; ok {
		fmt.Fprintln(w, n)
		return
	}
	cache[strings.Clone(name)] = 1
	w.Header().Set("X-Name", name)
}

type worker struct {
	a     arena.Arena
	doc   *lib.Doc
	names []string
}

func (w *worker) work(b []byte) {
	w.doc = lib.Parse(&w.a, b)
	w.names = append(w.names, w.doc.Title)
	w.show()
	w.names = w.names[:0]
	w.a.Reset()
}

func (w *worker) show() { fmt.Println(w.doc.Title) }

func resultOfDo(b []byte) (n int, s string) {
	arena.Do(func(a *arena.Arena) {
		d := lib.Parse(a, b)
		n, s = len(d.Title), strings.Clone(d.Title)
	})
	return n, s
}

func remembersCopy(p *arena.Pool, b []byte) {
	a := p.Get()
	lib.RememberCopy(arena.String(a, b))
	p.Put(a)
}

func given(a *arena.Arena, b []byte) (*lib.Doc, error) {
	d := lib.Parse(a, b)
	if d.Title == "" {
		a.Reset()
		return nil, errors.New("empty")
	}
	return d, nil
}

func flush() {
	fmt.Println(len(cache))
	clear(cache)
	list = list[:0]
	current = ""
}

func flushed(p *arena.Pool, lines [][]byte) {
	a := p.Get()
	for _, line := range lines {
		s := arena.String(a, line)
		cache[s]++
		list = append(list, s)
		current = s
	}
	flush()
	p.Put(a)
}

func flushedDeferred(p *arena.Pool, line []byte) {
	a := p.Get()
	defer p.Put(a)
	defer flush()
	cache[arena.String(a, line)]++
}

func keeps(w http.ResponseWriter, r *http.Request) {
	text := arena.Sprintf(arena.FromContext(r.Context()), "%s was asked for", r.URL.Path)
	arenahttp.Keep(r.Context())
	go func() { fmt.Println(text) }()
}
