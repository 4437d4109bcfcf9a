// Package random has what generated functions are made of: see generate_test.go.
package random

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// A Node is what Parse makes.
type Node struct {
	Name     string
	Children []*Node
}

// String is for fmt.
func (n *Node) String() string { return "<" + name(n) + ">" }

// Text is a part of the node.
func (n *Node) Text() string { return name(n) }

// Parse makes nodes of words.
func Parse(text string) (*Node, error) {
	root := &Node{Name: "root"}
	for i, w := range strings.Fields(text) {
		n := &Node{Name: w + "."}
		if i%3 == 2 {
			last := root.Children[len(root.Children)-1]
			last.Children = append(last.Children, n)
			continue
		}
		root.Children = append(root.Children, n)
	}
	if len(root.Children) == 0 {
		return nil, errNone
	}
	return root, nil
}

// A Box has values of all kinds.
type Box struct {
	N *Node
	L []*Node
	S string
	A any
	E error
	F Fn
	M map[string]*Node
	B *Box
}

// String is for fmt.
func (b *Box) String() string {
	if b == nil {
		return "no box"
	}
	return "box " + b.S
}

// A Fn is a function that fmt prints without its address.
type Fn func() string

func (f Fn) String() string { return "fn" }

// G is older than each call.
var G = &Box{}

var (
	errNone = errors.New("no words")
	none    = &Node{Name: "none"}
	pattern = regexp.MustCompile(`[a-z]+`)
	replace = strings.NewReplacer("x", "y")
)

func at(l []*Node, i int) *Node {
	if len(l) == 0 {
		return none
	}
	return l[i%len(l)]
}

func kids(n *Node) []*Node {
	if n == nil {
		return nil
	}
	return n.Children
}

func name(n *Node) string {
	if n == nil {
		return "nil"
	}
	return n.Name
}

func box(b *Box) *Box {
	if b == nil {
		return &Box{S: "none"}
	}
	return b
}

func call(f Fn) string {
	if f == nil || depth > 5 {
		return "no function"
	}
	depth++
	defer func() { depth-- }()
	return f()
}

var depth int // of calls: a function may call itself

func some(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

func message(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

func asNode(a any) *Node {
	switch x := a.(type) {
	case *Node:
		return x
	case *Box:
		return box(x).N
	case nodeError:
		return x.n
	case [1]*Node:
		return x[0]
	case setter:
		return x.get()
	}
	return none
}

func same[T any](x T) T { return x }

func pick[T any](s string, x, y T) T {
	if len(s)%2 == 0 {
		return x
	}
	return y
}

type pair[T any] struct{ x, y T }

func (p pair[T]) first() T { return p.x }

func try(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func each(l []*Node, f func(*Node)) {
	for _, n := range l {
		f(n)
	}
}

func all(l []*Node) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range l {
			if !yield(n) {
				return
			}
		}
	}
}

func put(b *Box, n *Node) { box(b).N = n }

func link(b, to *Box) { box(b).B = to }

// short returns a part of text, which would get longer and longer otherwise.
func short(s string) string { return s[:min(len(s), 80)] }

// size returns the number of nodes, or more than most.
func size(n *Node, most int) int {
	sum := 1
	for _, c := range kids(n) {
		if sum <= most {
			sum += size(c, most-sum)
		}
	}
	return sum
}

func encode(n *Node) string {
	if size(n, 100) > 100 {
		return "large"
	}
	b, err := json.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

type nodeError struct{ n *Node }

func (e nodeError) Error() string { return name(e.n) }

type setter interface {
	set(n *Node)
	get() *Node
}

type mine struct{ n *Node }

func (m *mine) set(n *Node) { m.n = n }
func (m *mine) get() *Node  { return m.n }

func (m *mine) String() string { return "mine " + name(m.n) }

type theirs struct{}

func (theirs) set(n *Node) { G.N = n }
func (theirs) get() *Node  { return G.N }

// A keeper is kept when it is printed.
type keeper struct{ n *Node }

func (k keeper) String() string {
	G.N = k.n
	return "keeper"
}

// Show returns all that values lead to.
func Show(depth int, values ...any) string {
	var out strings.Builder
	for _, v := range values {
		out.WriteByte(' ')
		if depth == 0 {
			out.WriteByte('.')
			continue
		}
		show := func(more ...any) { out.WriteString("(" + Show(depth-1, more...) + ")") }
		switch v := v.(type) {
		case string:
			fmt.Fprintf(&out, "%q", v)
		case *Node:
			if v != nil {
				show(v.Name, v.Children)
			}
		case []*Node:
			for _, n := range v[:min(len(v), 3)] {
				show(n)
			}
		case *Box:
			if v != nil {
				show(v.N, v.L, v.S, v.A, v.E, v.F, v.M, v.B)
			}
		case Fn:
			out.WriteString("fn ")
			if v != nil {
				show(try(func() { show(v()) }))
			}
		case map[string]*Node:
			for k, n := range v {
				if len(v) == 1 {
					show(k, n)
				}
			}
		case nodeError:
			show(v.n)
		case keeper:
			show(v.n)
		case [1]*Node:
			show(v[0])
		case *mine:
			show(v.n)
		case error:
			show(v.Error(), errors.Unwrap(v))
		default:
			fmt.Fprintf(&out, "%T", v)
		}
	}
	return out.String()
}
