package ref_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
	"github.com/arena-go/arena/internal/tools"
	"github.com/arena-go/arena/ref"
)

// A tree of references, and one of pointers.
type (
	smallNode struct{ left, right ref.Of[smallNode] }
	ptrNode   struct{ left, right *ptrNode }
)

func makeTree(in ref.Space, s *ref.Slab[smallNode], depth int) ref.Of[smallNode] {
	r := s.New()
	if depth > 0 {
		n := r.Get(in)
		n.left, n.right = makeTree(in, s, depth-1), makeTree(in, s, depth-1)
	}
	return r
}

func countNodes(in ref.Space, r ref.Of[smallNode]) int {
	n := r.Get(in)
	if n.left.IsNil() {
		return 1
	}
	return 1 + countNodes(in, n.left) + countNodes(in, n.right)
}

// makeTrees does the work of the binary trees benchmark of the Benchmarks Game, at depth n.
func makeTrees(n int) int {
	count := func(a *arena.Arena, depth int) int {
		in := ref.In(a)
		return countNodes(in, makeTree(in, ref.SlabOf[smallNode](in), depth))
	}
	var stretch, long, a arena.Arena
	sum := count(&stretch, n+1)
	stretch.Free()
	root := makeTree(ref.In(&long), ref.SlabOf[smallNode](ref.In(&long)), n)
	for d := 4; d <= n; d += 2 {
		for range 1 << (n - d + 4) {
			sum += count(&a, d)
			a.Reset()
		}
	}
	return sum + countNodes(ref.In(&long), root)
}

func TestTrees(t *testing.T) {
	want := 1<<12 - 1 + 1<<11 - 1 // stretch and long
	for d := 4; d <= 10; d += 2 {
		want += 1 << (10 - d + 4) * (1<<(d+1) - 1)
	}
	if got := makeTrees(10); got != want {
		t.Errorf("%d nodes, want %d", got, want)
	}
}

func BenchmarkTrees(b *testing.B) {
	for b.Loop() {
		makeTrees(18)
	}
}

// BenchmarkGC measures a collection with a large tree alive, of references or of pointers.
func BenchmarkGC(b *testing.B) {
	const depth = 22 // 8 million nodes
	run := func(b *testing.B, tree any) {
		runtime.GC()
		for b.Loop() {
			runtime.GC()
		}
		runtime.KeepAlive(tree)
	}
	b.Run("of=ref", func(b *testing.B) {
		a := arena.NewArena()
		s := ref.In(a)
		makeTree(s, ref.SlabOf[smallNode](s), depth)
		run(b, a)
	})
	b.Run("of=pointer", func(b *testing.B) {
		var tree func(depth int) *ptrNode
		tree = func(depth int) *ptrNode {
			if depth == 0 {
				return new(ptrNode)
			}
			return &ptrNode{tree(depth - 1), tree(depth - 1)}
		}
		run(b, tree(depth))
	})
}

// panicText returns the text of the panic of f, or "".
func panicText(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

type (
	hasBool struct{ B bool }
	ofBool  struct{ R ref.Of[hasBool] }
	// derivedOf has the bits of a Ref without being one.
	derivedOf ref.Of[hasBool]
	ring      struct {
		Next ref.Of[ring]
		Back ref.Slice[otherType]
	}
	otherType struct {
		Ring ref.Of[ring]
		text ref.String
	}
	badRing struct {
		Next ref.Of[badOther]
	}
	badOther struct {
		Ring ref.Slice[badRing]
		P    ref.Of[*int]
	}
)

func refusesRef[T any](t *testing.T, refuses bool) {
	t.Helper()
	for how, f := range map[string]func(a *arena.Arena){
		"New":      func(a *arena.Arena) { ref.New[T](ref.In(a)) },
		"NewSlice": func(a *arena.Arena) { ref.NewSlice[T](ref.In(a), 1) },
		"SlabOf":   func(a *arena.Arena) { ref.SlabOf[T](ref.In(a)) },
		"At":       func(a *arena.Arena) { ref.At[T](ref.In(a), 0) },
	} {
		a := arena.NewArena()
		text := panicText(func() { f(a) })
		if refuses && (!ref.Ours(text) || !strings.Contains(text, reflect.TypeFor[T]().String())) || !refuses && text != "" {
			t.Errorf("%s[%v]: %q", how, reflect.TypeFor[T](), text)
		}
	}
}

// TestTypes checks that references are to plain types only, through other references as well.
func TestTypes(t *testing.T) {
	refusesRef[int](t, false)
	refusesRef[[3]complex64](t, false)
	refusesRef[smallNode](t, false)
	refusesRef[ring](t, false)
	refusesRef[otherType](t, false)
	refusesRef[ref.String](t, false)
	refusesRef[struct{}](t, false)
	refusesRef[bool](t, true)
	refusesRef[*int](t, true)
	refusesRef[string](t, true)
	refusesRef[hasBool](t, true)
	refusesRef[ofBool](t, true)
	refusesRef[derivedOf](t, true)
	refusesRef[struct{ derivedOf }](t, true)
	refusesRef[[2]ref.Slice[string]](t, true)
	refusesRef[[0]ref.Of[string]](t, false) // has no bits
	refusesRef[badRing](t, true)
	refusesRef[badOther](t, true)
}

// TestStale uses references that do not, or no longer, belong to an arena. If nothing looks for
// mistakes they may lead to another value of the arena; otherwise, and if there is no such value,
// Get panics.
func TestStale(t *testing.T) {
	const bad = "ref: a reference is used that does not lie in this Space"
	a, other := arena.NewArena(), arena.NewArena()
	inOther := ref.In(other)
	r, p := ref.New[int64](ref.In(a))
	big, _ := ref.NewSlice[int64](ref.In(a), 10_000)
	text := ref.NewString(ref.In(a), strings.Repeat("x", 10_000))
	*p = 7
	uses := map[string]func(s ref.Space){
		"Of":     func(s ref.Space) { r.Get(s) },
		"Slice":  func(s ref.Space) { big.Get(s) },
		"At":     func(s ref.Space) { big.At(s, 9_999) },
		"String": func(s ref.Space) { text.Get(s) },
	}
	check := func(state string, s ref.Space, want string) {
		t.Helper()
		for name, use := range uses {
			if got := panicText(func() { use(s) }); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s in the Space of an arena that is %s: %q", name, state, got)
			}
		}
	}
	s := ref.In(a)
	check("its own", s, "")
	check("zero", ref.Space{}, bad)
	check("unused", ref.In(new(arena.Arena)), bad)
	check("another, empty", inOther, bad)
	ref.New[int32](inOther)
	delete(uses, "Of") // there is something
	check("another", inOther, bad)
	a.Free()
	uses["Of"] = func(s ref.Space) { r.Get(s) }
	check("freed", s, "ref: the Space of an arena is used after Free")

	var pool arena.Pool
	a = pool.Get()
	s = ref.In(a)
	r, _ = ref.New[int64](s)
	delete(uses, "Slice")
	delete(uses, "At")
	delete(uses, "String")
	check("got", s, "")
	pool.Put(a)
	check("Put", s, "ref: the Space of an arena is used after Pool.Put")

	a = arena.NewArena()
	if got := panicText(func() { big.At(ref.In(a), 10_000) }); got == "" {
		t.Error("an index that is too large is not found")
	}
}

// TestSpaceUser follows a Space through what becomes of its arena: Reset keeps it, and what ends
// its user ends it.
func TestSpaceUser(t *testing.T) {
	if panicText(func() { ref.In(nil) }) == "" {
		t.Error("a nil arena has a Space")
	}
	use := func(s ref.Space) {
		var words ref.TextMap[int]
		words.Set(s, "a", 1)
		ref.SlabOf[[3]int64](s).New()
		ref.NewSlice[byte](s, 5000)
		if n, ok := words.Get(s, "a"); n != 1 || !ok {
			t.Errorf("the map has %d, %t", n, ok)
		}
	}
	ended := func(what string, s ref.Space, slab *ref.Slab[int64], r ref.Of[int64], m *ref.Map[int, int]) {
		t.Helper()
		for how, f := range map[string]func(){
			"New": func() { ref.New[int64](s) }, "Slab.New": func() { slab.New() }, "SlabOf": func() { ref.SlabOf[int64](s) },
			"NewSlice": func() { ref.NewSlice[int64](s, 0) }, "NewString": func() { ref.NewString(s, "") }, "Get": func() { r.Get(s) },
			"Map.Set": func() { m.Set(s, 1, 1) }, "Map.Get": func() { m.Get(s, 1) }, "Tree.Get": func() { new(ref.Tree[int, int]).Get(s, 1) },
			"Delete": func() { m.Delete(s, 1) }, "All": func() { m.All(s)(func(int, int) bool { return true }) },
			"Copy": func() { ref.Copy(s, new(int), s, new(int)) },
		} {
			if got := panicText(f); !strings.Contains(got, "is used after "+what) {
				t.Errorf("%s after %s: %q", how, what, got)
			}
		}
		if _, err := ref.At[int64](s, 1); err == nil {
			t.Errorf("At after %s returns no error", what)
		}
		if (ref.Of[int64]{}).Get(s) != nil || (ref.String{}).Get(s) != "" || len((ref.Slice[int]{}).Get(s)) != 0 {
			t.Errorf("zero references after %s", what)
		}
		if s.Bytes() != 0 {
			t.Errorf("%d bytes after %s", s.Bytes(), what)
		}
	}
	var pool arena.Pool
	g := arena.NewGroup()
	for round := range 50 {
		for what, c := range map[string]struct {
			get func() *arena.Arena
			end func(a *arena.Arena)
		}{
			"Free":                   {arena.NewArena, (*arena.Arena).Free},
			"Pool.Put":               {pool.Get, pool.Put},
			"the Reset of its Group": {g.Arena, func(*arena.Arena) { g.Reset() }},
		} {
			a := c.get()
			s := ref.In(a)
			if s.Bytes() != 0 {
				t.Errorf("%d bytes in a new Space", s.Bytes())
			}
			slab := ref.SlabOf[int64](s)
			for range 3 {
				use(s)
				slab.New()
				if ref.In(a) != s || s.Bytes() == 0 || s.Bytes() != a.Stats().RefBytes {
					t.Errorf("another Space, or %d bytes are %d", s.Bytes(), a.Stats().RefBytes)
				}
				if what != "the Reset of its Group" {
					a.Reset()
				}
			}
			use(s)
			r, m := slab.New(), new(ref.Map[int, int])
			m.Set(s, 1, 1)
			held := a.Stats().Reserved
			c.end(a)
			ended(what, s, slab, r, m)
			if what == "Pool.Put" && !tools.Checking && round > 0 && pool.Stats().Retained > 4*held {
				t.Errorf("the pool holds %d bytes, and the arena had %d", pool.Stats().Retained, held)
			}
		}
	}
	g.Free()
}

// TestValues checks what references are like as values.
func TestValues(t *testing.T) {
	a := arena.NewArena()
	space := ref.In(a)
	r, p := ref.New[otherType](space)
	if q := r; q != r || r.IsNil() || !(ref.Of[otherType]{}).IsNil() || r.Get(space) != p || (ref.Of[otherType]{}).Get(space) != nil {
		t.Error("references do not compare as they should")
	}
	m := map[ref.Of[otherType]]int{r: 1}
	if again, err := ref.At[otherType](space, r.Offset()); err != nil || m[again] != 1 {
		t.Error("At of Offset is another reference", err)
	}
	for _, offset := range []uint32{1, 31, r.Offset() + 1000, 1 << 31, 1<<32 - 1} {
		if _, err := ref.At[otherType](space, offset); err == nil || !strings.HasPrefix(err.Error(), "ref: At") {
			t.Errorf("At(%d), the only reference being %d: %v", offset, r.Offset(), err)
		}
	}
	for v, size := range map[any]uintptr{r: 4, ref.String{}: 8, ref.Slice[int]{}: 8} {
		if got := reflect.TypeOf(v).Size(); got != size {
			t.Errorf("%T has %d bytes", v, got)
		}
	}
	if reflect.TypeFor[ref.Of[int]]().ConvertibleTo(reflect.TypeFor[ref.Of[bool]]()) {
		t.Error("a reference can be converted into one to another type")
	}
	s, v := ref.NewSlice[uint16](space, 5)
	copy(v, []uint16{1, 2, 3, 4, 5})
	if got := s.Get(space); !slices.Equal(got, v) || cap(got) != 5 || *s.At(space, 4) != 5 || s.Len() != 5 {
		t.Errorf("a slice is %v", got)
	}
	p.text = ref.NewString(space, "text")
	if got := r.Get(space).text.Get(space); got != "text" {
		t.Errorf("a text is %q", got)
	}
}

// TestFull checks what is said of what is too large.
func TestFull(t *testing.T) {
	a := arena.NewWith(arena.Options{Limit: 1 << 20})
	s := ref.In(a)
	for name, f := range map[string]func(){
		"string": func() { ref.NewString(s, strings.Repeat("x", 1<<20+1)) },
		"slice":  func() { ref.NewSlice[int64](s, 1<<25) },
		"huge":   func() { ref.NewSlice[[1 << 20]int64](s, 1<<4) },
		"value":  func() { ref.New[[1 << 20]int64](s) },
	} {
		if err := arena.Try(f); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := a.Stats().InUse; got != 0 {
			t.Errorf("%s: %d bytes in use after a failure", name, got)
		}
	}
	if text := panicText(func() { ref.NewSlice[int](s, -1) }); !ref.Ours(text) {
		t.Errorf("a slice of length -1: %q", text)
	}
	if text := panicText(func() { ref.NewSlice[struct{}](s, math.MaxInt) }); !strings.Contains(text, "bytes: references reach no further") && strconv.IntSize == 64 {
		t.Errorf("a slice of %d values without a size: %q", math.MaxInt, text)
	}
	// What has failed does not stand in the way.
	if r, p := ref.New[int](s); r.Get(s) != p {
		t.Error("nothing goes any more")
	}
}

// TestRounds checks that an arena whose memory is short goes on for ever: where each round ends
// with a chunk that is smaller than it might be, the numbers of references must not run out.
func TestRounds(t *testing.T) {
	for _, most := range []int{20_000, 1 << 30} {
		a := arena.NewWith(arena.Options{Limit: 1 << 20})
		s := ref.In(a)
		least := 1 << 30
		for range ref.Few(60) {
			n := 0
			err := arena.Try(func() {
				for ; n < most; n++ {
					ref.New[[4]int64](s)
				}
			})
			if least = min(least, n); n < most && err == nil {
				t.Fatal("no error")
			}
			a.Reset()
		}
		if least < 20_000 {
			t.Errorf("a round has only %d references", least)
		}
	}
}

// TestGroup checks that references go on in the next round of a Group, with handles to the former
// one.
func TestGroup(t *testing.T) {
	g := arena.NewGroup()
	a := g.Arena()
	space := ref.In(a)
	s := ref.SlabOf[int64](space)
	s.New()
	ref.New[int64](space)
	g.Reset()
	if r, p := ref.New[int64](ref.In(g.Arena())); r.IsNil() || *p != 0 {
		t.Error("no reference")
	}
	for _, s := range []*ref.Slab[int64]{s, new(ref.Slab[int64])} {
		if text := panicText(func() { s.New() }); !ref.Ours(text) {
			t.Errorf("New of a Slab without an arena: %q", text)
		}
	}
}

// TestBytes checks that Stats counts what was handed out, and not the numbers of references that
// nobody has.
func TestBytes(t *testing.T) {
	a := arena.NewArena()
	space := ref.In(a)
	for range 3 {
		for i, n := range []int{1, 1_000_000, 50} {
			before := a.Stats()
			ref.NewSlice[int64](space, n)
			after := a.Stats()
			if more := after.RefBytes - before.RefBytes; more < int64(8*n) || after.RefBytes > after.Reserved || i == 0 && more > 64 {
				t.Errorf("%d more bytes for %d, %d in all, of %d", more, 8*n, after.RefBytes, after.Reserved)
			}
		}
		a.Reset()
		if s := a.Stats(); s.RefBytes != 0 {
			t.Errorf("%d bytes after Reset", s.RefBytes)
		}
	}
}

// TestEnd checks that no reference leads to the end of a chunk, where another value of the heap may
// begin: nor does a reference to a value without size.
func TestEnd(t *testing.T) {
	const first, second = 64 << 10, 72 << 10
	a := arena.NewWith(arena.Options{Limit: first + second}) // which makes the second chunk smaller than others
	space := ref.In(a)
	ref.NewSlice[byte](space, first)
	s, _ := ref.NewSlice[byte](space, second)
	if s.Len() != second || a.Stats().Reserved != first+second {
		t.Skipf("the chunks are others: %+v", a.Stats())
	}
	if r, err := ref.At[struct{}](space, uint32(region.Limit(share.SpaceOf(a.Internal()))/region.Granule)); err == nil {
		t.Errorf("a reference to the end: %p", r.Get(space))
	}
}

// TestClone checks that DeepClone gives a clone a slab of references without an arena.
func TestClone(t *testing.T) {
	type holder struct{ slab *ref.Slab[int64] }
	a := arena.NewArena()
	space := ref.In(a)
	s := ref.SlabOf[int64](space)
	s.New()
	c := arena.DeepClone(holder{s})
	if text := panicText(func() { c.slab.New() }); c.slab == s || !strings.HasPrefix(text, "ref: a Slab is used") {
		t.Errorf("the clone has a slab of its own: %q", text)
	}
}
