// Package routines has goroutines that use what a sync.Pool gets meanwhile.
package routines

import (
	"fmt"
	"sync"
	"time"
)

type peer struct {
	name string
	mu   sync.Mutex
}

// A visit is of a peer, with notes.
type visit struct {
	from  *peer
	notes map[string]string
	over  chan bool
	lines []string
}

var (
	visits = sync.Pool{New: func() any { return &visit{over: make(chan bool, 1)} }}
	groups = sync.Pool{New: func() any { return new([]*visit) }}
)

func (v *visit) note(key string) string { return v.notes[key] }

func (v *visit) expire() {
	select {
	case v.over <- true:
	default:
	}
}

func trace(v *visit) { fmt.Println(v.note("x"), v.from.name) }

func traceLater(v *visit) { go trace(v) }

func start(from *peer) {
	v := visits.Get().(*visit)
	v.from = from
	traceLater(v) // want `syncpool: a goroutine .* may use what the pool gets `
	visits.Put(v)
}

// A table has functions by name.
type table struct{ all map[string]func(*visit) }

func newTable() *table {
	t := &table{all: map[string]func(*visit){}}
	t.all["trace"] = traceLater
	return t
}

func (t *table) run(name string, from *peer) {
	v := visits.Get().(*visit)
	v.from = from
	if f := t.all[name]; f != nil {
		f(v) // want `syncpool: a goroutine .* may use what the pool gets `
	}
	visits.Put(v)
}

func (p *peer) send(all []*visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range all {
		fmt.Println(p.name, v.from.name)
	}
}

func release(all *[]*visit) {
	clear(*all)
	*all = (*all)[:0]
	groups.Put(all)
}

func (p *peer) sendAll(some []*visit) {
	all := groups.Get().(*[]*visit)
	defer release(all)
	*all = append(*all, some...)
	if len(*all) > 0 {
		go p.send(*all) // want `syncpool: a goroutine .* may use what the pool gets `
	}
}

func locked(p *peer) {
	v := visits.Get().(*visit)
	go func() { // want `syncpool: a goroutine .* may use what the pool gets `
		p.mu.Lock()
		v.notes = nil
		p.mu.Unlock()
	}()
	visits.Put(v)
}

type line interface {
	Call(v string, over chan<- bool) error
}

func timed(l line, d time.Duration) (bool, error) {
	v := visits.Get().(*visit)
	defer visits.Put(v)
	time.AfterFunc(d, v.expire) // want `syncpool: a goroutine .* may use what the pool gets `
	if err := l.Call("x", v.over); err != nil {
		return false, err
	}
	return <-v.over, nil
}

var done = make(chan *visit, 10)

func (v *visit) report() { done <- v }

func reported() {
	v := visits.Get().(*visit)
	v.report() // want `syncpool: visit.report sends a value, and nobody waits for the receiver `
	visits.Put(v)
}

func seen(look func(*visit)) {
	v := visits.Get().(*visit)
	defer visits.Put(v)
	look(v)
}

func kept() (last *visit) {
	seen(func(v *visit) { last = v })
	return last // want `syncpool: what the function literal of routines.seen has taken from the pool .* is returned after sync.Pool.Put in what routines.seen calls`
}

// Goroutines that give to the pool what they were given.

func bothPut(from *peer) {
	var wg sync.WaitGroup
	v := visits.Get().(*visit)
	v.from = from
	wg.Go(func() {
		trace(v)
		visits.Put(v)
	})
	wg.Wait()
	visits.Put(v) // want `syncpool: a value is put twice`
}

func traceAndPut(v *visit, done chan bool) {
	trace(v)
	visits.Put(v)
	done <- true
}

func putByBoth(from *peer) {
	v := visits.Get().(*visit)
	defer visits.Put(v) // want `syncpool: a value is put twice`
	v.from = from
	done := make(chan bool)
	go traceAndPut(v, done)
	<-done
}

func usedBehind(from *peer) {
	var wg sync.WaitGroup
	v := visits.Get().(*visit)
	v.from = from
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer visits.Put(v)
		trace(v)
	}()
	wg.Wait()
	trace(v) // want `syncpool: `
}

type workers struct {
	queue, keep chan *visit
}

func (w *workers) run() {
	for v := range w.queue {
		trace(v)
		v.over <- true
		visits.Put(v)
	}
}

func (w *workers) do(from *peer) {
	v := visits.Get().(*visit)
	v.from = from
	w.queue <- v
	<-v.over
	visits.Put(v) // want `syncpool: a value is put twice`
}

// The function of a method value is nobody's literal.
type collector struct{ all []*visit }

func (c *collector) run() {
	it := visits.Get().(*visit)
	c.all = append(c.all, it) // want `syncpool: `
	visits.Put(it)
}

func (c *collector) start(run func(func())) {
	work := c.run
	go work()
	run(c.run)
}

var frames = sync.Pool{New: func() any { b := make([]byte, 0, 512); return &b }}

func sendGrown(out chan []byte, payload []byte) {
	p := frames.Get().(*[]byte)
	b := append((*p)[:0], byte(len(payload)))
	b = append(b, payload...)
	out <- b // want `syncpool: `
	*p = b
	frames.Put(p)
}
