package routines

import (
	"sync"
	"time"
)

func waited(p *peer) {
	v := visits.Get().(*visit)
	var all sync.WaitGroup
	all.Add(1)
	go func() {
		defer all.Done()
		p.mu.Lock()
		v.notes = nil
		p.mu.Unlock()
	}()
	all.Wait()
	visits.Put(v)
}

// asked asks until the goroutine is over.
func asked(p *peer) {
	v := visits.Get().(*visit)
	done := false
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		v.notes, done = nil, true
	}()
	for over := false; !over; {
		p.mu.Lock()
		over = done
		p.mu.Unlock()
	}
	visits.Put(v)
}

func stopped(l line, d time.Duration) error {
	v := visits.Get().(*visit)
	defer visits.Put(v)
	t := time.AfterFunc(d, v.expire)
	defer t.Stop()
	return l.Call("x", v.over)
}

func expired(d time.Duration) {
	v := visits.Get().(*visit)
	defer visits.Put(v)
	done := make(chan bool)
	time.AfterFunc(d, func() {
		v.lines = nil
		close(done)
	})
	<-done
}

func name(p *peer) {
	p.mu.Lock()
	go p.send(nil)
	v := visits.Get().(*visit)
	v.from = p
	p.mu.Unlock()
	visits.Put(v)
}

func owned(p *peer) {
	v := visits.Get().(*visit)
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		v.lines = v.lines[:0]
		visits.Put(v)
	}()
}

func okOnePuts(from *peer) {
	var wg sync.WaitGroup
	v := visits.Get().(*visit)
	v.from = from
	wg.Go(func() {
		trace(v)
		visits.Put(v)
	})
	v = visits.Get().(*visit)
	wg.Wait()
	trace(v)
	visits.Put(v)
}

func okEither(from *peer, wait bool) {
	v := visits.Get().(*visit)
	v.from = from
	if wait {
		trace(v)
		visits.Put(v)
		return
	}
	done := make(chan bool)
	go traceAndPut(v, done)
	<-done
}

func (w *workers) okRun() {
	for v := range w.keep {
		trace(v)
		if v.from == nil {
			visits.Put(v)
			continue
		}
		v.over <- true
	}
}

func (w *workers) okDo(from *peer) {
	v := visits.Get().(*visit)
	v.from = from
	w.keep <- v
	<-v.over
	visits.Put(v)
}

func sendCopy(out chan []byte, payload []byte) {
	p := frames.Get().(*[]byte)
	b := append((*p)[:0], payload...)
	out <- append([]byte(nil), b...)
	*p = b
	frames.Put(p)
}

// sendAway gives the slice away, and the pool gets a new one.
func sendAway(out chan []byte, payload []byte) {
	p := frames.Get().(*[]byte)
	b := append((*p)[:0], payload...)
	out <- b
	*p = nil
	frames.Put(p)
}
