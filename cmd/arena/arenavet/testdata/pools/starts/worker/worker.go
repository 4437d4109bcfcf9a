// Package worker starts goroutines under conditions about what it is given.
package worker

import (
	"bytes"
	"io"
	"sync"
)

var spare = sync.Pool{New: func() any { return new(Decoder) }}

// A Decoder decodes, also in a goroutine.
type Decoder struct {
	name string
	out  chan *Decoder
	sync bool
	err  error
}

type Options struct {
	Async bool
	Name  string
}

func (d *Decoder) run() { println(d.name) }

// Free gives d to the others.
func (d *Decoder) Free() { spare.Put(d) }

func (d *Decoder) Reset(r io.Reader) error {
	if d.err != nil {
		return d.err
	}
	if r == nil {
		d.name = ""
		return nil
	}
	go d.run()
	return nil
}

func (d *Decoder) Close() error { return d.Reset(nil) }

func (d *Decoder) Start(async bool) {
	if async {
		go d.run()
	}
}

func (d *Decoder) StartAgain(async bool) { d.Start(async) }

func (d *Decoder) StartUnless(sync bool) {
	if !sync {
		go d.run()
	}
}

func (d *Decoder) Turns(n int) {
	for range n {
		go d.run()
	}
}

func (d *Decoder) More(n int) {
	if n > 1 {
		go d.run()
	}
}

func (d *Decoder) Mode(m string) {
	switch m {
	case "async", "both":
		go d.run()
	default:
		d.run()
	}
}

func (d *Decoder) Each(fns ...func(*Decoder)) {
	for _, fn := range fns {
		go fn(d)
	}
}

func (d *Decoder) Names(all ...string) {
	for range all {
		go d.run()
	}
}

func (d *Decoder) Buffered(r io.Reader) {
	if _, ok := r.(*bytes.Buffer); ok {
		go d.run()
	}
}

func (d *Decoder) Both(r io.Reader, async bool) {
	if async && r != nil {
		go d.run()
	}
}

func (d *Decoder) Early(n int) bool {
	if n == 0 {
		return false
	}
	go d.run()
	return true
}

func (d *Decoder) With(o Options) {
	if o.Async {
		go d.run()
	}
}

func (d *Decoder) WithSome(o *Options) {
	if o != nil && o.Async {
		go d.run()
	}
}

func (d *Decoder) SetSync() { d.sync = true }

func (d *Decoder) Own() {
	if !d.sync {
		go d.run()
	}
}

func (d *Decoder) Send(to chan *Decoder) {
	if to != nil {
		to <- d
	}
}

// Two starts one goroutine, and with async another one.
func (d *Decoder) Two(other *Decoder, async bool) {
	go d.run()
	if async {
		go other.run()
	}
}
