package fix

import "testing"

// TestReflected: what package reflect, formats and decoders of the library do with values is known.
func TestReflected(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"values": `
import "reflect"

type N struct {
	name string
	x    *int
	next *N
	kids []*N
}

type keeper interface{ keep(*N) }

type cell struct{ n *N }

func (c *cell) keep(n *N) { g = n }

var (
	g   *N
	gs  []*N
	gt  string
	ga  any
	gm  map[string]*N
)

func keep(n *N) { g = n }

func Parse(s string, to *N) *N {
	made(s)
	set(s)
	fields()
	lists()
	maps(s)
	called()
	method(s)
	pointers()
	embedded()
	reflect.ValueOf(to).Elem().Field(0).SetString(s + "to") // moves: text
	v := reflect.ValueOf(to)
	v.Elem().FieldByName("next").Set(reflect.ValueOf(&N{})) // moves: a value
	return local(s)
}

func made(s string) {
	v := reflect.New(reflect.TypeOf(""))
	v.Elem().SetString(s + "m") // stays: text
	ga = v.Interface()
	w := reflect.New(reflect.TypeFor[N]()).Elem()
	w.FieldByName("x").Set(reflect.ValueOf(new(int))) // stays: a value
	ga = w.Interface()
}

func set(s string) {
	n := &N{} // stays: a value
	v := reflect.ValueOf(n)
	v.Elem().Field(0).Set(reflect.ValueOf(s + "s")) // stays: text
	g = n
	o := &N{} // stays: a value
	p := reflect.ValueOf(&o).Elem()
	p.Set(reflect.ValueOf(&N{})) // stays: a value
	g = o
}

func fields() {
	n := &N{next: &N{}} // stays: a value
	next := reflect.ValueOf(n).Elem().FieldByName("next").Interface().(*N)
	next.x = new(int) // stays: a value
	g = next
	o := &N{next: &N{}} // stays: a value
	g = reflect.ValueOf(o).Elem().Field(2).Interface().(*N)
}

func lists() {
	l := reflect.ValueOf([]*N{})
	l = reflect.Append(l, reflect.ValueOf(&N{})) // stays: a value
	gs = l.Interface().([]*N)
	k := []*N{{}} // stays: a slice, a value
	gs = reflect.ValueOf(k).Slice(0, 1).Interface().([]*N)
	e := []*N{{}} // stays: a value
	g = reflect.ValueOf(e).Index(0).Interface().(*N)
}

func maps(s string) {
	m := reflect.MakeMap(reflect.TypeFor[map[string]*N]())
	m.SetMapIndex(reflect.ValueOf(s + "k"), reflect.ValueOf(&N{})) // stays: text, a value
	gm = m.Interface().(map[string]*N)
	o := map[string]*N{"": {}} // stays: a value
	g = reflect.ValueOf(o).MapIndex(reflect.ValueOf("")).Interface().(*N)
	p := map[string]*N{"": {}} // stays: a value
	it := reflect.ValueOf(p).MapRange()
	for it.Next() {
		g = it.Value().Interface().(*N)
	}
	q := map[string]int{s + "q": 1} // stays: text
	gt = reflect.ValueOf(q).MapKeys()[0].String()
}

func called() {
	reflect.ValueOf(keep).Call([]reflect.Value{reflect.ValueOf(&N{})}) // stays: a value
	c := &cell{}
	reflect.ValueOf(c).MethodByName("Keep").Call([]reflect.Value{reflect.ValueOf(&N{})}) // stays: a value
}

func method(s string) {
	v := reflect.New(reflect.TypeFor[cell]())
	v.Interface().(keeper).keep(&N{}) // stays: a value
	c := struct{ c cell }{}
	reflect.ValueOf(&c).Elem().Field(0).Addr().Interface().(keeper).keep(&N{}) // stays: a value
}

func pointers() {
	n := &N{} // moves: a value
	n.next = &N{} // stays: a value
	g = *reflect.ValueOf(n).Elem().Field(2).Addr().Interface().(**N)
}

type outer struct{ *middle }

type middle struct{ *inner }

type inner struct{ N *N }

func embedded() {
	o := outer{&middle{&inner{}}}
	reflect.ValueOf(o).FieldByName("N").Set(reflect.ValueOf(&N{})) // stays: a value
	g = o.N
}

func local(s string) *N {
	n := &N{} // moves: a value
	v := reflect.ValueOf(n).Elem()
	v.Field(0).SetString(s + "l") // moves: text
	v.Field(2).Set(reflect.ValueOf(&N{})) // moves: a value
	return n
}
`,
		"formats": `
import "fmt"

type N struct{ x *int }

type kept struct{ n *N }

func (k *kept) String() string { g = k.n; return "" }

type sharp struct{ n *N }

func (k *sharp) GoString() string { g = k.n; return "" }

var g *N

func Parse(s string) *N {
	a := &kept{&N{}} // stays: a value
	_ = fmt.Sprintf("%s %d", a, 1)
	b := &kept{&N{}} // stays: a value
	_ = fmt.Sprintf("%d", 1, b)
	c := &kept{&N{}} // stays: a value
	_ = fmt.Sprintf("%[2]d %[1]v", c, 1)
	d := &kept{&N{}} // stays: a value
	_ = fmt.Sprintf("%*d %v", 1, 2, d)
	e := &sharp{&N{}} // stays: a value
	_ = fmt.Sprintf("%#v", e)
	f := []any{&kept{&N{}}} // stays: a value
	_ = fmt.Sprintf("%+v %%", f...)
	h := struct{ k *kept }{&kept{&N{}}} // stays: a value
	_ = fmt.Sprintf(s, h)
	i := &kept{&N{}} // stays: a value
	_ = fmt.Sprintf("%#x", i)
	j := [...]any{0, &kept{&N{}}, 1} // stays: a value
	_ = fmt.Sprintf("%v %d", j[1:]...)
	_ = fmt.Sprintf("%v", angry{&kept{&N{}}}) // stays: a value
	return free()
}

type angry struct{ k *kept }

func (a angry) String() string { panic(a.k) }

type quiet struct{ n *N }

func (k *quiet) String() string { gq = k.n; return "" }

var gq *N

func free() *N {
	a := &quiet{&N{}} // moves: a value
	_ = fmt.Sprintf("%p %T %d", a, a, a)
	b := &quiet{&N{}} // moves: a value
	_ = fmt.Sprintf("%#v %5.2f", b, 1.0)
	return a.n
}
`,
		"decoders": `
import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

type N struct {
	Name string
	x    *int
	Next *N
}

type spy struct{ n *N }

func (s *spy) UnmarshalJSON(b []byte) error { g = s.n; return nil }

type spyText struct{ n *N }

func (s *spyText) UnmarshalText(b []byte) error { g = s.n; return nil }

type failure struct{ n *N }

func (f *failure) Error() string { return "" }

var (
	g  *N
	ga any
)

func Parse(s string) *N {
	a := &struct{ S *spy }{&spy{&N{}}} // stays: a value
	_ = json.Unmarshal([]byte(s), a)
	b := &struct{ S spyText }{spyText{&N{}}} // stays: a value
	_ = xml.Unmarshal([]byte(s), b)
	c := &N{} // moves: a value
	_ = json.NewDecoder(strings.NewReader(s)).Decode(c)
	c.Next.x = new(int) // stays: a value
	g = c.Next
	d := &N{Next: &N{}} // moves: a value
	_ = json.Unmarshal([]byte(s), d)
	d.Next.Next.x = new(int) // stays: a value
	g = d.Next.Next
	if x, ok := found(s); ok {
		ga = x
	}
	var m sync.Map
	m.Store("", &N{}) // stays: a value
	v, _ := m.Load("")
	g = v.(*N)
	var r sync.Map
	r.Store("", &N{}) // stays: a value
	r.Range(func(_, v any) bool { g = v.(*N); return true })
	var p atomic.Pointer[N]
	p.Store(&N{}) // stays: a value
	g = p.Load()
	return free(s)
}

func found(s string) (*N, bool) {
	var err error = &failure{&N{}} // stays: a value
	var f *failure
	if errors.As(err, &f) {
		return f.n, true
	}
	var w error = wrapper{}
	if errors.As(w, &f) {
		return f.n, true
	}
	return nil, false
}

type wrapper struct{}

func (wrapper) Error() string { return "" }

func (wrapper) Unwrap() error { return &failure{&N{}} }

type letters string

func (l *letters) UnmarshalText([]byte) error { gl = string(*l); return nil }

var gl string

func element(s string) {
	n := &struct{ S [2]letters }{}
	n.S[0] = letters(s + "e") // stays: text
	_ = json.Unmarshal([]byte(s), n)
}

func free(s string) *N {
	n := &N{} // moves: a value
	element(s)
	_ = json.Unmarshal([]byte(s), n)
	n.Next.x = new(int) // moves: a value
	var p atomic.Pointer[N]
	p.Store(&N{Name: s + "p"}) // moves: text, a value
	n.Next = p.Load()
	return n
}
`,
		// Which functions and methods an old value may have.
		"values that are there": `
type N struct{ x *int }

type sink interface{ put(*N) }

// Nothing has made one of these before a root is called.
type mine struct{ n *N }

func (m *mine) put(n *N) { m.n = n }

type registered struct{ n *N }

func (r *registered) put(n *N) { r.n = n }

type other interface{ take(*N) }

type taker struct{ n *N }

func (t *taker) take(n *N) { t.n = n }

var (
	current sink
	taken   other
	Hook    func(*N)
	Set     func(*N)
	g       *N
)

func Register() { current = &registered{} }

func SetHook(f func(*N)) { Set = f }

func newTaker() other { return &taker{} }

func NewTaker() other { return newTaker() }

func UseTaker(o other) { taken = o }

func Parse(s string) *N {
	m := &mine{}
	var to sink = m
	to.put(&N{}) // moves: a value
	if current != nil {
		current.put(&N{}) // stays: a value
	}
	if taken == nil {
		_ = NewTaker()
	} else {
		taken.take(&N{}) // stays: a value
	}
	if Hook != nil {
		Hook(&N{}) // moves: a value
	}
	if Set != nil {
		Set(&N{}) // stays: a value
	}
	return m.n
}
`,
		"fields": `
type inner struct{ x, y *int }

type N struct {
	a, b *int
	in   inner
	arr  [2]*int
	st   [2]inner
	next *N
	name, text string
}

var (
	g  *int
	gs []*int
	gt string
	gn inner
)

type same struct {
	a, b *int
	in   inner
	arr  [2]*int
	st   [2]inner
	next *N
	name, text string
}

func Parse(s string) *N {
	n := &N{} // moves: a value
	n.a = new(int) // moves: a value
	n.b = new(int) // stays: a value
	g = n.b
	n.name = s + "n" // moves: text
	n.text = s + "t" // stays: text
	gt = n.text
	n.in.x = new(int) // moves: a value
	n.in.y = new(int) // stays: a value
	g = n.in.y
	pointed()
	copied()
	converted()
	array()
	return n
}

func pointed() {
	n := &N{}
	p := &n.a
	*p = new(int) // stays: a value
	n.b = new(int) // moves: a value
	g = n.a
	in := &n.in
	in.x = new(int) // stays: a value
	g = n.in.x
	set(&n.in.y)
	gn.y = n.in.y
	o := &N{} // stays: a value
	gs = o.arr[:]
}

func set(to **int) { *to = new(int) } // stays: a value

func copied() {
	n := N{}
	n.a = new(int) // stays: a value
	m := n
	l := []N{m}
	g = l[0].a
	n.in.x = new(int) // stays: a value
	gn = n.in
	k := map[string]N{"": {b: new(int)}} // stays: a value
	g = k[""].b
	var e any = N{b: new(int)} // stays: a value
	g = e.(N).b
}

func converted() {
	n := N{a: new(int)} // stays: a value
	g = same(n).a
	m := &N{b: new(int)} // stays: a value
	g = (*same)(m).b
}

func array() {
	n := &N{}
	n.arr[0] = new(int) // stays: a value
	for _, x := range n.arr[:] {
		gs = append(gs, x)
	}
	n.st[1].x = new(int) // stays: a value
	n.next = &N{} // moves: a value
	g = n.st[0].x
	m := &N{}
	m.arr[0] = new(int) // stays: a value
	m.a = new(int) // moves: a value
	for i := range m.arr {
		g = m.arr[i]
	}
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parseAsCommented(t, written(t, "-- p.go --\npackage m\n"+source))
		})
	}
}

// TestComesBack: the caller's functions call what they are given, and libraries have methods, too.
func TestComesBack(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"callbacks": `
import (
	"iter"
	"slices"
)

type N struct{ x *int }

type walker interface{ Walk(v visitor) }

type visitor interface{ Visit(*int) }

type vis struct{ n *N }

func (v *vis) Visit(*int) { g = v.n }

var g *N

func Parse(walk func(func(*int)), seq iter.Seq[string], w walker, print func(...any)) *N {
	n := &N{} // stays: a value
	walk(func(*int) { g = n })
	m := &N{} // stays: a value
	for range seq {
		g = m
	}
	w.Walk(&vis{&N{}}) // stays: a value
	print("%v", text{&N{}}) // moves: a value
	l := &N{} // stays: a value
	f := func(y func(*N) bool) { y(l) }
	for range f {
	}
	g = slices.Collect(f)[0]
	return &N{} // moves: a value
}

type text struct{ n *N }

func (t text) String() string { g = t.n; return "" }
`,
		"pools": `
import "sync"

type N struct{ x *int }

type pool interface {
	Get() any
	Put(any)
}

type none struct{}

func (none) Get() any { return nil }

func (none) Put(any) {}

type Client struct {
	mu   sync.Mutex
	Log  func(*N)
	pool pool
	kept store
	user sink
}

type store interface{ Store(k, v any) }

type sink interface{ Take(*N) }

var current pool = &sync.Pool{}

func New() *Client { return &Client{pool: none{}, kept: &sync.Map{}} }

func Parse(c *Client) *N {
	current.Put(&N{}) // stays: a value
	c.pool.Put(&N{}) // stays: a value
	c.kept.Store("", &N{}) // stays: a value
	c.user.Take(&N{}) // moves: a value
	c.Log(&N{}) // moves: a value
	return &N{} // moves: a value
}
`,
		"locks": `
import "sync"

type N struct{ x *int }

type lock struct{ mu sync.Mutex }

type One struct {
	mu   [4]sync.Mutex
	last *N
}

type Two struct {
	*lock
	last *N
}

func Parse(a *One, b *Two) *N {
	a.last = &N{} // stays: a value
	b.last = &N{} // stays: a value
	return &N{} // moves: a value
}
`,
		"errors": `
import (
	"errors"
	"fmt"
)

type N struct {
	name string
	x    *int
}

type failure struct {
	n    *N
	list []string
}

func (f *failure) Error() string { return f.n.name }

var base = fmt.Errorf("base: %w", &failure{n: &N{}})

func Parse(s string) (*N, error) {
	var f *failure
	if errors.As(base, &f) {
		f.n.x = new(int) // stays: a value
	}
	if s == "" {
		return nil, &failure{n: named(s), list: []string{label(s)}} // stays: a value, a slice
	}
	if s == "x" {
		panic(named(s))
	}
	return other(s), nil
}

// Calls for an error or a panic are of the former function.
func named(s string) *N {
	return &N{name: s + "n"} // moves: a value, text
}

func label(s string) string { return s + "l" } // stays: text

func other(s string) *N { return &N{name: s + "o"} } // moves: a value, text
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parseAsCommented(t, written(t, "-- p.go --\npackage m\n"+source))
		})
	}
}
