package batches

import (
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

// A stack loses its elements one by one.
type stack struct{ all []*item }

func (s *stack) push(it *item) { s.all = append(s.all, it) }

func (s *stack) pop() *item {
	it := s.all[len(s.all)-1]
	s.all = s.all[:len(s.all)-1]
	return it
}

func popped(in [][]byte) (n int) {
	a := arena.NewArena()
	var s stack
	for _, b := range in {
		s.push(arena.Ptr(a, item{arena.String(a, b)}))
	}
	for len(s.all) > 0 {
		n += len(s.pop().text)
	}
	a.Reset()
	s.push(&item{"end"})
	return n + len(s.pop().text)
}

// A scheduler takes its elements from the front.
type scheduler struct {
	a     *arena.Arena
	queue []*item
}

func (s *scheduler) push(b []byte) {
	s.queue = append(s.queue, arena.Ptr(s.a, item{arena.String(s.a, b)}))
}

func (s *scheduler) run(do func(string)) {
	for len(s.queue) > 0 {
		it := s.queue[0]
		s.queue = s.queue[1:]
		do(it.text)
	}
	s.a.Reset()
}

func rounds(s *scheduler, all [][][]byte, do func(string)) {
	for _, round := range all {
		for _, b := range round {
			s.push(b)
		}
		s.run(do)
	}
}

// A page is emptied by its end.
type page struct {
	a     *arena.Arena
	lines []*item
}

func (p *page) begin(title []byte) {
	p.a.Reset()
	p.lines = append(p.lines, arena.Ptr(p.a, item{arena.String(p.a, title)}))
}

func (p *page) end(emit func([]*item)) {
	emit(p.lines)
	p.lines = nil
}

// A simulation has two arenas that take turns.
type simulation struct {
	cur, next *arena.Arena
	state     []*item
}

func (s *simulation) step() {
	out := arena.MakeSlice[*item](s.next, 0, len(s.state))
	for _, it := range s.state {
		out = arena.Append(s.next, out, arena.Ptr(s.next, *it))
	}
	s.state = out
	s.cur.Reset()
	s.cur, s.next = s.next, s.cur
}

func waitedFor(a *arena.Arena, in [][]byte) (n int) {
	var wg sync.WaitGroup
	counts := make(chan int, len(in))
	for _, b := range in {
		s := arena.String(a, b)
		wg.Add(1)
		go func() {
			defer wg.Done()
			counts <- strings.Count(s, ",")
		}()
	}
	wg.Wait()
	close(counts)
	for c := range counts {
		n += c
	}
	return n
}

func counted(all [][][]byte) (n int) {
	a := arena.NewArena()
	for _, in := range all {
		n += waitedFor(a, in)
		a.Reset()
	}
	return n
}

func receivedFirst(in [][]byte) (n int) {
	a := arena.NewArena()
	out := make(chan string, len(in))
	for _, b := range in {
		out <- arena.String(a, b)
	}
	close(out)
	for s := range out {
		n += strings.Count(s, ",")
	}
	a.Reset()
	return n
}

func perTurn(docs [][]byte) (out []string) {
	for _, d := range docs {
		func() {
			a := pool.Get()
			defer pool.Put(a)
			out = append(out, strings.Clone(arena.String(a, d)))
		}()
	}
	return out
}

// takenOut gives the slice away, and the pool another one.
func takenOut() []byte {
	bp := scratch.Get().(*[]byte)
	b := *bp
	*bp = make([]byte, 0, 1024)
	scratch.Put(bp)
	return b
}

func formatted(msg string) string {
	l := lines.Get().(*line)
	l.b = append(l.b[:0], msg...)
	out := string(l.b)
	lines.Put(l)
	return out
}
