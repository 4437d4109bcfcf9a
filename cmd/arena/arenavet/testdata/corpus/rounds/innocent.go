package rounds

import (
	"container/heap"
	"fmt"
	"iter"
	"strings"

	"github.com/arena-go/arena"
)

// There is room for all.
func okRoom(a *arena.Arena, words []string) []string {
	all := arena.MakeSlice[string](a, 0, len(words))
	for _, w := range words {
		m := a.Mark()
		if s := arena.Concat(a, "_", w); len(s) > 3 {
			all = arena.Push(a, all, w)
		}
		a.Rewind(m)
	}
	return all
}

func okRoomOfSequence(a *arena.Arena, text string) []string {
	all := arena.MakeSlice[string](a, 0, strings.Count(text, "/")+1)
	for w := range strings.SplitSeq(text, "/") {
		m := a.Mark()
		if s := arena.Concat(a, "_", w); len(s) > 3 {
			all = arena.Push(a, all, w)
		}
		a.Rewind(m)
	}
	return all
}

func add(a *arena.Arena, all []string, w string) []string { return arena.Push(a, all, w) }

func okRoomByHelper(a *arena.Arena, words []string) []string {
	all := arena.MakeSlice[string](a, 0, len(words))
	for _, w := range words {
		m := a.Mark()
		all = add(a, all, w)
		a.Rewind(m)
	}
	return all
}

func okAddOne(a *arena.Arena, all []string, w string) []string {
	m := a.Mark()
	defer a.Rewind(m)
	if s := arena.Concat(a, "_", w); len(s) > 3 {
		all = arena.Push(a, all, w)
	}
	return all
}

func okFour(a *arena.Arena) []int {
	all := arena.MakeSlice[int](a, 0, 4)
	for n := range 4 {
		m := a.Mark()
		fmt.Println(arena.Concat(a, "a", "b"))
		all = arena.Push(a, all, n)
		a.Rewind(m)
	}
	return all
}

func okDrained(a *arena.Arena, lines []string) {
	var all slowest
	for n, l := range lines {
		heap.Push(&all, arena.Ptr(a, device{name: arena.String(a, l)}))
		if n%1000 == 0 {
			for all.Len() > 0 {
				fmt.Println(heap.Pop(&all).(*device).name)
			}
			a.Reset()
		}
	}
}

func okEmptied(a *arena.Arena, lines []string) {
	var last []*device
	for _, l := range lines {
		a.Reset()
		if len(last) > 0 {
			last = last[:0]
		}
		last = append(last, arena.Ptr(a, device{name: l}))
	}
	for _, d := range last {
		fmt.Println(d.heat)
	}
}

func okCleared(a *arena.Arena, lines []string) {
	last := map[int]*device{}
	for n, l := range lines {
		last[n] = arena.Ptr(a, device{name: l})
		a.Reset()
		if len(last) > 0 {
			clear(last)
		}
	}
	for _, d := range last {
		fmt.Println(d.heat)
	}
}

type batch struct {
	all   []*device
	arena *arena.Arena
}

func (b *batch) flush() {
	if len(b.all) > 0 {
		b.all = nil
	}
	b.arena.Reset()
}

func (b *batch) okFlushed(lines []string) {
	for _, l := range lines {
		b.all = append(b.all, arena.Ptr(b.arena, device{name: l}))
		if len(b.all) > 5 {
			b.flush()
		}
	}
	for _, d := range b.all {
		fmt.Println(d.heat)
	}
}

// What the field has serves the function.
func (r *rules) okAgain(text string) int {
	defer r.arena.Reset()
	r.all = append(r.all[:0], rule{prefix: arena.Concat(r.arena, "/", text)})
	return r.count()
}

func (r *rules) count() int { return len(r.all) }

// The receiver says when it is done.
func okAnswered(a *arena.Arena, lines []string, out chan<- string, done <-chan bool) {
	send := func(s string) {
		out <- s
		<-done
		a.Reset()
	}
	for _, l := range lines {
		send(arena.String(a, l))
	}
}

func okOther(a, b *arena.Arena, lines []string, out chan<- string) {
	send := func(s string) {
		out <- s
		a.Reset()
	}
	for _, l := range lines {
		send(arena.String(b, l))
	}
}

func okStoppedTwice(lines []string) {
	next, stop := iter.Pull(namesOf(lines))
	defer stop()
	s, _ := next()
	fmt.Println(s)
	stop()
	next, stop = iter.Pull(namesOf(lines))
	s, _ = next()
	fmt.Println(s)
	stop()
}

type names struct{ all []string }

func (n *names) emit(d *device) error {
	n.all = append(n.all, strings.Clone(d.name))
	return nil
}

func (n *names) flush() error {
	fmt.Println(n.all)
	return nil
}

func okConvert(lines []string, to sink) error {
	a := arena.NewArena()
	for _, l := range lines {
		if err := to.emit(arena.Ptr(a, device{name: l})); err != nil {
			return err
		}
		a.Reset()
	}
	return to.flush()
}

func okConverted(lines []string, atOnce bool) error {
	var to sink = new(names)
	if atOnce {
		to = new(counter)
	}
	return okConvert(lines, to)
}

func okEnded(n int) float64 {
	t := newTable(n)
	sum := t.first() + t.sum()
	t.arena.Reset()
	return sum + float64(len(t.cells))
}
