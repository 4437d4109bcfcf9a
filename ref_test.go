package arena_test

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
)

// A tree of references, and one of pointers.
type (
	refNode struct{ left, right arena.Ref[refNode] }
	ptrNode struct{ left, right *ptrNode }
)

func refTree(a *arena.Arena, s *arena.RefSlab[refNode], depth int) arena.Ref[refNode] {
	r := s.New()
	if depth > 0 {
		n := r.Get(a)
		n.left, n.right = refTree(a, s, depth-1), refTree(a, s, depth-1)
	}
	return r
}

func refCount(a *arena.Arena, r arena.Ref[refNode]) int {
	n := r.Get(a)
	if n.left.IsNil() {
		return 1
	}
	return 1 + refCount(a, n.left) + refCount(a, n.right)
}

// refTrees does the work of the binary trees benchmark of the Benchmarks Game, at depth n.
func refTrees(n int) int {
	count := func(a *arena.Arena, depth int) int {
		return refCount(a, refTree(a, arena.RefSlabOf[refNode](a), depth))
	}
	var stretch, long, a arena.Arena
	sum := count(&stretch, n+1)
	stretch.Free()
	root := refTree(&long, arena.RefSlabOf[refNode](&long), n)
	for d := 4; d <= n; d += 2 {
		for range 1 << (n - d + 4) {
			sum += count(&a, d)
			a.Reset()
		}
	}
	return sum + refCount(&long, root)
}

func TestRefTrees(t *testing.T) {
	want := 1<<12 - 1 + 1<<11 - 1 // stretch and long
	for d := 4; d <= 10; d += 2 {
		want += 1 << (10 - d + 4) * (1<<(d+1) - 1)
	}
	if got := refTrees(10); got != want {
		t.Errorf("%d nodes, want %d", got, want)
	}
}

func BenchmarkRefTrees(b *testing.B) {
	for b.Loop() {
		refTrees(18)
	}
}

// BenchmarkRefGC measures a collection with a large tree alive, of references or of pointers.
func BenchmarkRefGC(b *testing.B) {
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
		refTree(a, arena.RefSlabOf[refNode](a), depth)
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
	refBool   struct{ B bool }
	refOfBool struct{ R arena.Ref[refBool] }
	// refDerived has the bits of a Ref without being one.
	refDerived arena.Ref[refBool]
	refRing    struct {
		Next arena.Ref[refRing]
		Back arena.RefSlice[refOther]
	}
	refOther struct {
		Ring arena.Ref[refRing]
		text arena.RefString
	}
	refBadRing struct {
		Next arena.Ref[refBadOther]
	}
	refBadOther struct {
		Ring arena.RefSlice[refBadRing]
		P    arena.Ref[*int]
	}
)

func refusesRef[T any](t *testing.T, refuses bool) {
	t.Helper()
	for how, f := range map[string]func(a *arena.Arena){
		"NewRef":      func(a *arena.Arena) { arena.NewRef[T](a) },
		"NewRefSlice": func(a *arena.Arena) { arena.NewRefSlice[T](a, 1) },
		"RefSlabOf":   func(a *arena.Arena) { arena.RefSlabOf[T](a) },
		"RefAt":       func(a *arena.Arena) { arena.RefAt[T](a, 0) },
	} {
		a := arena.NewArena()
		text := panicText(func() { f(a) })
		if refuses && (!strings.HasPrefix(text, "arena: ") || !strings.Contains(text, reflect.TypeFor[T]().String())) || !refuses && text != "" {
			t.Errorf("%s[%v]: %q", how, reflect.TypeFor[T](), text)
		}
	}
}

// TestRefTypes checks that references are to plain types only, through other references as well.
func TestRefTypes(t *testing.T) {
	refusesRef[int](t, false)
	refusesRef[[3]complex64](t, false)
	refusesRef[refNode](t, false)
	refusesRef[refRing](t, false)
	refusesRef[refOther](t, false)
	refusesRef[arena.RefString](t, false)
	refusesRef[struct{}](t, false)
	refusesRef[bool](t, true)
	refusesRef[*int](t, true)
	refusesRef[string](t, true)
	refusesRef[refBool](t, true)
	refusesRef[refOfBool](t, true)
	refusesRef[refDerived](t, true)
	refusesRef[struct{ refDerived }](t, true)
	refusesRef[[2]arena.RefSlice[string]](t, true)
	refusesRef[[0]arena.Ref[string]](t, false) // has no bits
	refusesRef[refBadRing](t, true)
	refusesRef[refBadOther](t, true)
}

// TestRefStale uses references that are not, or no longer, those of an arena. Where nothing looks for
// mistakes they may lead to another value of the arena; otherwise, and where there is none, Get panics.
func TestRefStale(t *testing.T) {
	const bad = "arena: a reference is used that does not lie in this arena"
	a, other := arena.NewArena(), arena.NewArena()
	r, p := arena.NewRef[int64](a)
	big, _ := arena.NewRefSlice[int64](a, 10_000)
	text := arena.NewRefString(a, strings.Repeat("x", 10_000))
	*p = 7
	uses := map[string]func(a *arena.Arena){
		"Ref":       func(a *arena.Arena) { r.Get(a) },
		"RefSlice":  func(a *arena.Arena) { big.Get(a) },
		"At":        func(a *arena.Arena) { big.At(a, 9_999) },
		"RefString": func(a *arena.Arena) { text.Get(a) },
	}
	check := func(state string, a *arena.Arena, want string) {
		t.Helper()
		for name, use := range uses {
			if got := panicText(func() { use(a) }); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s in an arena that is %s: %q", name, state, got)
			}
		}
	}
	check("its own", a, "")
	check("nil", nil, bad)
	check("zero", new(arena.Arena), bad)
	check("another, empty", other, bad)
	arena.NewRef[int32](other)
	delete(uses, "Ref") // there is something
	check("another", other, bad)
	a.Free()
	uses["Ref"] = func(a *arena.Arena) { r.Get(a) }
	check("freed", a, bad)

	var pool arena.Pool
	a = pool.Get()
	r, _ = arena.NewRef[int64](a)
	delete(uses, "RefSlice")
	delete(uses, "At")
	delete(uses, "RefString")
	check("got", a, "")
	pool.Put(a)
	check("Put", a, bad)

	a = arena.NewArena()
	if got := panicText(func() { big.At(a, 10_000) }); got == "" {
		t.Error("an index that is too large is not found")
	}
}

// TestRefValues checks what references are like as values.
func TestRefValues(t *testing.T) {
	a := arena.NewArena()
	r, p := arena.NewRef[refOther](a)
	if q := r; q != r || r.IsNil() || !(arena.Ref[refOther]{}).IsNil() || r.Get(a) != p || (arena.Ref[refOther]{}).Get(a) != nil {
		t.Error("references do not compare as they should")
	}
	m := map[arena.Ref[refOther]]int{r: 1}
	if again, err := arena.RefAt[refOther](a, r.Offset()); err != nil || m[again] != 1 {
		t.Error("RefAt of Offset is another reference", err)
	}
	for _, offset := range []uint32{1, 31, r.Offset() + 1000, 1 << 31, 1<<32 - 1} {
		if _, err := arena.RefAt[refOther](a, offset); err == nil || !strings.HasPrefix(err.Error(), "arena: RefAt") {
			t.Errorf("RefAt(%d), the only reference being %d: %v", offset, r.Offset(), err)
		}
	}
	for v, size := range map[any]uintptr{r: 4, arena.RefString{}: 8, arena.RefSlice[int]{}: 8} {
		if got := reflect.TypeOf(v).Size(); got != size {
			t.Errorf("%T has %d bytes", v, got)
		}
	}
	if reflect.TypeFor[arena.Ref[int]]().ConvertibleTo(reflect.TypeFor[arena.Ref[bool]]()) {
		t.Error("a reference can be converted into one to another type")
	}
	s, v := arena.NewRefSlice[uint16](a, 5)
	copy(v, []uint16{1, 2, 3, 4, 5})
	if got := s.Get(a); !slices.Equal(got, v) || cap(got) != 5 || *s.At(a, 4) != 5 || s.Len() != 5 {
		t.Errorf("a slice is %v", got)
	}
	p.text = arena.NewRefString(a, "text")
	if got := r.Get(a).text.Get(a); got != "text" {
		t.Errorf("a text is %q", got)
	}
}

// TestRefFull checks what is said of what is too large.
func TestRefFull(t *testing.T) {
	a := arena.NewWith(arena.Options{Limit: 1 << 20})
	for name, f := range map[string]func(){
		"string": func() { arena.NewRefString(a, strings.Repeat("x", 1<<20+1)) },
		"slice":  func() { arena.NewRefSlice[int64](a, 1<<25) },
		"huge":   func() { arena.NewRefSlice[[1 << 20]int64](a, 1<<4) },
		"value":  func() { arena.NewRef[[1 << 20]int64](a) },
	} {
		if err := arena.Try(f); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := a.Stats().InUse; got != 0 {
			t.Errorf("%s: %d bytes in use after a failure", name, got)
		}
	}
	if text := panicText(func() { arena.NewRefSlice[int](a, -1) }); !strings.HasPrefix(text, "arena: ") {
		t.Errorf("a slice of length -1: %q", text)
	}
	if text := panicText(func() { arena.NewRefSlice[struct{}](a, math.MaxInt) }); !strings.Contains(text, "bytes: references reach no further") && strconv.IntSize == 64 {
		t.Errorf("a slice of %d values without a size: %q", math.MaxInt, text)
	}
	// What has failed does not stand in the way.
	if r, p := arena.NewRef[int](a); r.Get(a) != p {
		t.Error("nothing goes any more")
	}
}

// TestRefRounds checks that an arena whose memory is short goes on for ever: where each round ends with a chunk that
// is smaller than it might be, the numbers of references must not run out.
func TestRefRounds(t *testing.T) {
	for _, most := range []int{20_000, 1 << 30} {
		a := arena.NewWith(arena.Options{Limit: 1 << 20})
		least := 1 << 30
		for range arena.Few(60) {
			n := 0
			err := arena.Try(func() {
				for ; n < most; n++ {
					arena.NewRef[[4]int64](a)
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

// TestRefGroup checks that references go on in the next round of a Group, with handles to the former one.
func TestRefGroup(t *testing.T) {
	g := arena.NewGroup()
	a := g.Arena()
	s := arena.RefSlabOf[int64](a)
	s.New()
	arena.NewRef[int64](a)
	g.Reset()
	if r, p := arena.NewRef[int64](g.Arena()); r.IsNil() || *p != 0 {
		t.Error("no reference")
	}
	for _, s := range []*arena.RefSlab[int64]{s, new(arena.RefSlab[int64])} {
		if text := panicText(func() { s.New() }); !strings.HasPrefix(text, "arena: ") {
			t.Errorf("New of a RefSlab without an arena: %q", text)
		}
	}
}

// TestRefBytes checks that Stats counts what was handed out, and not the numbers of references that nobody has.
func TestRefBytes(t *testing.T) {
	a := arena.NewArena()
	for range 3 {
		for i, n := range []int{1, 1_000_000, 50} {
			before := a.Stats()
			arena.NewRefSlice[int64](a, n)
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

// TestRefEnd checks that no reference leads to the end of a chunk, where another value of the heap may begin: not
// that of a value without size either.
func TestRefEnd(t *testing.T) {
	const first, second = 64 << 10, 72 << 10
	a := arena.NewWith(arena.Options{Limit: first + second}) // which makes the second chunk smaller than others
	arena.NewRefSlice[byte](a, first)
	s, _ := arena.NewRefSlice[byte](a, second)
	if s.Len() != second || a.Stats().Reserved != first+second {
		t.Skipf("the chunks are others: %+v", a.Stats())
	}
	if r, err := arena.RefAt[struct{}](a, arena.RefEnd(a)); err == nil {
		t.Errorf("a reference to the end: %p", r.Get(a))
	}
}

// TestRefClone checks that DeepClone gives a clone a slab of references without an arena.
func TestRefClone(t *testing.T) {
	type holder struct{ slab *arena.RefSlab[int64] }
	a := arena.NewArena()
	s := arena.RefSlabOf[int64](a)
	s.New()
	c := arena.DeepClone(holder{s})
	if text := panicText(func() { c.slab.New() }); c.slab == s || !strings.HasPrefix(text, "arena: a RefSlab is used") {
		t.Errorf("the clone has a slab of its own: %q", text)
	}
}
