package given

import (
	"sync"

	"github.com/arena-go/arena"
)

func loadedFirst(l loader, s string) error {
	batch := []*row{read(s)}
	err := l.Load(batch)
	rows.Put(batch[0])
	return err
}

// Only rows that are not in the batch are put.
func filtered(l loader, ok func(string) bool, in []string) error {
	var batch []*row
	for _, s := range in {
		r := read(s)
		if ok(s) {
			batch = append(batch, r)
		} else {
			rows.Put(r)
		}
	}
	return l.Load(batch)
}

func putBehind(load func([]*row), in []string, size int) {
	batch := make([]*row, 0, size)
	flush := func() {
		load(batch)
		for _, r := range batch {
			rows.Put(r)
		}
		batch = batch[:0]
	}
	for _, s := range in {
		if batch = append(batch, read(s)); len(batch) == size {
			flush()
		}
	}
	flush()
}

func flushedInLoop(load func([]*row), in []string, size int) {
	batch := make([]*row, 0, size)
	for _, s := range in {
		batch = append(batch, read(s))
		if len(batch) == size {
			load(batch)
			for _, r := range batch {
				rows.Put(r)
			}
			batch = batch[:0]
		}
	}
	load(batch)
}

type cache struct{ release func([]*row) }

// The function gets them back: it does not look at them.
func (c *cache) drop(s string) {
	all := []*row{read(s)}
	rows.Put(all[0])
	c.release(all)
}

func popped(load func([]*row), in []string) {
	var stack []*row
	for _, s := range in {
		r := read(s)
		stack = append(stack, r)
		load(stack)
		stack = stack[:len(stack)-1]
		rows.Put(r)
	}
	load(stack)
}

func howMany(note func(int), s string) {
	batch := []*row{read(s)}
	rows.Put(batch[0])
	note(len(batch))
}

func emptied(show func(map[string]*row), in []string) {
	last := map[string]*row{}
	for _, s := range in {
		r := read(s)
		last["last"] = r
		show(last)
		rows.Put(r)
		last["last"] = nil
	}
	show(last)
}

func another(load func([]*row), s, t string) {
	r := read(s)
	batch := []*row{r}
	load(batch)
	rows.Put(r)
	r = read(t)
	batch[0] = r
	load(batch)
	rows.Put(r)
}

// Each goroutine is waited for in its turn.
func inTurn(all [][][]byte) {
	a := arena.NewArena()
	for _, round := range all {
		for _, b := range round {
			var wg sync.WaitGroup
			wg.Go(func() { count(a, b) })
			wg.Wait()
		}
		a.Reset()
	}
}

func oneOfThem(all [][][]byte) {
	a := arena.NewArena()
	for _, round := range all {
		var wg sync.WaitGroup
		for i, b := range round {
			if i == 0 {
				wg.Go(func() { count(a, b) })
			}
		}
		wg.Wait()
		a.Reset()
	}
}

func ofEach(all [][][]byte) {
	for _, round := range all {
		var wg sync.WaitGroup
		for _, b := range round {
			a := arena.NewArena()
			wg.Go(func() { count(a, b) })
		}
		wg.Wait()
	}
}
