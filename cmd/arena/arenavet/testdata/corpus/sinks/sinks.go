// Package sinks has interfaces with one implementation each.
package sinks

import "strings"

type Event struct {
	Name  string
	Attrs []string
}

// A Sink takes events.
type Sink interface {
	Emit(e *Event) error
	Close() error
}

type queued struct {
	events chan *Event
	done   chan struct{}
}

// NewQueued returns a Sink that gives events to another goroutine.
func NewQueued(n int, f func(*Event)) Sink {
	q := &queued{make(chan *Event, n), make(chan struct{})}
	go func() {
		defer close(q.done)
		for e := range q.events {
			f(e)
		}
	}()
	return q
}

func (q *queued) Emit(e *Event) error {
	q.events <- e
	return nil
}

func (q *queued) Close() error {
	close(q.events)
	<-q.done
	return nil
}

// A History has events.
type History interface{ Note(e *Event) }

// Memory is a History.
type Memory struct{ all []*Event }

func (m *Memory) Note(e *Event) { m.all = append(m.all, e) }

// Names has names, which it copies.
type Names interface{ Add(e *Event) }

type names struct{ all []string }

func NewNames() Names { return new(names) }

func (n *names) Add(e *Event) { n.all = append(n.all, strings.Clone(e.Name)) }

// A Filter has two implementations.
type Filter interface{ Filter(e *Event) *Event }

type keep struct{ last *Event }

func (k *keep) Filter(e *Event) *Event {
	k.last = e
	return e
}

type drop struct{}

func (drop) Filter(*Event) *Event { return nil }

func NewFilter(all bool) Filter {
	if all {
		return new(keep)
	}
	return drop{}
}

// A Visitor is implemented here and elsewhere.
type Visitor interface{ Visit(e *Event) }

type Visits struct{ all []*Event }

func (v *Visits) Visit(e *Event) { v.all = append(v.all, e) }
