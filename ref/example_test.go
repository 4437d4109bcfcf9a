package ref_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// A list of references has nothing that the collector looks at, however long it is.
func ExampleOf() {
	type entry struct {
		key  int64
		next ref.Of[entry]
	}
	a := arena.NewArena()
	s := ref.In(a)
	defer a.Free()

	var list ref.Of[entry]
	for key := range int64(3) {
		r, e := ref.New[entry](s)
		e.key, e.next = key, list
		list = r
	}
	for r := list; !r.IsNil(); r = r.Get(s).next {
		fmt.Println(r.Get(s).key)
	}
	// Output:
	// 2
	// 1
	// 0
}

func ExampleNew() {
	a := arena.NewArena()
	s := ref.In(a)
	r, p := ref.New[int64](s)
	*p = 7
	fmt.Println(*r.Get(s), r.Get(s) == p)
	// Output: 7 true
}

// References go by their numbers to where there is no type for them, such as a network or another
// program, and come back.
func ExampleOf_Offset() {
	a := arena.NewArena()
	s := ref.In(a)
	r, p := ref.New[int64](s)
	*p = 7
	cookie := strconv.FormatUint(uint64(r.Offset()), 10)

	offset, err := strconv.ParseUint(cookie, 10, 32)
	if err != nil {
		fmt.Println(err)
	}
	back, err := ref.At[int64](s, uint32(offset))
	fmt.Println(back == r, *back.Get(s), err)
	// Output: true 7 <nil>
}

// At sees whether there can be such a value, and not whether there is one.
func ExampleAt() {
	a := arena.NewArena()
	s := ref.In(a)
	ref.New[int64](s)
	_, err := ref.At[int64](s, 1<<30)
	fmt.Println(err != nil)
	// Output: true
}

func ExampleNewSlice() {
	a := arena.NewArena()
	space := ref.In(a)
	r, s := ref.NewSlice[float64](space, 3)
	for i := range s {
		s[i] = float64(i) / 2
	}
	fmt.Println(r.Get(space), r.Len())
	// Output: [0 0.5 1] 3
}

// A matrix is one value and one slice, with numbers instead of pointers.
func ExampleSlice() {
	type matrix struct {
		width int32
		cells ref.Slice[float64]
	}
	a := arena.NewArena()
	s := ref.In(a)
	r, m := ref.New[matrix](s)
	m.width = 3
	m.cells, _ = ref.NewSlice[float64](s, 2*3)
	*m.cells.At(s, 1*3+2) = 6 // row 1, column 2

	m = r.Get(s)
	fmt.Println(m.cells.Get(s), m.cells.Len()/int(m.width), "rows")
	// Output: [0 0 0 0 0 6] 2 rows
}

func ExampleString() {
	type user struct {
		name ref.String
		age  int32
	}
	a := arena.NewArena()
	s := ref.In(a)
	_, u := ref.New[user](s)
	u.name, u.age = ref.NewString(s, "Ada"), 36
	fmt.Println(u.name.Get(s), u.name.Len(), u.age)
	// Output: Ada 3 36
}

// What makes many values takes their slab once.
func ExampleSlabOf() {
	type node struct {
		left, right ref.Of[node]
	}
	a := arena.NewArena()
	s := ref.In(a)
	defer a.Free()
	nodes := ref.SlabOf[node](s)

	var grow func(depth int) ref.Of[node]
	grow = func(depth int) ref.Of[node] {
		r := nodes.New() // inlined
		if depth > 0 {
			left, right := grow(depth-1), grow(depth-1)
			*r.Get(s) = node{left, right}
		}
		return r
	}
	var count func(r ref.Of[node]) int
	count = func(r ref.Of[node]) int {
		if r.IsNil() {
			return 0
		}
		n := r.Get(s)
		return 1 + count(n.left) + count(n.right)
	}
	fmt.Println(count(grow(10)), "nodes")
	// Output: 2047 nodes
}

func ExampleList() {
	type word struct {
		text  ref.String
		lines ref.List[uint32]
	}
	a := arena.NewArena()
	s := ref.In(a)
	_, w := ref.New[word](s)
	w.text = ref.NewString(s, "arena")
	for line := range uint32(3) {
		w.lines.Append(s, line)
	}
	fmt.Println(w.text.Get(s), w.lines.Get(s))
	// Output: arena [0 1 2]
}

func ExampleList_Grow() {
	a := arena.NewArena()
	s := ref.In(a)
	var l ref.List[uint32]
	l.Grow(s, 1000) // no former memory is left behind on the way there
	used := a.Stats().RefBytes
	for i := range uint32(1000) {
		l.Append(s, i)
	}
	fmt.Println(l.Len(), a.Stats().RefBytes == used)
	// Output: 1000 true
}

// A list is a stack, with Append and Truncate.
func ExampleList_Truncate() {
	a := arena.NewArena()
	s := ref.In(a)
	var stack ref.List[uint32]
	stack.Append(s, 1, 2, 3)
	top := stack.Get(s)[stack.Len()-1]
	stack.Truncate(stack.Len() - 1)
	stack.Append(s, 4)
	fmt.Println(top, stack.Get(s))
	// Output: 3 [1 2 4]
}

// What changes for a long time is copied now and then, without what was deleted and overwritten.
func ExampleCopy() {
	old, m := arena.NewArena(), new(ref.TextMap[ref.String])
	inOld := ref.In(old)
	for i := range 10_000 {
		m.Set(inOld, fmt.Sprint("user ", i), ref.NewString(inOld, fmt.Sprint("session ", i)))
		m.Delete(inOld, fmt.Sprint("user ", i-10))
	}

	fresh, copied := arena.NewArena(), new(ref.TextMap[ref.String])
	inFresh := ref.In(fresh)
	ref.Copy(inFresh, copied, inOld, m)
	defer fresh.Free()
	fmt.Println(fresh.Stats().RefBytes < old.Stats().RefBytes/100)
	old.Free()

	session, _ := copied.Get(inFresh, "user 9995")
	fmt.Println(copied.Len(), session.Get(inFresh))
	// Output:
	// true
	// 10 session 9995
}

// A Bool makes a type plain that could not have a reference with a bool in it.
func ExampleBool() {
	type task struct {
		done ref.Bool
	}
	a := arena.NewArena()
	s := ref.In(a)
	_, t := ref.New[task](s)
	t.done = ref.BoolOf(true)
	fmt.Println(t.done, t.done.Is())
	// Output: true true
}

func ExampleBoolOf() {
	fmt.Println(ref.BoolOf(1 < 2))
	// Output: true
}

func ExampleBool_String() {
	fmt.Println(ref.BoolOf(true), ref.Bool(0))
	// Output: true false
}

func ExampleBool_MarshalJSON() {
	text, err := json.Marshal(struct{ Done ref.Bool }{ref.BoolOf(true)})
	fmt.Printf("%s %v\n", text, err)
	// Output: {"Done":true} <nil>
}

func ExampleBool_UnmarshalJSON() {
	var task struct{ Done ref.Bool }
	err := json.Unmarshal([]byte(`{"Done": true}`), &task)
	fmt.Println(task.Done.Is(), err)
	// Output: true <nil>
}

func ExampleBool_Format() {
	fmt.Printf("%t %5t\n", ref.BoolOf(true), ref.Bool(0))
	// Output: true false
}

// A page is a Region of fixed size, for references and nothing else. Regions of package offheap are
// files, which grow.
type page struct {
	bytes []byte
	user  ref.RegionUser
}

var (
	errPlain  = errors.New("a page is for references")
	errSealed = errors.New("the page is being sent")
	errClosed = errors.New("the page is gone")
	errFull   = errors.New("the page is full")
)

func newPage(size int) *page { return &page{bytes: make([]byte, size)[:8]} } // the first 8 bytes belong to the Region

func (p *page) Alloc(int) ([]byte, error) { return nil, errPlain }
func (p *page) Free([]byte)               {}

func (p *page) Grow(size int) ([]byte, error) {
	if size > cap(p.bytes) {
		return nil, errFull
	}
	p.bytes = p.bytes[:max(size, len(p.bytes))] // at the same address
	return p.bytes, nil
}

// Attach is called by the arena.
func (p *page) Attach(u ref.RegionUser) {
	p.user = u
	u.RefsOnly(errPlain)
}

// send ends writing, and after that the page. The arena knows it, so that a later use is an error.
func (p *page) send(to func([]byte)) {
	p.user.Seal(errSealed)
	to(p.bytes)
	p.user.Close(errClosed)
	p.bytes = nil
}

// A Region tells its arena what it can no longer do.
func ExampleRegionUser() {
	p := newPage(64 << 10)
	a := arena.NewWith(arena.Options{Name: "page", Memory: p})
	s := ref.In(a)
	r, v := ref.New[int64](s)
	*v = 7
	fmt.Println(errors.Unwrap(arena.Try(func() { arena.String(a, "text") })))

	p.send(func([]byte) {
		fmt.Println(*r.Get(s), "can be read")
		fmt.Println(arena.Try(func() { ref.New[int64](s) }))
	})
	func() {
		defer func() { fmt.Println(recover()) }()
		r.Get(s)
	}()
	a.Free()
	fmt.Println("in use:", p.user.InUse())
	// Output:
	// a page is for references
	// 7 can be read
	// arena: arena page cannot write to its Memory: the page is being sent
	// ref: a reference is used whose memory is gone: the page is gone
	// in use: false
}
