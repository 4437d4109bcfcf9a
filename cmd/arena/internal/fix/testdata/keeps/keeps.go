// Package keeps stores what it makes in many places. A comment says of each site what becomes of it.
package keeps

import (
	"bytes"
	"container/list"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"example.com/keeps/reg"
)

var (
	counts = map[string]int{}
	all    = list.New()
	sink   any
	count  any
	digits = regexp.MustCompile("[0-9]+")

	kept     []byte
	buffered *bytes.Buffer
	nodes    [5]*reg.Node

	keptNode, keptToo, keptParameter *reg.Node

	keptNodes []*reg.Node
	keptShape shape
	keptText  string
	keptMap   map[string]int
)

// A Result is what Run returns.
type Result struct {
	Nodes []*reg.Node
	Texts []string
	Lists []*reg.List
	Ints  []*int
	Anys  []any
	More  []any
	What  any
	Later func() int
}

// Run makes what the tests look for.
func Run(b []byte, shapes ...reg.Shape) *Result {
	r := &Result{} // moves: a value
	r.arguments(b)
	r.receivers(b)
	r.keys(b)
	r.aliases(b)
	r.carriers(b)
	r.Texts = append(r.Texts, string(b)) // moves: append, text
	r.slices()
	r.syntax(6, 3)
	r.Nodes = append(r.Nodes, jump(b)) // moves: append
	r.literals(b)
	r.maps(b, 3)
	r.builders(b)
	r.variables(b, reg.Node{Name: "parameter"}, reg.Node{Name: "kept"})
	r.boxes(b, len(b)+1000)
	r.libraries(b)
	r.results(b)
	both(b)
	typed(b)
	r.Nodes = append(r.Nodes, new(maker).b(b), withMaker(b, nil)) // moves: append, a carrier
	for _, s := range shapes {
		r.Texts = append(r.Texts, s.Name(b)) // moves: append
	}
	return r
}

func (r *Result) arguments(b []byte) {
	reg.Keep(&reg.Node{Name: "argument"}) // stays: a value
	n := &reg.Node{Name: string(b)}       // stays: a value, text
	m := n
	reg.Keep(m)
	reg.Keep(make2(b))
	f := func(n *reg.Node) { reg.Last = n }
	f(&reg.Node{Name: "closure"}) // stays: a value
	switch n := any(made(b)).(type) {
	case *reg.Node:
		reg.Last = n
	}
	all.PushBack(&reg.Node{Name: "library"}) // stays: a value
	r.Nodes = append(r.Nodes, made(b))       // moves: append
}

func make2(b []byte) *reg.Node { return made(b) }

func made(b []byte) *reg.Node { return &reg.Node{Name: string(b)} } // moves: a value, text

func (r *Result) receivers(b []byte) {
	reg.Std.Add(&reg.Node{Name: "receiver"})   // stays: a value
	reg.Get().Add(&reg.Node{Name: "returned"}) // stays: a value
	l := &reg.List{}                           // moves: a value
	l.Add(&reg.Node{Name: string(b)})          // stays: a value, text
	r.Lists = append(r.Lists, l)               // moves: append
	fill(&reg.Std, b)
	fill(l, b)
}

func fill(l *reg.List, b []byte) {
	l.Add(&reg.Node{Name: string(b)}) // stays: a value, text
}

func (r *Result) keys(b []byte) {
	counts[string(b)]++       // stays: text
	counts[string(b)+"x"] = 1 // stays: text
	own := map[string]int{}
	own[string(b)+"y"] = len(own) // moves: text
	if own[string(b)+"y"] != 0 {
		panic("another value")
	}
	key := string(b) // stays: text
	counts[key] = 3
}

func (r *Result) aliases(b []byte) {
	std := &reg.Std
	std.Add(&reg.Node{Name: "alias"}) // stays: a value
	last := reg.Last
	last.Next = &reg.Node{Name: "alias"} // stays: a value
	holder := struct{ list *reg.List }{list: &reg.Std}
	holder.list.Add(&reg.Node{Name: "field"}) // stays: a value
}

// A maker has the arena in a field.
type maker struct{ made int }

func (r *Result) carriers(b []byte) {
	m := &maker{}
	sink = m.a(b)
	r.Nodes = append(r.Nodes, m.b(b)) // moves: append
	m.c(&reg.Std, b)
	k := &maker{}
	go k.run()
}

func (m *maker) a(b []byte) *reg.Node { m.made++; return m.d(b) }

func (m *maker) b(b []byte) *reg.Node { m.made++; return &reg.Node{Name: string(b)} } // moves: a value, text

func (m *maker) c(l *reg.List, b []byte) { l.Add(&reg.Node{Name: string(b)}) } // stays: a value, text

func (m *maker) d(b []byte) *reg.Node { return &reg.Node{Name: string(b)} } // stays: a value, text

func (m *maker) run() { m.b(nil) }

// withMaker has no maker, and so no arena.
func withMaker(b []byte, m *maker) *reg.Node {
	if m == nil {
		return &reg.Node{Name: string(b)} // moves: a value, text
	}
	return m.b(b)
}

// jump would jump over the declaration of a variable.
func jump(b []byte) *reg.Node {
	if len(b) > 0 {
		goto end
	}
	return &reg.Node{Name: "empty"} // moves: a value
end:
	return &reg.Node{Name: "more"} // moves: a value
}

// A size is an int.
type size int

func (r *Result) boxes(b []byte, n int) {
	r.Anys = append(r.Anys, n, string(b))                // moves: append, a value in an interface, text
	r.Anys = append(r.Anys, reg.Node{Name: string(b)})   // moves: append, a value in an interface, text
	var x any = n + 1                                    // moves: a value in an interface
	r.Anys = append(r.Anys, x)                           // moves: append
	count = n                                            // stays: a value in an interface
	kept := any(string(b) + "kept")                      // stays: a value in an interface, text
	reg.Any = kept                                       //
	all.PushBack(string(b))                              // stays: a value in an interface, text
	r.Texts = append(r.Texts, fmt.Sprint(r.Anys...))     // moves: append
	var s fmt.Stringer = number(n)                       // moves: a value in an interface
	r.Anys = append(r.Anys, s, make([]int, size(n)%5+1)) // moves: append, a slice, a value in an interface
}

// A number is a Stringer.
type number int

func (n number) String() string { return fmt.Sprint(int(n)) }

// libraries gives what lies in an arena to a variable of a package whose methods do not keep it.
func (r *Result) libraries(b []byte) {
	n := &reg.Node{Name: string(b)} // stays: a value, text
	if digits.MatchReader(n) {
		panic("nothing is read")
	}
	r.Nodes = append(r.Nodes, n) // moves: append
	line := make([]byte, len(b)) // stays: a slice
	copy(line, b)
	kept = digits.Find(line)
	parts := make([]byte, len(b)) // stays: a slice
	buffered = bytes.NewBuffer(parts)
	var out bytes.Buffer
	out.Write(b)
	kept = append(kept, out.Bytes()...) // stays: append
}

func (r *Result) slices() {
	few := []*reg.Node{nil, nil} // moves: a slice
	more := append(few, nil)     // moves: append
	more[0] = reg.Last
	if few[0] != nil {
		panic("append has changed the slice")
	}
	r.Nodes = append(more, few...) // moves: append
}

func (r *Result) syntax(a, b int) {
	var m maker
	m.made = a
	x := a // moves: a variable
	r.pointer(&x)
	f := func(int, int) int { return a/x + b }
	if f(a/x, a*x) != 1+b || x != 6 {
		panic("another value")
	}
	y, ok := a, true // stays: a variable
	r.pointer(&y)
	y, no := b, ok
	if y != b || !no {
		panic("another value")
	}
	r.Texts = append(r.Texts, string((*maker).b(&m, []byte("expression")).Name)) // moves: append
}

func (r *Result) pointer(p *int) { r.Ints = append(r.Ints, p) } // moves: append

// results keeps some of the results of calls, and others are the caller's.
func (r *Result) results(b []byte) {
	m := &maker{}
	node, mine := m.two(b)
	nodes[0] = node
	r.Nodes = append(r.Nodes, mine) // moves: append
	node, mine = m.named(b)
	nodes[1] = node
	r.Nodes = append(r.Nodes, mine) // moves: append
	nodes[2] = m.both(&reg.Std, b)
	var x noder = m
	nodes[3] = x.node(b)
	f := m.value
	nodes[4] = f(b)
}

// A noder may be a maker.
type noder interface{ node(b []byte) *reg.Node }

func (m *maker) two(b []byte) (kept, mine *reg.Node) {
	first := &reg.Node{Name: string(b)}      // stays: a value, text
	return first, &reg.Node{Name: string(b)} // moves: a value, text
}

func (m *maker) named(b []byte) (kept, mine *reg.Node) {
	kept = &reg.Node{Name: string(b)} // stays: a value, text
	mine = &reg.Node{Name: string(b)} // moves: a value, text
	return
}

func (m *maker) both(l *reg.List, b []byte) *reg.Node {
	l.Add(&reg.Node{Name: string(b)}) // stays: a value, text
	return &reg.Node{Name: string(b)} // stays: a value, text
}

func (m *maker) node(b []byte) *reg.Node { return &reg.Node{Name: string(b)} } // stays: a value, text

func (m *maker) value(b []byte) *reg.Node { return &reg.Node{Name: string(b)} } // stays: a value, text

func (r *Result) variables(b []byte,
	own reg.Node, // moves: a variable
	kept reg.Node, // stays: a variable
) {
	x := reg.Node{Name: string(b)} // stays: a variable, text
	keptNode = &x
	var y reg.Node // stays: a variable
	y.Name = string(b)
	p := &y
	keptToo = p
	keptParameter = &kept
	r.Nodes = append(r.Nodes, &own) // moves: append
	func() { own.Name += string(b) }()
	{
		own := own.Name
		b = append(b[:0:0], own...)
	}
	one, two := reg.Node{Name: string(b)}, "two" // moves: a variable, text
	r.Nodes = append(r.Nodes, &one)              // moves: append
	text, size := string(b), len(b)              // moves: a variable, text
	r.Ints = append(r.Ints, &size)               // moves: append
	more := &text
	r.More = append(r.More, more) // moves: append
	text += *more
	r.More = append(r.More, text, make([]int, size)) // moves: append
	r.More = append(r.More, make([]int, size))       // moves: append, a value in an interface, a slice
	if len(text) != 2*len(b) || size != len(b) {
		panic("another value")
	}
	one.Name, two = two, one.Name
	if own = (own); two != "parameter"+r.Texts[0] || one.Name != "two" {
		panic("another value")
	}
	for i, n := range []reg.Node{one, own} { // moves: a variable
		i++
		n.Name += fmt.Sprint(i)
		r.Nodes = append(r.Nodes, &n) // moves: append
		r.Ints = append(r.Ints, &i)   // moves: append
	}
	for i := 0; i < 2; i++ { // stays: a variable
		r.Ints = append(r.Ints, &i) // moves: append
	}
	if n := len(b); n > 0 { // stays: a variable
		r.Ints = append(r.Ints, &n) // moves: append
	}
	c := make(chan int, 1)
	c <- 1
	select {
	case n := <-c: // stays: a variable
		r.Ints = append(r.Ints, &n) // moves: append
	}
}

// A shape is an interface with a method.
type shape interface{ Name([]byte) string }

type named struct{ name string }

func (n named) Name([]byte) string { return n.name }

type shapes []shape

func (r *Result) literals(b []byte) {
	list := shapes{named{string(b)}, &named{"pointer"}} // moves: a slice, a value in an interface, text, a value
	r.More = append(r.More, list)                       // moves: append
	for _, s := range list {
		r.Texts = append(r.Texts, s.Name(nil)) // moves: append
	}
	var s shape = named{string(b)}                             // moves: a value in an interface, text
	keptShape = named{string(b)}                               // stays: a value in an interface, text
	r.Texts = append(r.Texts, s.Name(nil), string(rune(b[0]))) // moves: append, text
	nodes := []*reg.Node{{Name: string(b)}, {}, nil}           // moves: a value, text
	r.Nodes = append(r.Nodes, nodes[:2]...)                    // moves: append
	keptNodes = []*reg.Node{{Name: string(b)}}                 // stays: a slice, a value, text
	byName := map[string][]*reg.Node{"a": {{Name: string(b)}}} // moves: a slice, a value, text
	r.More = append(r.More, byName, s)                         // moves: append
	r.Nodes = append(r.Nodes, byName["a"]...)                  // moves: append
	deep := [][]int{{1, len(b)}, {2}}                          // moves: a slice
	for _, list := range deep {
		r.More = append(r.More, list) // moves: append, a value in an interface
	}
}

// A pair is a key.
type pair struct{ a, b int }

func (r *Result) maps(b []byte, n int) {
	counts := make(map[string]int, n) // moves: a map
	for i := range 40 {
		counts[string(b)+strconv.Itoa(i%7)]++ // moves: text
		counts["all"] += i
	}
	delete(counts, string(b)+"3")
	if v, ok := counts["all"]; !ok || v != 780 || len(counts) != 7 {
		panic("other counts")
	}
	var keys []string
	for k := range counts {
		keys = append(keys, k) // moves: append
	}
	sort.Slice(keys, func(i, j int) bool {
		return counts[keys[i]] < counts[keys[j]] || counts[keys[i]] == counts[keys[j]] && keys[i] < keys[j]
	})
	lists := map[pair][]*reg.Node{} // moves: a map
	for i := range keys {
		k := pair{i % 2, n}
		lists[k] = append(lists[k], &reg.Node{Name: keys[i]}) // moves: append, a value
	}
	sum := 0
	for k, list := range lists {
		for _, node := range list {
			sum += k.b + len(node.Name) + counts[node.Name]
		}
		if len(lists[pair{k.a, 0}]) != 0 {
			panic("another key")
		}
	}
	lists[pair{}] = nil
	_, is := lists[pair{}]
	r.Texts = append(r.Texts, lists[pair{1, n}][0].Name, fmt.Sprint(sum, is, len(keys))) // moves: append
	var seen = map[any]struct{}{}                                                        // moves: a map
	for range seen {
		panic("not empty")
	}
	seen[n] = struct{}{} // stays: another value
	if _, ok := seen[3]; !ok {
		panic("a missing key")
	}
	clear(seen)
	if len(seen) != 0 {
		panic("not clear")
	}
	given := make(map[string]int)
	reg.Count(given)
	keptMap = make(map[string]int) // stays: a map
	var none map[string]int
	if none["a"] != 0 || none != nil {
		panic("not nil")
	}
	later := make(map[string]int)
	r.Later = func() int { return later["a"] }
	both := make(map[string]int)
	both["a"], both["b"] = 1, 2
	set := map[string]int{"a": 1}
	if set["a"] != both["a"] {
		panic("another value")
	}
	queue := make(chan int, 2)
	queue <- n
	queue <- n
	received := make(map[string]int)
	var what any
	select {
	case received["a"] = <-queue:
	default:
	}
	select {
	case what = <-queue:
	default:
	}
	if received["a"] != n || what != n {
		panic("another value")
	}
	r.What = what
}

func (r *Result) builders(b []byte) {
	var text strings.Builder // moves: text
	for i, c := range b[:3] {
		text.WriteByte(c)
		fmt.Fprintf(&text, "%d", i)
	}
	text.WriteString(", ")
	text.WriteRune('é')
	r.Texts = append(r.Texts, text.String()) // moves: append
	var kept strings.Builder                 // stays: text
	kept.Write(b)
	keptText = kept.String()
	out := bytes.Buffer{} // moves: text
	out.Write(b)
	first := out.String()
	out.Reset()
	out.WriteString("again")
	r.Texts = append(r.Texts, first, out.String()) // moves: append
	var given strings.Builder
	reg.Write(&given)
	if given.String() != "" {
		panic("something was written")
	}
}
