// Package starts calls functions that start goroutines under conditions which are false, and ends
// values under such conditions.
package starts

import (
	"io"
	"strings"
	"sync"

	"example.com/pools/starts/worker"
)

var decoders = sync.Pool{New: func() any { return new(worker.Decoder) }}

func get() *worker.Decoder { return decoders.Get().(*worker.Decoder) }

func resetToNil() {
	d := get()
	_ = d.Reset(nil)
	decoders.Put(d)
}

func resetLater() {
	d := get()
	defer func() {
		_ = d.Reset(nil)
		decoders.Put(d)
	}()
}

func resetToNothing() {
	var r io.Reader
	d := get()
	_ = d.Reset(r)
	decoders.Put(d)
}

func closed() error {
	d := get()
	err := d.Close()
	decoders.Put(d)
	return err
}

func notAsync() {
	d := get()
	d.Start(false)
	d.StartAgain(false)
	d.StartUnless(true)
	decoders.Put(d)
}

func numbers() {
	d := get()
	d.Turns(0)
	d.More(1)
	d.Early(0)
	decoders.Put(d)
}

func nothing() {
	d := get()
	d.Each()
	d.Names()
	d.Mode("sync")
	decoders.Put(d)
}

func types(r io.Reader) {
	d := get()
	d.Buffered(nil)
	d.Buffered(strings.NewReader("x"))
	d.Both(r, false)
	d.Both(nil, true)
	decoders.Put(d)
}

func options() {
	d := get()
	d.With(worker.Options{})
	d.With(worker.Options{Async: false, Name: "x"})
	d.WithSome(nil)
	d.WithSome(&worker.Options{Name: "x"})
	decoders.Put(d)
}

func ownOption() {
	d := get()
	d.SetSync()
	d.Own()
	decoders.Put(d)
}

func toNobody() {
	d := get()
	d.Send(nil)
	decoders.Put(d)
}

func onlyTheOther(a *worker.Decoder) {
	b := get()
	a.Two(b, false)
	decoders.Put(b)
}

func within(d *worker.Decoder, start func(*worker.Decoder, bool)) { start(d, false) }

func calledWith() {
	d := get()
	within(d, (*worker.Decoder).Start)
	decoders.Put(d)
}

func literal() {
	d := get()
	start := func(async bool) {
		if async {
			go d.Own()
		}
	}
	start(false)
	decoders.Put(d)
}

func bound() {
	d := get()
	start := d.Start
	start(false)
	decoders.Put(d)
}

type starter interface{ Start(async bool) }

func byInterface() {
	d := get()
	var s starter = d
	s.Start(false)
	decoders.Put(d)
}

func underCondition(async bool) {
	d := get()
	if !async {
		d.Start(async)
		decoders.Put(d)
	}
}

func oneOfTwo(other bool) {
	d := get()
	n := 0
	if other {
		n = 1
	}
	d.More(n)
	decoders.Put(d)
}

const debug = false

func debugging() {
	d := get()
	if debug {
		go d.Own()
	}
	decoders.Put(d)
}

type message struct{ body []byte }

var messages = sync.Pool{New: func() any { return new(message) }}

func (m *message) done(free bool) bool {
	if free {
		messages.Put(m)
		return true
	}
	return len(m.body) == 0
}

func (m *message) over(free bool) bool {
	if free {
		messages.Put(m)
		return true
	}
	if len(m.body) > 0 {
		return true
	}
	return false
}

func notFreed() int {
	m := messages.Get().(*message)
	if m.done(false) || m.over(false) {
		return len(m.body)
	}
	messages.Put(m)
	return 0
}
