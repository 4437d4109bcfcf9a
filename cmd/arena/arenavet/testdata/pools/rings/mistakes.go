// Package rings gives values of a sync.Pool to containers of another package.
package rings

import (
	"sync"

	"example.com/pools/rings/ring"
)

type event struct{ topic, text string }

var events = sync.Pool{New: func() any { return new(event) }}

type recorder struct {
	last *ring.Last[*event]
	open ring.Stack[*event]
	all  *ring.Table[*event]
}

func (r *recorder) record(text string) {
	e := events.Get().(*event)
	defer events.Put(e)
	e.text = text
	r.last.Add(e) // want `syncpool: `
}

func (r *recorder) name(topic string) {
	e := events.Get().(*event)
	e.topic = topic
	r.all.Set(topic, e) // want `syncpool: `
	events.Put(e)
}

func texts(l *ring.Last[string]) (all []*event) {
	l.Each(func(text string) {
		e := events.Get().(*event)
		all = append(all, e)
		events.Put(e)
	})
	return all // want `syncpool: `
}
