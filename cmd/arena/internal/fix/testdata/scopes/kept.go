package scopes

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// What is returned.

func Tree(text string) (*Node, error) { // returned
	return Parse(text)
}

func Child(text string) *Node { // returned
	n, err := Parse(text)
	if err != nil || len(n.Children) == 0 {
		return nil
	}
	return n.Children[0]
}

func Name(text string) string { // returned
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return n.Children[0].Text()
}

func Prefix(text string) string { // returned
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(n.Children[0].Name, ".")
}

func Joined(text string) string { // returned
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return strings.Join([]string{n.Children[0].Name}, ",") // of one text it is that text
}

func Plus(text, more string) string { // returned
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return n.Children[0].Name + more
}

func Any(text string) any { // returned
	n, _ := Parse(text)
	return n
}

func Closure(text string) func() int { // returned
	n, err := Parse(text)
	if err != nil {
		return nil
	}
	return func() int { return n.Len() }
}

func Method(text string) func() string { // returned
	n, err := Parse(text)
	if err != nil {
		return nil
	}
	return n.Text
}

type badNode struct{ n *Node }

func (e *badNode) Error() string { return e.n.Name }

func Failure(text string) error { // returned
	n, err := Parse(text)
	if err != nil {
		return err
	}
	return &badNode{n}
}

func Wrapped(text string) error { // returned
	n, err := Parse(text)
	if err != nil {
		return err
	}
	return fmt.Errorf("wrapped: %w", &badNode{n})
}

func New(text string) error { // returned
	n, err := Parse(text)
	if err != nil {
		return err
	}
	return errors.New(n.Children[0].Name)
}

func Named(text string) (name string) { // returned
	defer func() {
		n, _ := recover().(*Node)
		if n != nil {
			name = n.Children[0].Name
		}
	}()
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	panic(n)
}

func ByDefer(text string) (name string) { // returned
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	defer func() { name = n.Children[0].Name }()
	return ""
}

func Unsafe(text string) string { // returned
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	b := unsafe.Slice(unsafe.StringData(n.Children[0].Name), len(n.Children[0].Name))
	return *(*string)(unsafe.Pointer(&b))
}

func InMap(text string) map[string]int { // returned
	n, err := Parse(text)
	if err != nil {
		return nil
	}
	m := map[string]int{}
	for _, c := range n.Children {
		m[c.Name]++
	}
	return m
}

func Iterate(text string) func(func(*Node) bool) { // returned
	n, err := Parse(text)
	if err != nil {
		return nil
	}
	return func(yield func(*Node) bool) {
		for _, c := range n.Children {
			if !yield(c) {
				return
			}
		}
	}
}

// What is kept by something older.

var last *Node

func Global(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		last = n
	}
}

var names = map[string]bool{}

func GlobalMap(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		names[n.Children[0].Name] = true
	}
}

type cache struct {
	mu    sync.Mutex
	nodes []*Node
	by    map[string]*Node
	first string
	at    atomic.Pointer[Node]
}

func (c *cache) Add(text string) { // unknown: older
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, err := Parse(text); err == nil {
		c.nodes = append(c.nodes, n)
	}
}

func (c *cache) Put(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		c.keep(n.Children)
	}
}

func (c *cache) keep(list []*Node) {
	for _, n := range list {
		c.by[n.Name] = n
	}
}

func (c *cache) Text(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		c.first = n.Children[0].Name[1:]
	}
}

func (c *cache) Atomic(text string) { // unknown
	if n, err := Parse(text); err == nil {
		c.at.Store(n)
	}
}

func Into(text string, out *string) { // unknown: older
	if n, err := Parse(text); err == nil {
		*out = n.Children[0].Name
	}
}

func Fill(text string, out []*Node) int { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	return copy(out, n.Children)
}

func Indirect(text string, to *cache) { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return
	}
	box := &struct{ list []*Node }{}
	to.by = map[string]*Node{}
	alias := to.by
	box.list = n.Children
	alias["first"] = box.list[0]
}

func Late(text string, to **Stats) { // unknown: older
	s := &Stats{}
	*to = s // it has nothing of the arena yet
	n, err := Parse(text)
	if err != nil {
		return
	}
	s.Names = append(s.Names, n.Children[0].Name)
}

func Linked(text string, l *list.List) { // unknown: older
	if n, err := Parse(text); err == nil {
		l.PushBack(n)
	}
}

func Send(text string, c chan<- *Node) { // unknown: older
	if n, err := Parse(text); err == nil {
		c <- n
	}
}

func Select(text string, c chan<- string) { // unknown: older
	if n, err := Parse(text); err == nil {
		select {
		case c <- n.Children[0].Name:
		default:
		}
	}
}

var pool sync.Pool

func Pooled(text string) { // unknown
	if n, err := Parse(text); err == nil {
		pool.Put(n)
	}
}

var once sync.Once

func Once(text string) { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return
	}
	once.Do(func() { last = n })
}

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

// Where the arena would be in two places.

func InLiteral(texts []string) int { // unknown: function literal
	sum := 0
	each(texts, func(text string) {
		if n, err := Parse(text); err == nil {
			sum += n.Len()
		}
	})
	return sum
}

func each(texts []string, f func(string)) {
	for _, t := range texts {
		f(t)
	}
}

func Generic[T ~string](text T) int { // unknown: type parameters
	n, err := Parse(string(text))
	if err != nil {
		return 0
	}
	return n.Len()
}

func Serve(texts <-chan string) { // unknown: without an end
	var last *Node
	for {
		text, ok := <-texts
		if !ok {
			return
		}
		n, err := Parse(text)
		if err == nil && last != nil && last.Len() == n.Len() {
			total++
		}
		last = n
	}
}

func InterfaceKept(m Maker, text string) { // unknown: older
	last = m.Make(text)
}
