// Package hostile has many ways by which a value goes where it outlives an arena. None may move.
package hostile

import (
	"container/list"
	"context"
	"io"
	"log"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type Node struct {
	Text string
	Kids []*Node
	Sub  struct{ T string }
}

type table struct {
	m    map[string]*Node
	last *Node
	list []*Node
	text string
	f    func()
	any  any
}

type emb struct{ *table }

var (
	std    = &table{m: map[string]*Node{}}
	global *Node
	nodes  []*Node
	arr    [4]*Node
	texts  []string
	hook   func(*Node)
	tables = []*table{std}
	tmap   = map[string]*table{"a": std}
	ch     = make(chan *Node, 100)
	ap     atomic.Pointer[Node]
	av     atomic.Value
	sm     sync.Map
	once   sync.Once
	em     = emb{std}
	l      = list.New()
	gm     = map[string]*Node{}
	rd     io.Reader
	lg     *log.Logger
	vals   []Node
	stack  struct{ top *frame }
)

type frame struct {
	prev *frame
	n    *Node
}

func mk(b []byte, s string) *Node { return &Node{Text: string(b) + s} }

func (t *table) put(k string, n *Node) { t.m[k] = n }
func (t *table) set(n *Node)           { t.last = n }
func (t table) setM(n *Node)           { t.m["q"] = n }
func add(list *[]*Node, n *Node)       { *list = append(*list, n) }
func walk(n *Node, f func(*Node))      { f(n) }
func set[T any](p *T, v T)             { *p = v }
func keepAll(all ...*Node)             { nodes = append(nodes, all...) }
func first(n *Node) *Node {
	if len(n.Kids) > 0 {
		return n.Kids[0]
	}
	return n
}
func two(n *Node) (int, *Node)           { return 1, n }
func named(n *Node) (r *Node)            { defer func() { global = r }(); r = n; return r }
func (n *Node) self() *Node              { return n }
func seq(n *Node) func(func(*Node) bool) { return func(y func(*Node) bool) { y(n) } }
func getTable() *table                   { return std }
func getTable2(i int) (*table, error)    { return tables[i], nil }
func pick(t *table, o *table, b bool) *table {
	if b {
		return t
	}
	return o
}

type setter interface{ set(n *Node) }

var theSetter setter = std

// Run has one in each block.
func Run(b []byte, seen bool) {
	fromTables(b)
	fromCalls(b)
	fromOptions(b)
	fromGenerated(b)
	fromSinks(b)
	{
		n := &Node{Text: string(b) + "1"}
		add(&nodes, n)
	}
	{
		n := &Node{Text: string(b) + "2"}
		std.put("k", n)
	}
	{
		n := &Node{Text: string(b) + "3"}
		put := std.put
		put("k", n)
	}
	{
		n := &Node{Text: string(b) + "4"}
		defer std.put("k", n)
	}
	{
		n := &Node{Text: string(b) + "5"}
		if hook != nil {
			hook(n)
		}
	}
	{
		n := &Node{Text: string(b) + "6"}
		walk(n, func(x *Node) { global = x })
	}
	{
		n := &Node{Text: string(b) + "7"}
		c := struct{ t *table }{std}
		c.t.set(n)
	}
	{
		n := &Node{Text: string(b) + "8"}
		arr[0] = n
	}
	{
		n := &Node{Text: string(b) + "9"}
		g := arr[:]
		g[1] = n
	}
	{
		n := &Node{Text: string(b) + "10"}
		copy(nodes, []*Node{n})
	}
	{
		n := &Node{Text: string(b) + "11"}
		for _, t := range tables {
			t.last = n
		}
	}
	{
		n := &Node{Text: string(b) + "12"}
		for i := range tables {
			tables[i].last = n
		}
	}
	{
		n := &Node{Text: string(b) + "13"}
		for _, t := range tmap {
			t.last = n
		}
	}
	{
		n := &Node{Text: string(b) + "14"}
		switch t := any(std).(type) {
		case *table:
			t.last = n
		}
	}
	{
		n := &Node{Text: string(b) + "15"}
		select {
		case ch <- n:
		default:
		}
	}
	{
		n := &Node{Text: string(b) + "16"}
		ap.Store(n)
	}
	{
		n := &Node{Text: string(b) + "17"}
		av.Store(n)
	}
	{
		n := &Node{Text: string(b) + "18"}
		sm.Store("k", n)
	}
	{
		n := &Node{Text: string(b) + "19"}
		once.Do(func() { global = n })
	}
	{
		n := &Node{Text: string(b) + "20"}
		em.set(n)
	}
	{
		n := &Node{Text: string(b) + "21"}
		em.last = n
	}
	{
		n := &Node{Text: string(b) + "22"}
		set(&global, n)
	}
	{
		n := &Node{Text: string(b) + "23"}
		l.PushBack(n)
	}
	{
		s := string(b) + "24"
		texts = append(texts, strings.TrimSpace(s))
	}
	{
		s := string(b) + "25"
		texts = append(texts, s[1:])
	}
	{
		s := string(b) + "26"
		x, y, _ := strings.Cut(s, ",")
		texts = append(texts, x, y)
	}
	{
		s := string(b) + "27"
		texts = strings.Split(s, ",")
	}
	{
		n := &Node{Text: string(b) + "28"}
		_, m := two(n)
		global = m
	}
	{
		n := &Node{Text: string(b) + "29"}
		named(n)
	}
	{
		n := &Node{Text: string(b) + "30"}
		go func() { _ = n.Text }()
	}
	{
		n := &Node{Text: string(b) + "31"}
		time.AfterFunc(time.Hour, func() { _ = n.Text })
	}
	{
		n := &Node{Text: string(b) + "32"}
		context.AfterFunc(context.Background(), func() { _ = n.Text })
	}
	{
		n := &Node{Text: string(b) + "33"}
		runtime.SetFinalizer(n, func(*Node) {})
	}
	{
		n := &Node{Text: string(b) + "34"}
		maps.Copy(gm, map[string]*Node{"a": n})
	}
	{
		n := &Node{Text: string(b) + "35"}
		maps.Insert(gm, maps.All(map[string]*Node{"a": n}))
	}
	{
		n := &Node{Text: string(b) + "36"}
		nodes = slices.AppendSeq(nodes, slices.Values([]*Node{n}))
	}
	{
		s := string(b) + "37"
		rd = strings.NewReader(s)
	}
	{
		s := string(b) + "38"
		lg = log.New(io.Discard, s, 0)
	}
	{
		s := string(b) + "39"
		log.SetPrefix(s)
	}
	{
		n := &Node{Text: string(b) + "40"}
		for x := range seq(n) {
			global = x
		}
	}
	{
		n := Node{Text: string(b) + "41"}
		*global = n
	}
	{
		n := &Node{Text: string(b) + "42"}
		vals = append(vals, *n)
	}
	{
		n := &Node{Text: string(b) + "43"}
		(*table).set(std, n)
	}
	{
		n := &Node{Text: string(b) + "44"}
		x := global
		p := &x
		*p = n
		global = x
	}
	{
		n := &Node{Text: string(b) + "45"}
		x := n
		f := func() { global = x }
		f()
	}
	{
		n := &Node{Text: string(b) + "46"}
		global = first(n)
	}
	{
		n := &Node{Text: string(b) + "47"}
		global = n.self()
	}
	{
		n := &Node{Text: string(b) + "48"}
		keepAll(n)
	}
	{
		n := &Node{Text: string(b) + "49"}
		all := []*Node{n}
		keepAll(all...)
	}
	{
		n := &Node{Text: string(b) + "50"}
		theSetter.set(n)
	}
	{
		n := &Node{Text: string(b) + "51"}
		std.f = func() { _ = n.Text }
	}
	{
		n := &Node{Text: string(b) + "52"}
		std.any = n.Kids
		std.any = []any{n}
	}
	{
		n := &Node{Text: string(b) + "53"}
		getTable().last = n
	}
	{
		n := &Node{Text: string(b) + "54"}
		t := getTable()
		t.set(n)
	}
	{
		n := &Node{Text: string(b) + "55"}
		t, _ := getTable2(0)
		t.last = n
	}
	{
		n := &Node{Text: string(b) + "56"}
		t := pick(std, &table{}, seen)
		t.last = n
	}
	{
		n := &Node{Text: string(b) + "57"}
		std.setM(n)
	}
	{
		n := &Node{Text: string(b) + "58"}
		stack.top = &frame{stack.top, n}
	}
	{
		n := &Node{Text: string(b) + "59"}
		f := stack.top
		for f.prev != nil {
			f = f.prev
		}
		f.n = n
	}
	{
		n := &Node{Text: string(b) + "60"}
		t := *std
		t.m["x"] = n
	}
	{
		n := &Node{Text: string(b) + "61"}
		global.Kids = append(global.Kids, n)
	}
	{
		n := &Node{Text: string(b) + "62"}
		k := &global.Kids
		*k = append(*k, n)
	}
	{
		n := &Node{Text: string(b) + "63"}
		k := global.Kids
		k[0] = n
	}
	{
		n := &Node{Text: string(b) + "64"}
		k := global.Kids[0]
		k.Kids[0].Kids[1] = n
	}
	{
		s := string(b) + "65"
		p := &global.Text
		*p = s
	}
	{
		s := string(b) + "66"
		p := &global.Sub
		p.T = s
	}
	{
		n := &Node{Text: string(b) + "67"}
		tables[0], tables[1] = tables[1], &table{last: n}
	}
	{
		n := &Node{Text: string(b) + "68"}
		t := tmap["a"]
		t.last = n
	}
	{
		n := &Node{Text: string(b) + "69"}
		if t, ok := tmap["a"]; ok {
			t.last = n
		}
	}
	{
		n := &Node{Text: string(b) + "70"}
		t := <-chan2()
		t.last = n
	}
	{
		n := &Node{Text: string(b) + "71"}
		x, _ := sm.Load("t")
		x.(*table).last = n
	}
	{
		n := &Node{Text: string(b) + "72"}
		x := ap.Load()
		x.Kids = append(x.Kids, n)
	}
	{
		n := &Node{Text: string(b) + "73"}
		e := l.Front()
		e.Value = n
	}
	{
		n := &Node{Text: string(b) + "74"}
		each(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "75"}
		for t := range allTables() {
			t.last = n
		}
	}
	{
		n := &Node{Text: string(b) + "76"}
		i := slices.Index(tables, std)
		tables[i].last = n
	}
	{
		n := &Node{Text: string(b) + "77"}
		i := slices.Repeat(tables, 1)
		i[0].last = n
	}
	{
		n := &Node{Text: string(b) + "78"}
		for _, t := range slices.Sorted(maps.Keys(tmap)) {
			tmap[t].last = n
		}
	}
	{
		n := &Node{Text: string(b) + "79"}
		for t := range maps.Values(tmap) {
			t.last = n
		}
	}
	{
		n := &Node{Text: string(b) + "80"}
		ts := slices.Collect(maps.Values(tmap))
		ts[0].last = n
	}
	{
		n := &Node{Text: string(b) + "81"}
		t := std
		t.f = func() { _ = n.Text }
	}
	{
		n := &Node{Text: string(b) + "82"}
		hookf = capture(n)
	}
	{
		n := &Node{Text: string(b) + "83"}
		handlers = append(handlers, func() { _ = n.Text })
	}
	{
		n := &Node{Text: string(b) + "84"}
		f := func() { _ = n.Text }
		hookf = f
	}
	{
		n := &Node{Text: string(b) + "85"}
		walk(n, keepIt)
	}
	{
		n := &Node{Text: string(b) + "86"}
		walk(n, std.set)
	}
	{
		n := &Node{Text: string(b) + "87"}
		n.walk(func(x *Node) { global = x })
	}
	parse(b, func(x *Node) { global = x })
	parse(b, keepIt)
	(&parser{b}).parse(func(x *Node) { global = x })
	{
		n := &Node{Text: string(b) + "90"}
		var f func(*Node)
		f = func(x *Node) { global = x }
		walk(n, f)
	}
	{
		n := &Node{Text: string(b) + "91"}
		f := func(x *Node) { nodes = append(nodes, x) }
		f(n)
	}
	{
		n := &Node{Text: string(b) + "92"}
		withOpts(opt(n))
	}
	{
		n := &Node{Text: string(b) + "93"}
		t := &table{f: func() { _ = n.Text }}
		std = t
	}
	{
		n := &Node{Text: string(b) + "94"}
		register("a", func() *Node { return n })
	}
	{
		n := &Node{Text: string(b) + "95"}
		slices.SortFunc(n.Kids, func(x, y *Node) int { global = x; return 0 })
	}
	{
		n := &Node{Text: string(b) + "96"}
		v := &visitor{func(x *Node) { global = x }}
		v.visit(n)
	}
	{
		n := &Node{Text: string(b) + "97"}
		yielding(n)(func(x *Node) bool { global = x; return true })
	}
}

var hookf func()
var handlers []func()
var makers = map[string]func() *Node{}

func register(k string, f func() *Node) { makers[k] = f }

type visitor struct{ f func(*Node) }

func (v *visitor) visit(n *Node) { v.f(n) }

func yielding(n *Node) func(func(*Node) bool) { return func(y func(*Node) bool) { y(n) } }

func opt(n *Node) func(*table) { return func(t *table) { t.last = n } }

func withOpts(os ...func(*table)) {
	for _, o := range os {
		o(std)
	}
}

func capture(n *Node) func() { return func() { _ = n.Text } }

func keepIt(x *Node) { global = x }

func (n *Node) walk(f func(*Node)) { f(n) }

func parse(b []byte, f func(*Node)) {
	n := &Node{Text: string(b) + "88"}
	f(n)
}

type parser struct{ b []byte }

func (p *parser) parse(f func(*Node)) {
	n := &Node{Text: string(p.b) + "89"}
	f(n)
	p.two(f)
	p.three(f)
}

func (p *parser) two(f func(*Node)) {
	f(&Node{Text: string(p.b) + "89a"})
}
func (p *parser) three(f func(*Node)) {
	f(&Node{Text: string(p.b) + "89b"})
}

var tch = make(chan *table, 1)

func chan2() chan *table { return tch }

func each(f func(t *table)) {
	for _, t := range tables {
		f(t)
	}
}

func allTables() func(func(*table) bool) {
	return func(y func(*table) bool) {
		for _, t := range tables {
			if !y(t) {
				return
			}
		}
	}
}
