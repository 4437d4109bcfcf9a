package hostile

import (
	"container/list"
	"context"
	"slices"
)

// Functions and other things in tables of the package.

type decoder interface{ decode(n *Node) }

type decodeFunc func(*Node)

func (f decodeFunc) decode(n *Node) { f(n) }

type calls struct {
	m     map[string]func(*Node)
	list  []func(*Node)
	one   func(*Node)
	two   func(*Node, *table)
	mixed func(any) *list.Element
	pair  func(*Node, string)
	get   func() *table
	inner *calls
	any   any
	dec   decoder
	sub   *table
	conv  map[string]decoder
}

var (
	hs       = &calls{m: map[string]func(*Node){"a": keepMapped}, inner: &calls{one: keepIt}, conv: map[string]decoder{"a": decodeFunc(keepDecoded)}, get: getTable, pair: keepPair}
	decoders = map[string]decoder{"a": decodeFunc(keepDecoded)}
	hookp    = &hook
	kept     []string
	ctx      = context.Background()
	ctxs     []context.Context
)

func keepMapped(n *Node)           { global = n }
func keepDecoded(n *Node)          { global = n }
func keepPair(n *Node, s string)   { kept = append(kept, s) }
func keepAny[T any](v T)           { std.any = v }
func keepTwo(n *Node, t *table)    { t.last = n }
func quietAny(v any) *list.Element { return nil }
func getHook() func(*Node)         { return hook }
func (h *calls) run(n *Node)       { h.m["a"](n) }
func (h *calls) loop(n *Node)      { h.inner.one(n) }
func (h *calls) decode(n *Node)    { h.dec.decode(n) }
func (h *calls) convert(n *Node)   { h.conv["a"].decode(n) }
func (h *calls) sec(n *Node)       { h.two(n, std) }
func (h *calls) mix(n *Node)       { h.mixed(n) }
func (h *calls) text(s string)     { h.pair(nil, s) }
func (h *calls) asserted(n *Node)  { h.any.(func(*Node))(n) }
func (h *calls) every(n *Node) {
	for _, f := range h.list {
		f(n)
	}
}
func (h *calls) got(n *Node)        { h.get().last = n }
func (h *calls) gotSub(n *Node)     { h.inner.sub.last = n }
func callAny[T any](f func(T), v T) { f(v) }
func callOf(h *calls, n *Node)      { callAny(h.one, n) }
func outerRun(h *calls, n *Node)    { h.inner.run(n) }
func decodeWith(d decoder, n *Node) { d.decode(n) }
func through(f func(*Node)) *calls  { hs.one = f; return hs }
func (h *calls) register(x []*Node) { h.m["b"] = func(n *Node) { x[0] = n } }

func fromTables(b []byte) {
	hs.list = append(hs.list, keepAny[*Node], func(n *Node) { std.last = n })
	hs.mixed = l.PushBack
	hs.mixed = quietAny
	hs.two = keepTwo
	hs.any = keepIt
	hs.register(nodes)
	{
		n := &Node{Text: string(b) + "1"}
		hs.run(n)
	}
	{
		n := &Node{Text: string(b) + "2"}
		hs.loop(n)
	}
	{
		n := &Node{Text: string(b) + "3"}
		hs.dec = decodeFunc(keepDecoded)
		hs.decode(n)
	}
	{
		n := &Node{Text: string(b) + "4"}
		hs.convert(n)
	}
	{
		n := &Node{Text: string(b) + "5"}
		hs.sec(n)
	}
	{
		n := &Node{Text: string(b) + "6"}
		hs.mix(n)
	}
	hs.text(string(b) + "7")
	{
		n := &Node{Text: string(b) + "8"}
		hs.asserted(n)
	}
	{
		n := &Node{Text: string(b) + "9"}
		hs.every(n)
	}
	{
		n := &Node{Text: string(b) + "10"}
		hs.got(n)
	}
	{
		n := &Node{Text: string(b) + "11"}
		hs.gotSub(n)
	}
	{
		n := &Node{Text: string(b) + "12"}
		callOf(hs, n)
	}
	{
		n := &Node{Text: string(b) + "13"}
		outerRun(hs, n)
	}
	{
		n := &Node{Text: string(b) + "14"}
		decodeWith(decoders["a"], n)
	}
	{
		n := &Node{Text: string(b) + "15"}
		hs.mixed(n)
	}
	{
		n := &Node{Text: string(b) + "16"}
		hs.any.(func(*Node))(n)
	}
	{
		n := &Node{Text: string(b) + "17"}
		getHook()(n)
	}
	{
		n := &Node{Text: string(b) + "18"}
		(*hookp)(n)
	}
	{
		n := &Node{Text: string(b) + "19"}
		t := hs.get()
		t.last = n
	}
	{
		n := &Node{Text: string(b) + "20"}
		h := through(keepIt)
		h.one(n)
	}
	{
		n := &Node{Text: string(b) + "21"}
		f := hs.m["a"]
		f(n)
	}
	{
		n := &Node{Text: string(b) + "22"}
		for _, d := range decoders {
			d.decode(n)
		}
	}
	{
		n := &Node{Text: string(b) + "23"}
		f := decoders["a"].decode
		f(n)
	}
	{
		n := &Node{Text: string(b) + "25"}
		s := struct{ h *calls }{&calls{}}
		s.h.sub = std
		x := s.h
		x.sub.last = n
	}
	{
		n := &Node{Text: string(b) + "26"}
		hs.any.(decoder).decode(n)
	}
	{
		n := &Node{Text: string(b) + "27"}
		ctxs = append(ctxs, context.WithValue(ctx, "k", n))
	}
	{
		n := &Node{Text: string(b) + "28"}
		c := context.WithValue(ctx, "k", "v")
		c = context.WithValue(c, "n", n)
		ctx = c
	}
	{
		k := string(b) + "29"
		c, cancel := context.WithCancel(context.WithValue(ctx, k, 1))
		defer cancel()
		_ = c
	}
	{
		n := &Node{Text: string(b) + "30"}
		c := context.WithValue(ctx, "n", n)
		context.AfterFunc(c, func() {})
	}
	{
		n := &Node{Text: string(b) + "31"}
		global = context.WithValue(ctx, "n", n).Value("n").(*Node)
	}
	{
		n := &Node{Text: string(b) + "32"}
		c := context.WithValue(ctx, "n", n)
		go func() { _ = c.Value("n") }()
	}
	{
		n := &Node{Text: string(b) + "33"}
		c := withNode(n)
		keepCtx(c)
	}
	{
		n := &Node{Text: string(b) + "34"}
		c := context.WithValue(ctx, "t", std)
		c.Value("t").(*table).last = n
	}
	{
		n := &Node{Text: string(b) + "35"}
		tableOf(ctx).last = n
	}
}

func withNode(n *Node) context.Context { return context.WithValue(ctx, "n", n) }
func keepCtx(c context.Context)        { ctxs[0] = c }
func tableOf(c context.Context) *table { return c.Value("t").(*table) }

func setterOf(t *table) func(*Node) { return func(n *Node) { t.last = n } }

func sorted(all []*Node, f func(x, y *Node) int) { slices.SortFunc(all, f) }

func fromCalls(b []byte) {
	{
		n := &Node{Text: string(b) + "1"}
		setterOf(std)(n)
	}
	{
		n := &Node{Text: string(b) + "2"}
		t := &table{}
		setterOf(t)(n)
		std = t
	}
	{
		n := &Node{Text: string(b) + "3"}
		walk(n, setterOf(std))
	}
	{
		n := &Node{Text: string(b) + "4"}
		t := &table{}
		walk(n, setterOf(t))
		std = t
	}
	{
		n := &Node{Text: string(b) + "5"}
		sorted([]*Node{n, n}, func(x, y *Node) int { global = x; return 0 })
	}
	{
		n := &Node{Text: string(b) + "6"}
		sorted([]*Node{n, n}, compare)
	}
	{
		n := &Node{Text: string(b) + "7"}
		asTable(std).last = n
	}
	{
		n := &Node{Text: string(b) + "8"}
		each2(hs.one, n)
	}
}

func compare(x, y *Node) int { global = x; return 0 }

func asTable(x any) *table { return x.(*table) }

func each2(f func(*Node), n *Node) {
	slices.IndexFunc([]*Node{n}, func(x *Node) bool { f(x); return false })
}

func lookAt(n *Node, depth int) { _ = n.Text }

func fromGenerated(b []byte) {
	generated = append(generated, lookAt)
	n := &Node{Text: string(b) + "1"}
	for _, f := range generated {
		f(n, 1)
	}
	m := &Node{Text: string(b) + "2"}
	callEach(generated, m)
}

func callEach(all []wrapped, n *Node) {
	for _, f := range all {
		f(n, 2)
	}
}
