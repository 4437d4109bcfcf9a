package starts

import (
	"bytes"
	"io"
	"strings"

	"example.com/pools/starts/worker"
)

func resets(r io.Reader) {
	d := get()
	_ = d.Reset(r) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func resetsOne(some bool) {
	var r io.Reader
	if some {
		r = strings.NewReader("x")
	}
	d := get()
	_ = d.Reset(r) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func async() {
	d := get()
	d.StartAgain(true) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func unless() {
	d := get()
	d.StartUnless(false) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func turns() {
	d := get()
	d.Turns(2) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func mode() {
	d := get()
	d.Mode("both") // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func nameOfOne() {
	d := get()
	d.Names("x") // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func buffered() {
	d := get()
	d.Buffered(new(bytes.Buffer)) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func bothOfThem() {
	d := get()
	d.Both(strings.NewReader("x"), true) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func optionsOf() {
	d := get()
	d.With(worker.Options{Async: true}) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(d)
}

func sends(to chan *worker.Decoder) {
	d := get()
	d.Send(to) // want `syncpool: Decoder.Send sends a value, and nobody waits for the receiver `
	decoders.Put(d)
}

func two(a *worker.Decoder) {
	b := get()
	b.Two(a, false) // want `syncpool: a goroutine .* may use what the pool gets `
	decoders.Put(b)
}
