// Package later has function literals that are called at once, are kept, or go to other goroutines. A comment says of each site what becomes of it.
package later

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// A Node is what Run returns.
type Node struct {
	Text string
	Kids []*Node
}

func build(s string, depth int) *Node {
	n := &Node{Text: s + "!"} // moves: a value, text
	for range 4 * depth {
		n.Kids = append(n.Kids, build(s, depth-1)) // moves: append
	}
	return n
}

// Run makes nodes. What gone makes is looked at in any order.
func Run(s string) []*Node {
	all := atOnce(s)
	all = append(all, both(s), values(s, buildAnother)) // moves: append
	all = append(all, gone(s)...)                       // moves: append
	return append(all, parsers(s)...)
}

func atOnce(s string) (all []*Node) {
	add := func() { all = append(all, build(s, 0)) }
	add()
	func() { all = append(all, &Node{Text: s}) }()
	defer func() { all = append(all, &Node{Text: s}) }()             // moves: append, a value
	twice(func() { all = append(all, &Node{Text: s}) })              // moves: append, a value
	twice(action(func() { all = append(all, &Node{Text: s}) }))      // moves: append, a value
	upTo(3, func(n int) { all = append(all, &Node{Text: s[:n%1]}) }) // moves: append, a value
	(&group{}).here(func() { all = append(all, &Node{Text: s}) })
	for range func(yield func() bool) { all = append(all, &Node{}) } {
	}
	var walk func(n *Node)
	walk = func(n *Node) {
		all = append(all, &Node{Text: n.Text}) // moves: append, a value
		for _, k := range n.Kids {
			walk(k)
		}
	}
	walk(build(s, 1))
	slices.SortFunc(all, func(a, b *Node) int { return strings.Compare(string([]byte(a.Text)), b.Text) })
	return all
}

// both calls build with an arena, and without.
func both(s string) *Node {
	register(func() *Node { return build(s, 0) })
	return build(s, 0)
}

func values(s string, make func(s string) *Node) *Node { return make(s) }

func buildAnother(s string) *Node { return build(s, 1) }

type action func()

func twice(f func()) {
	if f == nil {
		return
	}
	defer f()
	g := f
	g()
}

func upTo(n int, f func(int)) {
	if n > 0 {
		upTo(n-1, f)
		f(n)
	}
}

// A group starts goroutines.
type group struct{ wg sync.WaitGroup }

func (g *group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

func (g *group) here(f func()) { f() }

type runner interface{ Go(f func()) }

type job struct{ run func() }

func (j *job) start(wg *sync.WaitGroup) { wg.Go(j.run) }

var (
	handlers []func() *Node
	mutex    sync.Mutex
)

func register(f func() *Node) {
	mutex.Lock()
	defer mutex.Unlock()
	handlers = append(handlers, f)
}

func gone(s string) []*Node {
	all := make([]*Node, 24)
	var g group
	r := runner(&g)
	var later []func()
	var jobs []*job
	work := make(chan func(), 4)
	for i := range 4 {
		g.Go(func() { all[i] = build(s, 3) })
		r.Go(func() { all[4+i] = &Node{Text: s} }) // stays: a value
		later = append(later, func() {
			twice(func() { all[8+i] = &Node{Text: s} }) // stays: a value
		})
		jobs = append(jobs, &job{run: func() { all[12+i] = &Node{Text: s} }}) // stays: a value
		f := func() { all[16+i] = &Node{Text: s} }                            // stays: a value
		work <- f
		g.wg.Add(1)
		time.AfterFunc(0, func() { defer g.wg.Done(); all[20+i] = build(s, 2) })
	}
	close(work)
	for _, f := range later {
		g.wg.Go(f)
	}
	for _, j := range jobs {
		j.start(&g.wg)
	}
	for range 2 {
		g.wg.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	g.wg.Wait()
	keep := func() *Node { return &Node{Text: s} } // stays: a value
	register(keep)
	register(func() *Node { return build(s, 1) })
	return slices.Concat(all, parallel([]string{s, s}, func(s string) *Node { return &Node{Text: s} }), slices.Collect(each(s))) // stays: a value
}

func each(s string) func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) { yield(&Node{Text: s}) } // stays: a value
}

func parallel[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	var wg sync.WaitGroup
	for i, x := range in {
		wg.Go(func() { out[i] = f(x) })
	}
	wg.Wait()
	return out
}

// A parser has the arena, unless another goroutine uses one.
type parser struct {
	s    string
	uses map[byte]func() *Node
}

func (p *parser) one() *Node { return &Node{Text: string([]byte(p.s[:1]))} }
func (p *parser) two() *Node { return &Node{Text: string([]byte(p.s[:2]))} }
func (p *parser) all() *Node { return &Node{Kids: []*Node{p.one(), p.two()}} }

// A table is a parser that has functions.
type table struct {
	s    string
	uses map[byte]func() *Node
}

func (p *table) one() *Node  { return &Node{Text: string([]byte(p.s[:1]))} } // moves: a value, text
func (p *table) two() *Node  { return p.one() }
func (p *table) last() *Node { return &Node{Text: p.s + "!"} }                    // moves: a value, text
func (p *table) rest() *Node { return &Node{Text: p.s, Kids: []*Node{p.last()}} } // moves: a value, a slice
func (p *table) all() *Node {
	return &Node{Text: p.s, Kids: []*Node{p.uses[1](), p.uses[2](), p.rest()}}
}

func parsers(s string) []*Node {
	others := make([]*Node, 4)
	var g group
	for i := range 4 {
		p := &parser{s: s}
		g.Go(func() { others[i] = p.all() })
	}
	g.wg.Wait()
	all := make([]*Node, 5)
	copy(all, others)
	t := &table{s: s, uses: map[byte]func() *Node{}}
	t.uses[1] = t.one
	t.uses[2] = func() *Node { return t.two() }
	all[4] = t.all()
	return all
}
