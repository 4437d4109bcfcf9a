package scopes

import (
	"errors"
	"fmt"
	"strings"
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
