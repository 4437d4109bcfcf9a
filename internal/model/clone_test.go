package model_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
	"github.com/arena-go/arena/internal/testrun"
)

func ExampleClone() {
	buf := []int{1, 2, 3}
	kept := arena.Clone(buf[:2])
	buf[0] = 9 // say, because an arena was reset
	fmt.Println(kept, len(kept), cap(kept))
	// Output: [1 2] 2 2
}

func ExampleDeepClone() {
	type node struct {
		name string
		next *node
	}
	a, b := &node{name: "a"}, &node{name: "b"}
	a.next, b.next = b, a // a cycle

	c := arena.DeepClone(a)
	a.name, b.name = "?", "?"
	fmt.Println(c.name, c.next.name, c.next.next == c)
	// Output: a b true
}

// TestCloneAllocs proves that the copy of a string is one allocation, as with strings.Clone.
func TestCloneAllocs(t *testing.T) {
	s := strings.Repeat("x", 100)
	if n := testing.AllocsPerRun(100, func() { cloned = arena.Clone(s) }); n != 1 {
		t.Errorf("Clone of a string makes %v allocations", n)
	}
}

var cloned string

func TestClone(t *testing.T) {
	type ints []int
	type ptr *int
	one := 1
	s := arena.Clone(ints{1, 2, 3}[:2])
	if !slices.Equal(s, ints{1, 2}) || cap(s) != 2 {
		t.Errorf("slice: %v, cap %d", s, cap(s))
	}
	src := []*int{&one}
	if c := arena.Clone(src); &c[0] == &src[0] || c[0] != &one {
		t.Error("slice: want new elements, same pointees")
	}
	if p := arena.Clone(ptr(&one)); p == &one || *p != 1 {
		t.Error("pointer: want a new int")
	}
	if p := arena.Clone[any](&one).(*int); p == &one || *p != 1 {
		t.Error("pointer in an interface: want a new int")
	}
	str := string([]byte("abc"))
	if c := arena.Clone(str); c != str || unsafe.StringData(c) == unsafe.StringData(str) {
		t.Error("string: want new bytes")
	}
	if arena.Clone[*int](nil) != nil || arena.Clone[ints](nil) != nil || arena.Clone[any]((*int)(nil)) != any((*int)(nil)) {
		t.Error("nil: want nil")
	}
	if c := arena.Clone(ints{}); c == nil || len(c) != 0 {
		t.Error("empty slice: want an empty slice")
	}
	if c := arena.Clone(make([]struct{}, 5)); len(c) != 5 {
		t.Error("elements of size zero: want 5")
	}
	if arena.Clone("") != "" || arena.Clone(new(struct{})) == nil {
		t.Error("values of size zero")
	}
	// What is no pointer, slice or string is a copy already.
	type pair struct {
		p *int
		s string
	}
	if c := arena.Clone(pair{&one, str}); c.p != &one || unsafe.StringData(c.s) != unsafe.StringData(str) {
		t.Errorf("struct: want the same fields, got %v", c)
	}
	if c := arena.Clone([2]*int{&one}); c[0] != &one {
		t.Errorf("array: want the same elements, got %v", c)
	}
	if arena.Clone(7) != 7 || arena.Clone[any](1.5) != 1.5 || arena.Clone[any](nil) != nil || arena.Clone[any](pair{&one, "a"}) != any(pair{&one, "a"}) {
		t.Error("numbers, and values in interfaces: want what they are")
	}
	ch := make(chan int)
	if arena.Clone(ch) != ch || arena.Clone(func() int { return 7 })() != 7 {
		t.Error("a channel and a function: want the same")
	}
	type table map[string]*int
	m := table{"a": &one}
	c := arena.Clone(m)
	if m["b"] = nil; len(c) != 1 || c["a"] != &one || arena.Clone[table](nil) != nil || arena.Clone[any](m).(table)["a"] != &one {
		t.Errorf("map: want another one with the same entries, got %v", c)
	}
}

// The types of the random graphs.
type (
	cInner struct {
		ID  int
		A   int8
		_   *cInner
		to  *cNode
		arr [2]*int
		S   string
		z   struct{}
	}
	cTwin cInner // same layout: pointers convert
	cWrap struct {
		in cInner // same address and size
	}
	cKey struct {
		p *cInner
		s string
	}
	cList []cList
	cMap  map[string]cMap
	cPtr  *cNode
	cNode struct {
		ID    int
		name  string
		next  *cNode
		other cPtr
		in    cInner
		wrap  cWrap
		arr   [3]cInner
		grid  [2][3]*cInner

		inner  *cInner
		twin   *cTwin
		pwrap  *cWrap
		parr   *[3]cInner
		pgrid  *[2][3]*cInner
		prow   *[3]*cInner
		pp     **cNode
		pint   *int
		pstr   *string
		pslice *[]cInner
		pany   *any
		pmap   *map[string]*cNode
		pzero  *struct{}

		ints   []int
		inners []cInner
		ptrs   []*cInner
		nodes  []*cNode
		rows   [][3]*cInner
		strs   []string
		zeros  []struct{}
		list   cList

		byName  map[string]*cNode
		byPtr   map[*cInner]int
		byAny   map[any]*cInner
		byKey   map[cKey][]cInner
		byFloat map[float64]int
		rec     cMap

		a    any
		e    fmt.Stringer
		m    [2]any
		err  error
		f    func()
		ch   chan int
		u    uintptr
		up   unsafe.Pointer
		c    complex64
		when time.Time
		addr netip.Addr
		rt   reflect.Type
		mu   sync.Mutex
		ap   atomic.Pointer[cInner]
		z    struct{}
	}
)

func (n *cNode) String() string { return n.name }
func (k cKey) String() string   { return k.s }

// A cloneGen makes a graph from a source of choices.
type cloneGen struct {
	pick   func(n int) int // in [0, n)
	nodes  []*cNode
	inners []cInner
	ptrs   []*cInner
	ints   []int
	bytes  []byte // all strings lie here
	id     int
}

func newCloneGen(pick func(int) int) *cloneGen {
	g := &cloneGen{
		pick:   pick,
		inners: make([]cInner, 8),
		ptrs:   make([]*cInner, 40),
		ints:   make([]int, 10),
		bytes:  []byte(strings.Repeat("The quick brown fox. ", 5)),
	}
	for range 1 + pick(6) {
		n := &cNode{ID: g.next()}
		n.in.ID, n.wrap.in.ID = g.next(), g.next()
		for i := range n.arr {
			n.arr[i].ID = g.next()
		}
		g.nodes = append(g.nodes, n)
	}
	for i := range g.inners {
		g.inners[i].ID = g.next()
	}
	for i := range g.ints {
		g.ints[i] = g.next()
	}
	return g
}

func (g *cloneGen) next() int    { g.id++; return g.id }
func (g *cloneGen) node() *cNode { return g.nodes[g.pick(len(g.nodes))] }

func (g *cloneGen) inner() *cInner {
	switch n := g.node(); g.pick(6) {
	case 0:
		return &n.in
	case 1:
		return &n.wrap.in
	case 2:
		return &n.arr[g.pick(3)]
	case 3:
		return &cInner{ID: g.next()}
	default:
		return &g.inners[g.pick(len(g.inners))]
	}
}

func (g *cloneGen) string() string {
	b := window(g, g.bytes)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (g *cloneGen) int() *int {
	if g.pick(3) == 0 {
		return &g.node().ID
	}
	return &g.ints[g.pick(len(g.ints))]
}

// window returns s[i:j:k] for random i, j, k.
func window[E any](g *cloneGen, s []E) []E {
	i := g.pick(len(s) + 1)
	j := i + g.pick(len(s)-i+1)
	k := j + g.pick(len(s)-j+1)
	return s[i:j:k]
}

func (g *cloneGen) any() any {
	switch n := g.node(); g.pick(16) {
	case 0:
		return nil
	case 1:
		return g.pick(300)
	case 2:
		return g.string()
	case 3:
		return n
	case 4:
		return g.inner()
	case 5:
		return cKey{g.inner(), g.string()}
	case 6:
		return [1]*cInner{g.inner()} // held in the data word itself
	case 7:
		return struct {
			_ struct{}
			n *cNode
		}{n: n}
	case 8:
		return n.byName
	case 9:
		return window(g, g.inners)
	case 10:
		return [2]any{n.a, g.string()}
	case 11:
		return &n.a
	case 12:
		return time.UTC
	case 13:
		return cWrap{*g.inner()}
	case 14:
		return struct{}{}
	default:
		return []any{n.a, n.e}
	}
}

// step changes one node.
func (g *cloneGen) step() {
	n, o := g.node(), g.node()
	switch g.pick(38) {
	case 0:
		n.name = g.string()
	case 1:
		n.next = o
	case 2:
		n.other = o
	case 3:
		in := g.inner()
		in.to = o
		exposed(reflect.ValueOf(in).Elem().Field(2)).Set(reflect.ValueOf(g.inner())) // the blank field
	case 4:
		g.inner().arr[g.pick(2)] = g.int()
	case 5:
		g.inner().S = g.string()
	case 6:
		n.inner = g.inner()
	case 7:
		n.twin = (*cTwin)(g.inner())
	case 8:
		n.pwrap = &o.wrap
	case 9:
		n.parr = &o.arr
		if g.pick(2) == 0 {
			n.parr = (*[3]cInner)(g.inners[g.pick(6):])
		}
	case 10:
		n.pgrid = &o.grid
	case 11:
		n.prow = &o.grid[g.pick(2)]
	case 12:
		n.pp = &o.next
	case 13:
		n.pint = g.int()
	case 14:
		n.pstr = &o.name
	case 15:
		n.pslice = &o.inners
	case 16:
		n.pany = &o.m[g.pick(2)]
	case 17:
		n.pmap = &o.byName
	case 18:
		n.pzero = &o.z
	case 19:
		n.ints = window(g, g.ints)
	case 20:
		n.inners = window(g, g.inners)
		if g.pick(3) == 0 {
			n.inners = window(g, o.arr[:])
		}
	case 21:
		n.ptrs = window(g, g.ptrs)
		if g.pick(3) == 0 {
			n.ptrs = window(g, o.grid[g.pick(2)][:])
		}
	case 22:
		n.nodes = window(g, g.nodes)
	case 23:
		n.rows = window(g, o.grid[:])
	case 24:
		n.strs = append(n.strs[:len(n.strs):len(n.strs)], g.string())
	case 25:
		n.zeros = make([]struct{}, g.pick(3))
	case 26:
		n.list = append(n.list, n.list, o.list)
		if g.pick(2) == 0 {
			n.list[0] = n.list // a cycle through slices
		}
	case 27:
		if n.byName == nil {
			n.byName = map[string]*cNode{}
			o.byName = n.byName
		}
		n.byName[strings.Clone(g.string())] = o
	case 28:
		n.byPtr = map[*cInner]int{g.inner(): 1, g.inner(): 2}
	case 29:
		n.byAny = map[any]*cInner{g.pick(9): g.inner(), g.inner(): g.inner(), cKey{g.inner(), "k"}: nil,
			[2]any{g.inner(), strings.Clone(g.string())}: g.inner()}
	case 30:
		n.byKey = map[cKey][]cInner{{g.inner(), strings.Clone(g.string())}: window(g, g.inners), {}: nil}
	case 31:
		n.byFloat = map[float64]int{math.NaN(): 1, math.NaN(): 2, 0: 3, math.Inf(1): 4}
	case 32:
		n.rec = cMap{"": nil, "x": o.rec}
		n.rec["self"] = n.rec // a cycle through maps
	case 33:
		n.a = g.any()
	case 34:
		n.m[g.pick(2)] = g.any()
	case 35:
		n.e = []fmt.Stringer{nil, o, cKey{g.inner(), g.string()}}[g.pick(3)]
	case 36:
		g.ptrs[g.pick(len(g.ptrs))] = g.inner()
		o.grid[g.pick(2)][g.pick(3)] = g.inner()
		n.ap.Store(g.inner())
	case 37:
		n.err = []error{io.EOF, context.Canceled, fmt.Errorf("x: %w", io.EOF), os.ErrNotExist}[g.pick(4)]
		n.f, n.ch, n.up, n.u, n.c = func() {}, make(chan int), unsafe.Pointer(o), 7, 3i
		n.when, n.rt = time.Unix(int64(g.next()), 0).In(time.UTC), reflect.TypeFor[cNode]()
		n.addr = netip.MustParseAddr("fe80::1%eth0")
	}
}

// check clones a part of the graph, of one of several types.
func (g *cloneGen) check(t testing.TB) {
	switch n := g.node(); g.pick(6) {
	case 0:
		checkDeepClone(t, g, n.a)
	case 1:
		checkDeepClone(t, g, [2]any{n, window(g, g.nodes)})
	case 2:
		checkDeepClone(t, g, n.byName)
	case 3:
		checkDeepClone(t, g, g.nodes)
	case 4:
		checkDeepClone(t, g, struct {
			a  *cInner
			p  []*cInner
			in []cInner
			n  *cNode
		}{g.inner(), window(g, g.ptrs), window(g, g.inners), n})
	default:
		checkDeepClone(t, g, n)
	}
}

// checkDeepClone clones v and compares; then it destroys v, to see whether the copy notices.
func checkDeepClone[T any](t testing.TB, g *cloneGen, v T) {
	c := arena.DeepClone(v)
	w := &iso{t: t, to: map[uintptr]uintptr{}, from: map[uintptr]uintptr{}, seen: map[string]bool{}}
	w.push(reflect.ValueOf(&v).Elem(), reflect.ValueOf(&c).Elem())
	w.run()
	for _, x := range w.old {
		if x.Kind() == reflect.Map {
			x.Clear()
		} else {
			x.SetZero()
		}
	}
	clear(g.bytes)
	for _, s := range w.saved {
		if now := cloneLeaf(s.v); now != s.want {
			t.Fatalf("a %v of the copy changed with the original: %v, was %v", s.v.Type(), now, s.want)
		}
	}
	runtime.KeepAlive(c)
}

// An iso walks two values next to each other and checks that they are isomorphic: equal, and the
// addresses of their variables in one-to-one correspondence.
type iso struct {
	t        testing.TB
	to, from map[uintptr]uintptr // address of a scalar variable -> its copy, and back
	seen     map[string]bool
	work     [][2]reflect.Value
	hidden   [][2]reflect.Value // elements between length and capacity
	old      []reflect.Value    // variables and maps of the original
	saved    []savedLeaf
}

type savedLeaf struct {
	v    reflect.Value
	want any
}

func (w *iso) push(a, b reflect.Value) { w.work = append(w.work, [2]reflect.Value{a, b}) }

func (w *iso) run() {
	for len(w.work) > 0 {
		p := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		w.visit(p[0], p[1], true)
	}
	for _, h := range w.hidden {
		a, b := h[0].Addr().Pointer(), h[1].Addr().Pointer()
		if w.to[a] != b {
			w.t.Fatalf("an element beyond the length of a slice is at %#x, want %#x", b, w.to[a])
		}
	}
	for b := range w.from {
		if _, ok := w.to[b]; ok {
			w.t.Fatalf("a variable of the copy is in the original")
		}
	}
}

// link checks the correspondence of two scalar variables.
func (w *iso) link(a, b reflect.Value) {
	x, y := a.Addr().Pointer(), b.Addr().Pointer()
	if to, ok := w.to[x]; ok && to != y {
		w.t.Fatalf("%v at %#x has two copies: %#x and %#x", a.Type(), x, to, y)
	}
	if from, ok := w.from[y]; ok && from != x {
		w.t.Fatalf("%v at %#x is the copy of both %#x and %#x", a.Type(), y, from, x)
	}
	w.to[x], w.from[y] = y, x
}

// exposed returns v without the mark of unexported fields.
func exposed(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// visit compares two addressable values; if linked they are variables of the graph.
func (w *iso) visit(a, b reflect.Value, linked bool) {
	a, b = exposed(a), exposed(b)
	w.want(a.Type() == b.Type(), "type", a)
	typ := a.Type()
	switch a.Kind() {
	case reflect.Struct:
		switch {
		case strings.HasPrefix(typ.String(), "unique.Handle["):
			w.want(a.Interface() == b.Interface(), "handle", a)
		case strings.HasPrefix(typ.String(), "atomic.Pointer["):
			load := func(v reflect.Value) reflect.Value {
				return addressable(v.Addr().MethodByName("Load").Call(nil)[0])
			}
			w.visit(load(a), load(b), false)
		default:
			for i := range a.NumField() {
				w.visit(a.Field(i), b.Field(i), linked)
			}
		}
		return
	case reflect.Array:
		for i := range a.Len() {
			w.visit(a.Index(i), b.Index(i), linked)
		}
		return
	}
	if linked {
		w.link(a, b)
		w.saved = append(w.saved, savedLeaf{b, cloneLeaf(b)})
	}
	switch a.Kind() {
	case reflect.Pointer:
		w.want(a.IsNil() == b.IsNil(), "nil", a)
		switch typ.String() {
		case "*time.Location", "*errors.errorString", "*reflect.rtype":
			w.want(a.Pointer() == b.Pointer(), "atom", a)
			return
		}
		if !a.IsNil() && typ.Elem().Size() > 0 && w.first(a, 1) {
			w.old = append(w.old, a.Elem())
			w.push(a.Elem(), b.Elem())
		}
	case reflect.Slice:
		w.want(a.IsNil() == b.IsNil(), "nil", a)
		w.want(a.Len() == b.Len() && b.Cap() <= a.Cap(), "length", a)
		if typ.Elem().Size() == 0 || b.Cap() == 0 || !w.first(a, a.Len()) {
			return
		}
		fa, fb := a.Slice(0, b.Cap()), b.Slice(0, b.Cap())
		for i := range b.Cap() {
			if i >= b.Len() {
				w.hidden = append(w.hidden, [2]reflect.Value{fa.Index(i), fb.Index(i)})
				continue
			}
			w.old = append(w.old, fa.Index(i))
			w.push(fa.Index(i), fb.Index(i))
		}
	case reflect.Map:
		w.want(a.IsNil() == b.IsNil() && a.Len() == b.Len(), "map", a)
		if a.IsNil() || !w.first(a, 0) {
			return
		}
		w.want(a.Pointer() != b.Pointer(), "new map", a)
		w.old = append(w.old, addressable(a))
		ea, eb := cloneEntries(a), cloneEntries(b)
		for i := range ea {
			w.want(ea[i].key == eb[i].key, "map key", a)
			w.visit(ea[i].k, eb[i].k, false)
			w.visit(ea[i].v, eb[i].v, false)
			if eb[i].k.Equal(eb[i].k) {
				w.want(b.MapIndex(eb[i].k).IsValid(), "key, one that can be found", a)
			}
		}
	case reflect.Interface:
		w.want(a.IsNil() == b.IsNil(), "nil", a)
		if !a.IsNil() {
			w.visit(addressable(a.Elem()), addressable(b.Elem()), false)
		}
	case reflect.String:
		w.want(a.String() == b.String(), "string", a)
		w.want(a.Len() == 0 || a.Pointer() != b.Pointer(), "content in new bytes", a)
	default:
		w.want(cloneLeaf(a) == cloneLeaf(b), "value", a)
	}
}

func (w *iso) want(ok bool, what string, a reflect.Value) {
	w.t.Helper()
	if !ok {
		w.t.Fatalf("%v: want the same %s", a.Type(), what) // printing a cyclic value would not end
	}
}

// first reports whether the reference a is seen for the first time.
func (w *iso) first(a reflect.Value, n int) bool {
	k := fmt.Sprint(a.Pointer(), a.Type(), n)
	defer func() { w.seen[k] = true }()
	return !w.seen[k]
}

// cloneLeaf returns the bits of a scalar, comparable.
func cloneLeaf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float64:
		return math.Float64bits(v.Float())
	case reflect.String:
		return strings.Clone(v.String())
	case reflect.Slice:
		return [3]uintptr{v.Pointer(), uintptr(v.Len()), uintptr(v.Cap())}
	case reflect.Map:
		return [2]uintptr{v.Pointer(), uintptr(v.Len())}
	case reflect.Func, reflect.Chan, reflect.Pointer, reflect.UnsafePointer:
		return v.Pointer()
	case reflect.Interface:
		return fmt.Sprintf("%T", v.Interface())
	}
	return v.Interface()
}

type cloneEntry struct {
	key  string
	k, v reflect.Value
}

// cloneEntries returns the entries of a map in an order that does not depend on addresses.
func cloneEntries(m reflect.Value) (es []cloneEntry) {
	for it := m.MapRange(); it.Next(); {
		k, v := addressable(it.Key()), addressable(it.Value())
		s := cloneKey(k)
		if v.Kind() == reflect.Int {
			s += cloneKey(v)
		}
		es = append(es, cloneEntry{s, k, v})
	}
	slices.SortFunc(es, func(a, b cloneEntry) int { return cmp.Compare(a.key, b.key) })
	return es
}

func cloneKey(k reflect.Value) string {
	switch x := k.Interface().(type) {
	case *cInner:
		if x == nil {
			return "nil"
		}
		return fmt.Sprint("inner ", x.ID)
	case cKey:
		return "key " + cloneKey(reflect.ValueOf(x.p)) + x.s
	case [2]any:
		return "array " + cloneKey(reflect.ValueOf(x[0])) + cloneKey(reflect.ValueOf(x[1]))
	default:
		return fmt.Sprintf("%T %v", x, x)
	}
}

// gcStress collects garbage all the time until the test ends.
func gcStress(t testing.TB) {
	old := debug.SetGCPercent(1)
	done := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
	t.Cleanup(func() { close(done); wg.Wait(); debug.SetGCPercent(old) })
}

func TestDeepCloneRandom(t *testing.T) {
	gcStress(t)
	base := testrun.Seed(t)
	for i := range uint64(testrun.Few(400)) {
		r := rand.New(rand.NewPCG(base+i, 0))
		t.Run(fmt.Sprintf("seed=%d", base+i), func(t *testing.T) {
			g := newCloneGen(r.IntN)
			for range r.IntN(200) {
				g.step()
			}
			g.check(t)
		})
	}
}

func FuzzDeepClone(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		g := newCloneGen(func(n int) int {
			if len(b) == 0 {
				return 0
			}
			x := int(b[0]) % n
			b = b[1:]
			return x
		})
		for len(b) > 3 {
			g.step()
		}
		g.check(t)
	})
}

// TestDeepCloneKinds has edge values: what DeepClone returns must be deeply equal.
func TestDeepCloneKinds(t *testing.T) {
	type leaf struct{ s []string }
	type pair struct{ a, b any }
	type rec struct {
		_ string
		p *rec
		a [2]leaf
		_ [0]*int
	}
	for _, v := range []any{
		nil, true, int8(-1), uint16(2), uintptr(3), 1.5, float32(2), complex64(1i), 2i, "", "x",
		[0]int{}, [0]*int{}, [2]string{"a", "b"}, [1]any{1}, [][]string{nil, {}, {"a"}}, []any{nil, []any(nil)},
		struct{}{}, new(struct{}), &struct{ _, a, _ string }{a: "x"}, make([]struct{}, 3), make([][0]*int, 2), new([0]string),
		pair{}, pair{1, "x"}, &pair{pair{1, 2}, &pair{}}, rec{}, &rec{p: &rec{a: [2]leaf{{s: []string{"x"}}}}},
		map[string]int(nil), map[string]int{}, map[any]any{1: "x", "x": 1, [1]any{2}: nil, pair{1, "y"}: []int{1}},
		map[[2]string]*string{{"a", "b"}: new("c")}, map[int][300]byte{1: {2}}, map[[300]byte]*int{{1}: new(1)},
		(*int)(nil), []int(nil), (func())(nil), (chan int)(nil), unsafe.Pointer(nil), new(new(new(1))),
		errors.Join(io.EOF, errors.New("x")), time.Now(), netip.MustParsePrefix("fe80::/10"), reflect.TypeFor[int](),
		int64(1) << 40, [3]*int{nil, new(1)}, struct{ p *int }{new(2)}, [1]struct{ p *string }{{new("x")}},
	} {
		c := arena.DeepClone(v)
		if !reflect.DeepEqual(v, c) {
			t.Errorf("%T: got %#v, want %#v", v, c, v)
		}
		if p := arena.DeepClone(&v); p == &v || !reflect.DeepEqual(v, *p) {
			t.Errorf("*%T: got %#v, want %#v", v, *p, v)
		}
	}
	if c := arena.DeepClone(map[float64]string{math.NaN(): "a", math.NaN(): "b"}); len(c) != 2 {
		t.Errorf("NaN keys: %v", c)
	}
}

// TestDeepCloneMutual clones types that refer to types that contain them.
func TestDeepCloneMutual(t *testing.T) {
	type pointer struct {
		to *[2]struct{ in pointer }
	}
	p := pointer{&[2]struct{ in pointer }{}}
	p.to[1].in.to = p.to
	if c := arena.DeepClone(p); c.to == p.to || c.to[1].in.to != c.to {
		t.Error("pointer")
	}
	type slice struct {
		to []struct{ in slice }
	}
	s := slice{make([]struct{ in slice }, 2)}
	s.to[1].in.to = s.to
	if c := arena.DeepClone(s); &c.to[0] == &s.to[0] || &c.to[1].in.to[0] != &c.to[0] {
		t.Error("slice")
	}
	type element struct {
		to map[int]struct{ in element }
	}
	e := element{map[int]struct{ in element }{}}
	e.to[1] = struct{ in element }{e}
	c := arena.DeepClone(e)
	if delete(e.to, 1); c.to[1].in.to[1].in.to == nil {
		t.Error("element")
	}
}

// TestDeepCloneAtoms checks what has an identity and keeps it.
func TestDeepCloneAtoms(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.NewTimer(time.Hour)
	obj := new(int)
	type all struct {
		Err    []error
		Ctx    context.Context
		Loc    *time.Location
		Addr   map[netip.Addr]string
		Type   reflect.Type
		Timer  *time.Timer
		Pool   *sync.Pool
		Weak   weak.Pointer[int]
		File   *os.File
		Fn     func() int
		Ch     chan int
		Value  reflect.Value
		Atomic atomic.Value
	}
	addr := netip.MustParseAddr("fe80::1%eth0")
	v := &all{Err: []error{io.EOF, fmt.Errorf("x: %w", io.EOF)}, Ctx: ctx, Loc: time.Local, Addr: map[netip.Addr]string{addr: "x"},
		Type: reflect.TypeFor[all](), Timer: timer, Pool: &sync.Pool{}, Weak: weak.Make(obj), File: os.Stderr,
		Fn: func() int { return *obj }, Ch: make(chan int, 1), Value: reflect.ValueOf(obj)}
	v.Atomic.Store(v.Err)
	c := arena.DeepClone(v)
	if c.Err[0] != io.EOF || !errors.Is(c.Err[1], io.EOF) || c.Err[1] == v.Err[1] {
		t.Error("errors:", c.Err)
	}
	if c.Ctx != ctx || c.Loc != time.Local || c.Type != v.Type || c.Timer != timer || c.Pool != v.Pool ||
		c.Weak.Value() != obj || c.Fn() != 0 || c.Ch != v.Ch || c.Value != v.Value {
		t.Errorf("got %+v, want %+v", c, v)
	}
	if c.Addr[addr] != "x" {
		t.Error("netip.Addr is no longer found as a key")
	}
	if file := func(f *os.File) uintptr { return reflect.ValueOf(f).Elem().Field(0).Pointer() }; file(c.File) != file(os.Stderr) {
		t.Error("os.File: want the same open file")
	}
	if errs := c.Atomic.Load().([]error); &errs[0] != &c.Err[0] {
		t.Error("atomic.Value: want the copy")
	}
	if !c.Timer.Stop() {
		t.Error("the timer was not running")
	}
	var b strings.Builder // points to itself
	b.WriteString("abc")
	cb := arena.DeepClone(&b)
	cb.WriteString("d")
	if cb.String() != "abcd" || b.String() != "abc" {
		t.Error("strings.Builder:", cb, b.String())
	}
}

// TestDeepCloneCap checks what becomes of capacity.
func TestDeepCloneCap(t *testing.T) {
	a := make([]int, 10)
	for i := range a {
		a[i] = i
	}
	for _, test := range []struct {
		in   [][]int
		caps []int
	}{
		{[][]int{a[:4]}, []int{4}},
		{[][]int{a[:4], a[2:8]}, []int{8, 6}},
		{[][]int{a[2:8], a[:4]}, []int{6, 8}},
		{[][]int{a[:4:5], a[2:8]}, []int{5, 6}},
		{[][]int{a[:4], a[4:8]}, []int{4, 4}}, // adjacent only
		{[][]int{a[:0], a[0:3]}, []int{3, 3}},
		{[][]int{a[5:5], a[0:3]}, []int{0, 3}},
		{[][]int{a[2:2], a[0:3]}, []int{1, 3}},
		{[][]int{a[:4], a[3:5], a[4:6], a[7:]}, []int{6, 3, 2, 3}},
		{[][]int{{}, nil}, []int{0, 0}},
	} {
		for i, s := range arena.DeepClone(test.in) {
			if !reflect.DeepEqual(s, test.in[i]) || cap(s) != test.caps[i] {
				t.Errorf("%v: %d: got %v with capacity %d, want %d", test.in, i, s, cap(s), test.caps[i])
			}
		}
	}
	// Nothing empty holds on to the original.
	empty := []string{strings.Repeat("x", 9)[:0]}
	if c := arena.DeepClone(empty); unsafe.StringData(c[0]) == unsafe.StringData(empty[0]) {
		t.Error("empty string: want no reference to the original")
	}
	// A slice of an array in a struct ends with that array.
	type st struct{ a, _ [2]*int }
	x := &st{}
	c := arena.DeepClone(struct {
		s []*int
		x *st
	}{x.a[:1], x})
	if cap(c.s) != 2 || &c.s[0] != &c.x.a[0] {
		t.Errorf("slice of a field: capacity %d, want 2", cap(c.s))
	}
}

// TestDeepCloneSlab checks that objects that only touch are not tied together.
func TestDeepCloneSlab(t *testing.T) {
	type obj struct {
		_ *int
		_ [20]int
	}
	slab := make([]obj, 3)
	c := arena.DeepClone([]*obj{&slab[0], &slab[1], &slab[2]})
	w := weak.Make(c[1])
	c[1] = nil
	runtime.GC()
	if w.Value() != nil {
		t.Error("the copy of one element is kept alive by the copies of its neighbours")
	}
	runtime.KeepAlive(c)
}

// TestDeepCloneZero checks pointers to values of size zero, which must not become equal.
func TestDeepCloneZero(t *testing.T) {
	var s struct {
		a  struct{}
		x  int
		b  struct{}
		xx int
	}
	m := map[*struct{}]int{&s.a: 1, &s.b: 2, new(struct{}): 3}
	if c := arena.DeepClone(m); len(c) != len(m) {
		t.Errorf("got %d keys, want %d", len(c), len(m))
	}
}

// TestDeepCloneTricks has memory of which unsafe code made two things: each is copied for itself.
func TestDeepCloneTricks(t *testing.T) {
	gcStress(t)
	type (
		pair  struct{ a, b uint64 }
		ints  struct{ a, b uintptr }
		ptrs  struct{ a, b *int }
		mixed struct {
			a [2]uint64
			b uint64
		}
	)
	var v struct {
		ptrs  []*int // three more views of this:
		bytes []byte
		ints  *ints
		pair  *ptrs

		words []uint64 // and of this:
		other []uint64 // overlaps
		in    *uint64  // in words, beyond the end of b2
		b2    []byte
		str   string
		half  []uint32 // straddles the end of words
		mixed *mixed
		long  []uint64 // from mixed.a on into mixed.b

		even []pair
		odd  []pair // half an element later
	}
	w := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	u := slices.Clone(w)
	p := unsafe.Pointer(&w[0])
	v.ptrs = []*int{new(1), new(2)}
	q := unsafe.Pointer(&v.ptrs[0])
	v.bytes, v.ints, v.pair = unsafe.Slice((*byte)(q), 2*unsafe.Sizeof(q)), (*ints)(q), (*ptrs)(q)
	v.words, v.other, v.in = w[:4], w[2:6], &w[3]
	v.b2, v.str = unsafe.Slice((*byte)(p), 20), unsafe.String((*byte)(p), 9)
	v.half = unsafe.Slice((*uint32)(unsafe.Pointer(&w[3])), 6)
	v.mixed, v.long = (*mixed)(unsafe.Pointer(&w[5])), w[5:8]
	v.even, v.odd = unsafe.Slice((*pair)(unsafe.Pointer(&u[0])), 3), unsafe.Slice((*pair)(unsafe.Pointer(&u[1])), 3)
	for range 100 {
		c := arena.DeepClone(v)
		if *c.ptrs[0] != 1 || *c.ptrs[1] != 2 || c.ptrs[0] == v.ptrs[0] || !slices.Equal(c.bytes, v.bytes) ||
			*c.ints != *v.ints || *c.pair.a != 1 || c.pair.a == v.ptrs[0] {
			t.Fatal("integers over pointers")
		}
		c.bytes[0]++
		if *c.ptrs[0] != 1 {
			t.Fatal("bytes share memory with pointers")
		}
		if !slices.Equal(c.words, v.words) || !slices.Equal(c.other, v.other) || !slices.Equal(c.half, v.half) ||
			!slices.Equal(c.even, v.even) || !slices.Equal(c.odd, v.odd) || !slices.Equal(c.long, v.long) ||
			!slices.Equal(c.b2, v.b2) || c.str != v.str || *c.mixed != *v.mixed ||
			&c.words[3] != &c.other[1] || c.in != &c.words[3] {
			t.Fatalf("got %v, want %v", c, v)
		}
		c.b2[0], c.half[0], c.mixed.b, c.odd[0].a = 99, 99, 99, 99
		if c.words[0] != 1 || c.words[3] != 4 || c.str != v.str || c.long[2] != 8 || c.even[0].b != 2 {
			t.Fatal("slices of different types share memory")
		}
	}
}

// TestDeepCloneSlog proves that values of slog, which contain the length of a string or of a group
// next to a pointer, are copied as a whole.
func TestDeepCloneSlog(t *testing.T) {
	for _, n := range []int{0, 1, 2, 20, 3000} {
		a := arena.NewArena()
		text := arena.String(a, strings.Repeat("x", n))
		var group []slog.Attr
		for i := range n % 100 {
			group = append(group, slog.String(arena.Sprintf(a, "k%d", i), text), slog.Group("inner", "s", arenastrings.Itoa(a, i), "n", i))
		}
		var r slog.Record
		r.AddAttrs(slog.String("text", text), slog.Attr{Key: "group", Value: slog.GroupValue(group...)}, slog.Any("any", &text), slog.Duration("d", 7), slog.Time("t", time.Unix(7, 0)))
		r.AddAttrs(group...)
		want, _ := attrsOf(r)
		c := arena.DeepClone(r)
		a.Reset()
		arena.String(a, strings.Repeat("y", 4*n+1000))
		runtime.GC()
		got, pointer := attrsOf(c)
		if *pointer != strings.Repeat("x", n) {
			t.Errorf("%d: what a pointer leads to is %.30q", n, *pointer)
		}
		if got != want {
			t.Errorf("%d: the copy is %.200q, want %.200q", n, got, want)
		}
	}
}

// attrsOf returns the text of the attributes, and the pointer that is one of them.
func attrsOf(r slog.Record) (text string, pointer *string) {
	r.Attrs(func(a slog.Attr) bool {
		if p, ok := a.Value.Any().(*string); ok {
			pointer = p
		} else {
			text += a.String() + "\n"
		}
		return true
	})
	return text, pointer
}

// TestDeepCloneLong clones what is long or deep: with recursion the stack would
// overflow, and with quadratic time the test would not end.
func TestDeepCloneLong(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	long, high := 1_000_000, 100_000
	if !testrun.Long() {
		long, high = 200_000, 20_000
	}
	type node struct {
		next *node
		val  int
	}
	var list *node
	for i := range long {
		list = &node{list, i}
	}
	i := long
	for c, p := arena.DeepClone(list), list; p != nil; c, p = c.next, p.next {
		i--
		if c.val != i || c == p {
			t.Fatalf("node %d has value %d", i, c.val)
		}
	}
	if i != 0 {
		t.Fatalf("%d nodes are missing", i)
	}

	type box struct{ a, b any }
	var deep any
	var lists cList
	var rec cMap
	for range high {
		deep = box{deep, deep} // without sharing of boxes there would be 1<<high
		lists = cList{lists, lists}
		rec = cMap{"x": rec}
	}
	for c := arena.DeepClone(deep); c != nil; c = c.(box).b {
		i++
	}
	for c := arena.DeepClone(lists); c != nil; c = c[1] {
		i++
	}
	for c := arena.DeepClone(rec); c != nil; c = c["x"] {
		i++
	}
	if i != 3*high {
		t.Fatalf("depth %d, want %d", i, 3*high)
	}
}

// TestDeepCloneWindows clones many slices of one array, a few at random and then a great
// many: with quadratic time the test would not end.
func TestDeepCloneWindows(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		ptrs := make([]*int, 500)
		for i := range ptrs {
			ptrs[i] = &i
		}
		var windows [][]*int
		for range 1 + r.IntN(20) {
			i := r.IntN(len(ptrs))
			windows = append(windows, ptrs[i:i+r.IntN(len(ptrs)-i+1)])
		}
		if c := arena.DeepClone(windows); !reflect.DeepEqual(c, windows) {
			t.Fatal("windows differ")
		}
	}
	ptrs := make([]*int, 1<<17)
	var windows [][]*int
	for i := range ptrs {
		ptrs[i] = &i
		windows = append(windows, ptrs[i:], ptrs[:i])
	}
	c := arena.DeepClone(windows)
	for i := range ptrs {
		if p := c[0][i]; *p != i || p == ptrs[i] || &c[2*i][0] != &c[0][i] {
			t.Fatalf("window %d", i)
		}
	}
}

// TestDeepCloneStack clones values that refer to variables of a function, on a stack that moves.
func TestDeepCloneStack(t *testing.T) {
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			var x [4]int
			var grow func(int) int
			grow = func(n int) int {
				var pad [100]int
				if n == 0 {
					return pad[n]
				}
				return grow(n-1) + pad[n%100]
			}
			v := struct{ p, q *int }{&x[1], &x[1]}
			x[1] = 1 + grow(2000)
			c := arena.DeepClone(v)
			if x[1]++; c.p != c.q || *c.p != 1 {
				t.Error("got", *c.p, *c.q)
			}
		})
	}
	wg.Wait()
}

// TestDeepCloneConcurrent clones one value in many goroutines, of types seen for the first time.
func TestDeepCloneConcurrent(t *testing.T) {
	type b struct {
		m map[string][]any
	}
	type a struct {
		b *b
		a []a
	}
	v := &a{b: &b{map[string][]any{"x": {1, "y"}}}, a: []a{{}, {}}}
	v.a[0].b = v.b
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if c := arena.DeepClone(v); !reflect.DeepEqual(c, v) || c.a[0].b != c.b || c.b == v.b {
				t.Error("copy differs")
			}
		})
	}
	wg.Wait()
}

func BenchmarkDeepClone(b *testing.B) {
	type node struct {
		next, left, right *node
		name              string
		val               int
	}
	for _, n := range []int{10, 10_000} {
		nodes := make([]*node, n)
		for i := range nodes {
			nodes[i] = &node{name: fmt.Sprint("node ", i), val: i}
		}
		for i, p := range nodes {
			p.next, p.left, p.right = nodes[(i+1)%n], nodes[(i*7+3)%n], nodes[(i*13+5)%n]
		}
		perNode := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		}
		b.Run(fmt.Sprintf("impl=DeepClone/nodes=%d", n), func(b *testing.B) {
			for b.Loop() {
				arena.DeepClone(nodes[0])
			}
			perNode(b)
		})
		b.Run(fmt.Sprintf("impl=byHand/nodes=%d", n), func(b *testing.B) {
			for b.Loop() {
				copies := map[*node]*node{}
				var clone func(p *node) *node
				clone = func(p *node) *node {
					c := copies[p]
					if c == nil {
						c = &node{name: strings.Clone(p.name), val: p.val}
						copies[p] = c
						c.next, c.left, c.right = clone(p.next), clone(p.left), clone(p.right)
					}
					return c
				}
				clone(nodes[0])
			}
			perNode(b)
		})
	}
	flat := make([][64]int, 1000)
	b.Run("impl=DeepClone/flat=512kB", func(b *testing.B) {
		for b.Loop() {
			arena.DeepClone(flat)
		}
	})
}
