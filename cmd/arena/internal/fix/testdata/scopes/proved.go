package scopes

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// Numbers, and copies that share nothing.

func Count(text string) int { // proved
	n, err := Parse(text)
	if err != nil {
		return -1
	}
	return n.Len()
}

func First(text string) string { // proved
	n, err := Parse(text)
	if err != nil || len(n.Children) == 0 {
		return ""
	}
	return strings.Clone(n.Children[0].Text())
}

func Bytes(text string) []byte { // proved
	n, err := Parse(text)
	if err != nil {
		return nil
	}
	var out []byte
	n.Walk(func(n *Node) bool {
		out = append(out, n.Name...)
		return true
	})
	return out
}

func Build(text string) string { // proved
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	var b strings.Builder
	n.Walk(func(n *Node) bool {
		b.WriteString(n.Name)
		return len(n.Name) > 0
	})
	return b.String()
}

func Print(text string) string { // proved
	n, err := Parse(text)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v %s %d", n, n.Name, *n.Children[0].Value)
}

func Describe(text string) error { // proved
	n, err := Parse(text)
	if err != nil {
		return fmt.Errorf("describe: %w", err)
	}
	if n.Len() > 3 {
		return fmt.Errorf("too long: %s has %d", n.Name, n.Len())
	}
	return nil
}

func Quote(text string) string { // proved
	n, err := Parse(text)
	if err != nil {
		return ""
	}
	return strconv.Quote(n.Name)
}

func Render(w io.Writer, text string) error { // proved
	n, err := Parse(text)
	if err != nil {
		return err
	}
	var failed error
	n.Walk(func(n *Node) bool {
		_, failed = w.Write([]byte(n.Name))
		return failed == nil
	})
	return failed
}

func Buffer(w io.Writer, text string) error { // proved
	n, err := Parse(text)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	n.Walk(func(n *Node) bool {
		fmt.Fprintf(&b, "%s;", n.Name)
		return true
	})
	_, err = b.WriteTo(w)
	return err
}

// What is made beside it may be returned, if it has nothing of it.

type Stats struct {
	Nodes, Longest int
	Names          []string
}

func Summary(text string) (*Stats, error) { // proved
	n, err := Parse(text)
	if err != nil {
		return nil, err
	}
	s := &Stats{}
	n.Walk(func(n *Node) bool {
		s.Nodes++
		s.Longest = max(s.Longest, len(n.Name))
		s.Names = append(s.Names, strings.Clone(n.Name))
		return true
	})
	return s, nil
}

func Sorted(text string) int { // proved
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	list := slices.Clone(n.Children)
	slices.SortFunc(list, func(a, b *Node) int { return cmp.Compare(a.Name, b.Name) })
	sort.Slice(list, func(i, j int) bool { return *list[i].Value < *list[j].Value })
	byName := map[string]*Node{}
	for _, c := range list {
		byName[c.Name] = c
	}
	return len(byName)
}

var lock sync.Mutex

func Locked(text string) int { // proved
	lock.Lock()
	defer lock.Unlock()
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	defer func() { total += n.Len() }()
	return n.Len()
}

var total int

// A panic takes the arena with it.

func Must(text string) int { // proved
	n, err := Parse(text)
	if err != nil {
		panic(err)
	}
	if n.Len() > 1000 {
		panic(n)
	}
	return n.Len()
}

func Recovers(text string) (size int) { // proved
	defer func() {
		if x := recover(); x != nil {
			size = -1
		}
	}()
	n, _ := Parse(text)
	return len(n.Name) // panics if there is none
}

// Loops.

func Each(texts []string) (sum int) { // proved, turns
	for _, text := range texts {
		n, err := Parse(text)
		if err != nil {
			continue
		}
		sum += n.Len()
	}
	return sum
}

func Lines(text string) (lines []string) { // proved, turns
	for i := 0; i < 3; i++ {
		n, err := Parse(text)
		if err != nil {
			break
		}
		for _, c := range n.Children {
			lines = append(lines, strings.Clone(c.Name))
		}
	}
	return lines
}

func Pairs(texts []string) (same int) { // proved, all turns
	var last *Node
	for _, text := range texts {
		n, err := Parse(text)
		if err != nil {
			continue
		}
		if last != nil && last.Len() == n.Len() {
			same++
		}
		last = n
	}
	return same
}

func Gather(texts []string) int { // proved, all turns
	var all []*Node
	for _, text := range texts {
		if n, err := Parse(text); err == nil {
			all = append(all, n)
		}
	}
	return len(all)
}

func Before(texts []string) (sum int) { // proved, all turns
	base, err := Parse("a b c")
	if err != nil {
		return 0
	}
	for _, text := range texts {
		n, err := Parse(text)
		if err == nil && n.Len() == base.Len() {
			sum++
		}
	}
	return sum
}

func Deferred(texts []string) (sum int) { // proved, all turns
	for _, text := range texts {
		n, err := Parse(text)
		if err != nil {
			continue
		}
		defer func() { sum += n.Len() }()
	}
	return 0
}

// A channel, a map and a value that nobody else has.

func Channel(text string) int { // proved
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	c := make(chan *Node, 1)
	c <- n
	return (<-c).Len()
}

type visitor interface{ visit(*Node) }

type counter struct{ n int }

func (c *counter) visit(*Node) { c.n++ }

func Visit(text string) int { // proved
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	c := &counter{}
	var v visitor = c
	n.Walk(func(n *Node) bool { v.visit(n); return true })
	return c.n
}

// A Maker may be anything, and what is not of this package makes nodes on the heap.
type Maker interface{ Make(text string) *Node }

type maker struct{}

func (m *maker) Make(text string) *Node { // unknown: root itself
	n, err := Parse(text)
	if err != nil {
		return nil
	}
	return n
}

func ByInterface(m Maker, text string) int { // proved
	return m.Make(text).Len()
}

func SortBy(text string, less func(i, j int) bool) int { // proved
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	sort.Slice(n.Children, less)
	return n.Len()
}
