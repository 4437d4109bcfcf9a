package scopes

import (
	"context"
	"fmt"
	"time"
)

// What is given to others.

func Goroutine(text string) { // unknown: goroutine
	if n, err := Parse(text); err == nil {
		go n.Len()
	}
}

func GoClosure(text string) { // unknown: goroutine
	n, err := Parse(text)
	if err != nil {
		return
	}
	done := make(chan int)
	go func() { done <- n.Len() }()
	<-done
}

func Given(text string, f func(*Node)) { // unknown: not known
	if n, err := Parse(text); err == nil {
		f(n)
	}
}

// A Sink may be anything.
type Sink interface{ Take(name string) }

func Taken(text string, s Sink) { // unknown: not known
	if n, err := Parse(text); err == nil {
		s.Take(n.Children[0].Name)
	}
}

func Callback(text string, register func(func() string)) { // unknown: not known
	n, err := Parse(text)
	if err != nil {
		return
	}
	register(func() string { return n.Children[0].Name })
}

func Timer(text string) { // unknown
	n, err := Parse(text)
	if err != nil {
		return
	}
	time.AfterFunc(time.Hour, func() { n.Len() })
}

func Context(ctx context.Context, text string, next func(context.Context)) { // unknown: not known
	if n, err := Parse(text); err == nil {
		next(context.WithValue(ctx, "node", n))
	}
}

type keeper struct{}

func (keeper) visit(n *Node) { last = n }

func Keeper(text string) { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return
	}
	var v visitor = keeper{}
	v.visit(n)
}

type stringer struct{ n *Node }

func (s stringer) String() string {
	last = s.n
	return ""
}

func ByString(text string) string { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return fmt.Sprint(stringer{n})
}

func ByField(text string) string { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return fmt.Sprint(struct{ S stringer }{stringer{n}})
}
