package ref_test

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// A treeAPI is what a Tree and a TextTree have in common: all.
type treeAPI[K, V any] interface {
	Len() int
	Get(s ref.Space, k K) (V, bool)
	Lookup(s ref.Space, k K) *V
	Entry(s ref.Space, k K) *V
	Set(s ref.Space, k K, v V)
	Delete(s ref.Space, k K) bool
	Clear(s ref.Space)
	Min(s ref.Space) (K, V, bool)
	Max(s ref.Space) (K, V, bool)
	All(s ref.Space) iter.Seq2[K, V]
	Backward(s ref.Space) iter.Seq2[K, V]
	From(s ref.Space, k K) iter.Seq2[K, V]
	BackwardFrom(s ref.Space, k K) iter.Seq2[K, V]
	Range(s ref.Space, low, high K) iter.Seq2[K, V]
	Check(s ref.Space) (leaves, inners int, err error)
}

// A treeRegion is a Region in memory of a fixed size. It fails at random if flaky is not nil.
type treeRegion struct {
	mem   []byte
	used  int
	flaky *rand.Rand
}

var errRefTreeFull = errors.New("the region is full")

func newRefTreeRegion(size int) *treeRegion {
	return &treeRegion{mem: make([]byte, size), used: 8}
}

func (g *treeRegion) Grow(size int) ([]byte, error) {
	if size > len(g.mem) || size > g.used && g.flaky != nil && g.flaky.IntN(2) == 0 {
		return nil, errRefTreeFull
	}
	g.used = max(g.used, size)
	return g.mem[:g.used], nil
}

func (g *treeRegion) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (g *treeRegion) Free([]byte)                    {}

// copy returns a region with the same bytes.
func (g *treeRegion) copy() *treeRegion {
	return &treeRegion{mem: slices.Clone(g.mem), used: g.used}
}

// A treeGame plays random operations on a tree and on a model, a slice in order.
type treeGame[K any] struct {
	t       *testing.T
	r       *rand.Rand
	a       *arena.Arena
	tree    treeAPI[K, int64]
	key     func(int) K
	compare func(x, y K) int
	model   []treeEntry[K]
	span    int
	last    int64
	may     bool // operations may fail for lack of memory
	failed  int
	broken  bool // the tree is damaged, and nothing is compared
}

type treeEntry[K any] struct {
	k K
	v int64
}

// at returns where k is in the model, or would be.
func (g *treeGame[K]) at(k K) (int, bool) {
	return slices.BinarySearchFunc(g.model, k, func(e treeEntry[K], k K) int { return g.compare(e.k, k) })
}

func (g *treeGame[K]) fail(format string, args ...any) {
	g.t.Helper()
	if !g.broken {
		g.t.Fatalf(format, args...)
	}
}

func (g *treeGame[K]) set(k K) {
	g.last++
	set := func() { g.tree.Set(ref.In(g.a), k, g.last) }
	i, ok := g.at(k)
	if g.r.IntN(2) == 0 {
		set = func() {
			p := g.tree.Entry(ref.In(g.a), k)
			if !ok && *p != 0 || ok && !g.broken && *p != g.model[i].v {
				g.fail("Entry(%v) is %d", k, *p)
			}
			*p = g.last
		}
	}
	if g.may {
		if arena.Try(set) != nil {
			g.failed++
			if ok {
				g.fail("Set(%v) of a key that is there failed", k)
			}
			return
		}
	} else {
		set()
	}
	if g.broken {
		return
	}
	if ok {
		g.model[i].v = g.last
	} else {
		g.model = slices.Insert(g.model, i, treeEntry[K]{k, g.last})
	}
}

func (g *treeGame[K]) delete(k K) {
	i, ok := g.at(k)
	if got := g.tree.Delete(ref.In(g.a), k); got != ok {
		g.fail("Delete(%v) is %t", k, got)
	}
	if ok {
		g.model = slices.Delete(g.model, i, i+1)
	}
}

func (g *treeGame[K]) get(k K) {
	i, ok := g.at(k)
	v, got := g.tree.Get(ref.In(g.a), k)
	p := g.tree.Lookup(ref.In(g.a), k)
	if got != ok || (p != nil) != ok || ok && (v != g.model[i].v || *p != v) {
		g.fail("Get(%v) is %d, %t, Lookup %v", k, v, got, p)
	}
}

// iterate compares an iterator with the model, and changes both meanwhile.
func (g *treeGame[K]) iterate() {
	k, high := g.random(), g.random()
	var next int // of the model
	var entries iter.Seq2[K, int64]
	step, end := 1, func(K) bool { return false }
	switch g.r.IntN(5) {
	case 0:
		entries = g.tree.All(ref.In(g.a))
	case 1:
		entries, step, next = g.tree.Backward(ref.In(g.a)), -1, len(g.model)-1
	case 2:
		entries = g.tree.From(ref.In(g.a), k)
		next, _ = g.at(k)
	case 3:
		entries, step = g.tree.BackwardFrom(ref.In(g.a), k), -1
		i, ok := g.at(k)
		if next = i; !ok {
			next--
		}
	case 4:
		entries = g.tree.Range(ref.In(g.a), k, high)
		next, _ = g.at(k)
		end = func(k K) bool { return g.compare(k, high) >= 0 }
	}
	change, stop := g.r.IntN(3) == 0, g.r.IntN(2*len(g.model)+2)
	changes, count := 0, 0
	for k, v := range entries {
		if !g.broken && (next < 0 || next >= len(g.model) || end(g.model[next].k) || g.compare(g.model[next].k, k) != 0 || g.model[next].v != v) {
			g.fail("an iterator is at %v, %d, entry %d of the model", k, v, next)
		}
		if count++; count > 1e6 {
			g.t.Fatal("an iterator does not end")
		}
		if stop--; stop == 0 {
			return
		}
		if change && changes < 200 && g.r.IntN(8) == 0 {
			changes++
			for range g.r.IntN(20) {
				switch g.r.IntN(6) {
				case 0:
					g.delete(k)
				case 1, 2:
					g.delete(g.random())
				default:
					g.set(g.random())
				}
			}
			if g.r.IntN(64) == 0 {
				g.clear()
			}
		}
		i, ok := g.at(k)
		if next = i + step; !ok && step > 0 {
			next--
		}
	}
	if !g.broken && next >= 0 && next < len(g.model) && !end(g.model[next].k) {
		g.fail("an iterator ends before entry %d of %d", next, len(g.model))
	}
}

func (g *treeGame[K]) clear() {
	g.tree.Clear(ref.In(g.a))
	g.model = g.model[:0]
}

func (g *treeGame[K]) ends() {
	low, v, ok := g.tree.Min(ref.In(g.a))
	high, w, ok2 := g.tree.Max(ref.In(g.a))
	n := len(g.model)
	if ok != (n > 0) || ok2 != (n > 0) {
		g.fail("Min is %v %d %t, Max is %v %d %t, of %d entries", low, v, ok, high, w, ok2, n)
	}
	if ok && !g.broken && (g.compare(low, g.model[0].k) != 0 || v != g.model[0].v || g.compare(high, g.model[n-1].k) != 0 || w != g.model[n-1].v) {
		g.fail("Min is %v %d, Max is %v %d", low, v, high, w)
	}
}

func (g *treeGame[K]) random() K { return g.key(g.r.IntN(g.span)) }

// step does something, to one key or to many.
func (g *treeGame[K]) step() {
	many := 1 + g.r.IntN(1+g.r.IntN(300))
	at := g.r.IntN(g.span)
	switch g.r.IntN(24) {
	case 0:
		for i := range many {
			g.set(g.key((at + i) % g.span))
		}
	case 1:
		for i := range many {
			g.set(g.key((at + g.span - i%g.span) % g.span))
		}
	case 2, 3:
		for i := range many {
			g.delete(g.key((at + i) % g.span))
		}
	case 4:
		for range 3 * many {
			g.delete(g.random())
		}
	case 5, 6, 7:
		for range many {
			g.set(g.random())
		}
	case 8: // a queue
		for range min(many, len(g.model)) {
			if g.broken {
				break
			}
			g.delete(g.model[0].k)
		}
	case 9:
		if g.r.IntN(10) == 0 {
			g.clear()
		}
	case 10, 11, 12:
		g.iterate()
	case 13:
		g.ends()
	case 14, 15, 16:
		g.delete(g.random())
	case 17, 18, 19:
		g.set(g.random())
	default:
		g.get(g.random())
	}
	if g.tree.Len() != len(g.model) {
		g.fail("Len is %d, want %d", g.tree.Len(), len(g.model))
	}
}

// check checks the nodes, and that none is lost.
func (g *treeGame[K]) check() (leaves, inners int) {
	leaves, inners, err := g.tree.Check(ref.In(g.a))
	if err != nil {
		g.t.Fatal(err)
	}
	return leaves, inners
}

func (g *treeGame[K]) equal() {
	i := 0
	for k, v := range g.tree.All(ref.In(g.a)) {
		if i == len(g.model) || g.compare(k, g.model[i].k) != 0 || v != g.model[i].v {
			g.t.Fatalf("entry %d is %v %d", i, k, v)
		}
		i++
	}
	if i != len(g.model) {
		g.t.Fatalf("%d entries, want %d", i, len(g.model))
	}
}

// treeOptions are ways to have an arena.
func treeOptions(r *rand.Rand) map[string]arena.Options {
	region := newRefTreeRegion(8 << 20)
	flaky := newRefTreeRegion(8 << 20)
	flaky.flaky = r
	return map[string]arena.Options{
		"heap":   {},
		"guard":  {Guard: true},
		"limit":  {Limit: 60000},
		"region": {Memory: region},
		"flaky":  {Memory: flaky},
		"full":   {Memory: newRefTreeRegion(40000)},
	}
}

func TestTree(t *testing.T) {
	testRefTree(t, "uint64", 1<<12, func() treeAPI[uint64, int64] { return new(ref.Tree[uint64, int64]) }, cmp.Compare,
		func(i int) uint64 { return uint64(i) * 0xABCDEF0123456 })
	testRefTree(t, "int8", 256, func() treeAPI[int8, int64] { return new(ref.Tree[int8, int64]) }, cmp.Compare,
		func(i int) int8 { return int8(i) })
	testRefTree(t, "float64", 1000, func() treeAPI[float64, int64] { return new(ref.Tree[float64, int64]) }, cmp.Compare,
		func(i int) float64 {
			return []float64{math.NaN(), -float64(i), math.Inf(1), math.Copysign(0, -1), float64(i), 0, -math.NaN(), math.Inf(-1)}[i&7]
		})
	testRefTree(t, "text", 1<<12, func() treeAPI[string, int64] { return new(ref.TextTree[int64]) }, cmp.Compare, textFor)
}

// textFor returns one of many texts, of which some are prefixes of others, or differ in zeros at
// the end.
func textFor(i int) string {
	return strings.Repeat("\x00", i%3) + strings.Repeat("prefix", i/3%4) + fmt.Sprintf("%x", i/12)[:min(i%5, len(fmt.Sprintf("%x", i/12)))] + strings.Repeat("\x00", i%7)
}

func testRefTree[K any](t *testing.T, name string, span int, tree func() treeAPI[K, int64], compare func(x, y K) int, key func(int) K) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for options, o := range treeOptions(r) {
		t.Run(name+"/"+options, func(t *testing.T) {
			a := arena.NewWith(o)
			defer a.Free()
			steps, rounds := 600, 3
			if !testrun.Long() || options == "guard" {
				steps = 100
			}
			for round := range rounds {
				g := &treeGame[K]{t: t, r: r, a: a, tree: tree(), key: key, compare: compare, span: span}
				g.may = options == "limit" || options == "flaky" || options == "full"
				if round == 1 {
					g.span = 40 // of a few leaves
				}
				before := nodesIn(a)
				for i := range steps {
					g.step()
					if i%10 == 0 {
						g.check()
					}
				}
				g.equal()
				leaves, inners := g.check()
				if after := nodesIn(a); after-before != leaves+inners {
					t.Errorf("the tree has %d leaves and %d inner nodes, the arena has got %d more", leaves, inners, after-before)
				}
				if o.Memory == nil && round == 1 {
					a.Reset()
				}
			}
		})
	}
}

// nodesIn returns how many nodes of trees are in a.
func nodesIn(a *arena.Arena) (n int) {
	for _, t := range a.Stats().Types {
		if strings.HasPrefix(t.Name, "ref.treeLeaf[") || strings.HasPrefix(t.Name, "ref.treeInner[") {
			n += int(t.Count)
		}
	}
	return n
}

// TestTreeLimit checks that a tree is as it was after Set has failed, whichever of the nodes that
// it needs was the first without room, and that it can be used further.
func TestTreeLimit(t *testing.T) {
	step := int64(104)
	if !testrun.Long() {
		step *= 9
	}
	for limit := int64(600); limit < 60000; limit += step {
		r := rand.New(rand.NewPCG(uint64(limit), 0))
		key := func(i int) string { return fmt.Sprint(uint32(i) * 0x9E3779B9 >> (limit % 3 * 4)) }
		if limit%5 == 0 {
			key = func(i int) string { return fmt.Sprintf("%08d", i) }
		}
		a := arena.NewWith(arena.Options{Limit: limit})
		g := &treeGame[string]{t: t, r: r, a: a, tree: new(ref.TextTree[int64]), compare: cmp.Compare[string], key: key, span: 1e9, may: true}
		n := 0
		for ; g.failed == 0; n++ {
			g.set(key(n))
		}
		g.equal()
		g.check()
		for i := range n {
			if i%7 != 0 {
				g.delete(key(i))
			}
		}
		g.equal()
		g.check()
		if n := nodesIn(a); n > 0 && g.tree.Len() > 0 {
			// There is no room for text, except for empty text.
			g.failed = 0
			if g.set(""); g.failed > 0 {
				t.Fatalf("limit %d: %d nodes for %d entries, and no room for one more", limit, n, g.tree.Len())
			}
		}
		g.equal()
	}
}

// TestTreeDense checks what a tree takes: of keys that come in order no more than the entries, and
// not much more after most were deleted and others came.
func TestTreeDense(t *testing.T) {
	n := max(ref.Few(50_000), 10_000)
	for name, key := range map[string]func(int) uint64{
		"up":     func(i int) uint64 { return uint64(i) },
		"down":   func(i int) uint64 { return ^uint64(i) },
		"random": func(i int) uint64 { return uint64(i) * 0x9E3779B97F4A7C15 },
	} {
		t.Run(name, func(t *testing.T) {
			a := arena.NewArena()
			s := ref.In(a)
			var tree ref.Tree[uint64, uint64]
			for i := range n {
				tree.Set(s, key(i), 1)
			}
			most := 17.2
			if name == "random" {
				most = 28
			}
			bytes := float64(a.Stats().InUse) / float64(n)
			if bytes > most {
				t.Errorf("%.2f bytes an entry, want %v at most", bytes, most)
			}
			// As a queue it takes no more for ever.
			for i := range 5 * n {
				if !tree.Delete(s, key(i)) {
					t.Fatalf("key %d is not there", i)
				}
				tree.Set(s, key(n+i), 1)
			}
			if bytes := float64(a.Stats().InUse) / float64(n); bytes > 1.6*max(most, 24) {
				t.Errorf("%.2f bytes an entry after deletions", bytes)
			}
			// What is left when one in twenty stays is in few nodes: the others can be used again.
			for i := range n {
				if i%20 != 0 {
					tree.Delete(s, key(5*n+i))
				}
			}
			used := a.Stats().InUse
			for i := range n * 5 / 10 {
				tree.Set(s, key(20*n+i), 1)
			}
			if a.Stats().InUse != used {
				t.Error("nodes that are free were not used")
			}
			if _, _, err := tree.Check(s); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTreeReopened checks that a tree in a region is the same in a copy of that, in another arena,
// and that the copy can be changed.
func TestTreeReopened(t *testing.T) {
	type index struct {
		byID   ref.Tree[uint32, ref.String]
		byName ref.TextTree[uint32]
		nested ref.Tree[int16, ref.Tree[int64, float64]]
	}
	region := newRefTreeRegion(4 << 20)
	a := arena.NewWith(arena.Options{Memory: region})
	space := ref.In(a)
	root, x := ref.New[index](space)
	const n = 3000
	for i := range uint32(n) {
		name := fmt.Sprint("name ", i)
		x.byID.Set(space, i, ref.NewString(space, name))
		x.byName.Set(space, name, i)
		x.nested.Entry(space, int16(i%100)).Set(space, -int64(i), float64(i))
	}
	for i := range uint32(n) {
		if i%3 == 0 {
			x.byID.Delete(space, i)
		}
	}
	for name, g := range map[string]*treeRegion{"first": region.copy(), "second": region.copy()} {
		b := arena.NewWith(arena.Options{Memory: g})
		inB := ref.In(b)
		root, err := ref.At[index](inB, root.Offset())
		if err != nil {
			t.Fatal(err)
		}
		y := root.Get(inB)
		if y.byID.Len() != 2*n/3 || y.byName.Len() != n || y.nested.Len() != 100 {
			t.Fatalf("%s: %d, %d and %d entries", name, y.byID.Len(), y.byName.Len(), y.nested.Len())
		}
		for i := range uint32(n) {
			want := fmt.Sprint("name ", i)
			if s, ok := y.byID.Get(inB, i); ok != (i%3 != 0) || ok && s.Get(inB) != want {
				t.Fatalf("%s: byID[%d] is %q, %t", name, i, s.Get(inB), ok)
			}
			if got, ok := y.byName.Get(inB, want); !ok || got != i {
				t.Fatalf("%s: byName[%q] is %d, %t", name, want, got, ok)
			}
			if v, ok := y.nested.Lookup(inB, int16(i%100)).Get(inB, -int64(i)); !ok || v != float64(i) {
				t.Fatalf("%s: nested %d is %v, %t", name, i, v, ok)
			}
		}
		for i := range uint32(n) {
			y.byID.Set(inB, i, ref.String{})
			y.byName.Delete(inB, fmt.Sprint("name ", i))
		}
		if _, _, err := y.byID.Check(inB); err != nil {
			t.Error(err)
		}
		if _, _, err := y.byName.Check(inB); err != nil {
			t.Error(err)
		}
		if y.byID.Len() != n || y.byName.Len() != 0 || x.byName.Len() != n {
			t.Errorf("%s: after changes, %d and %d entries", name, y.byID.Len(), y.byName.Len())
		}
		b.Free()
	}
}

// TestTreePanics checks what is not allowed, or not there.
func TestTreePanics(t *testing.T) {
	freed := arena.NewArena()
	inFreed := ref.In(freed)
	var tree, fresh ref.Tree[int, int]
	tree.Set(inFreed, 1, 1)
	freed.Free()
	var text ref.Tree[string, int]
	var pointers ref.Tree[int, *int]
	var bools ref.TextTree[bool]
	var deep ref.Tree[int, ref.Tree[int, bool]]
	for name, f := range map[string]func(a *arena.Arena){
		"text keys":  func(a *arena.Arena) { text.Set(ref.In(a), "", 1) },
		"pointers":   func(a *arena.Arena) { pointers.Entry(ref.In(a), 1) },
		"bools":      func(a *arena.Arena) { bools.Set(ref.In(a), "", true) },
		"inside":     func(a *arena.Arena) { deep.Entry(ref.In(a), 1) },
		"nil":        func(*arena.Arena) { fresh.Set(ref.Space{}, 1, 1) },
		"freed":      func(*arena.Arena) { fresh.Set(inFreed, 1, 1) },
		"Get freed":  func(*arena.Arena) { tree.Get(inFreed, 1) },
		"Set freed":  func(*arena.Arena) { tree.Set(inFreed, 2, 1) },
		"other":      func(a *arena.Arena) { tree.Get(ref.In(a), 2) },
		"All freed":  func(*arena.Arena) { tree.All(inFreed)(func(int, int) bool { return true }) },
		"Min freed":  func(*arena.Arena) { tree.Min(inFreed) },
		"Clear gone": func(*arena.Arena) { tree.Clear(inFreed) },
	} {
		v := ref.Recovered(func() { f(arena.NewArena()) })
		if _, ok := v.(runtime.Error); v == nil || ok || !ref.Ours(fmt.Sprint(v)) {
			t.Errorf("%s: panic %v", name, v)
		}
	}
	if text.Len() != 0 || pointers.Len() != 0 || fresh.Len() != 0 {
		t.Error("a tree is not empty after a panic")
	}
	if _, ok := text.Get(ref.Space{}, "x"); ok {
		t.Error("an empty tree has an entry")
	}
}

// TestTreeIsPlain checks that a tree may lie where references are to, if what is in it may.
func TestTreeIsPlain(t *testing.T) {
	a := arena.NewArena()
	s := ref.In(a)
	type user struct {
		Scores ref.Tree[uint32, float32]
		Names  ref.TextTree[ref.Of[user]]
	}
	ref.New[user](s)
	for name, f := range map[string]func(){
		"keys":   func() { ref.New[ref.Tree[string, int]](s) },
		"values": func() { ref.New[struct{ t ref.TextTree[*int] }](s) },
	} {
		if v := ref.Recovered(f); !ref.Ours(fmt.Sprint(v)) {
			t.Errorf("%s: panic %v", name, v)
		}
	}
	if reflect.TypeFor[ref.Tree[int, int]]().ConvertibleTo(reflect.TypeFor[ref.Tree[int, uint]]()) {
		t.Error("a tree can be converted to one of other values")
	}
}

// FuzzTree damages the bytes of trees, and uses them: all that may happen are panics of this
// package.
func FuzzTree(f *testing.F) {
	for seed := range uint64(8) {
		b := make([]byte, 12*(1+seed))
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(seed, b)
	}
	f.Fuzz(fuzzRefTree)
}

// TestTreeDamaged does what FuzzTree does, with random damage.
func TestTreeDamaged(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range ref.Few(1500) {
		b := make([]byte, 4*(1+r.IntN(1+r.IntN(40))))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		fuzzRefTree(t, r.Uint64(), b)
	}
}

// fuzzRefTree fills trees as seed says, and overwrites some of their words as damage says: four
// bytes are a place and what is written there.
func fuzzRefTree(t *testing.T, seed uint64, damage []byte) {
	r := rand.New(rand.NewPCG(seed, 0))
	type trees struct {
		numbers ref.Tree[uint64, int64]
		text    ref.TextTree[int64]
		_       uint32
	}
	const size = 120000
	region := newRefTreeRegion(size)
	a := arena.NewWith(arena.Options{Memory: region})
	s := ref.In(a)
	root, x := ref.New[trees](s)
	games := func(a *arena.Arena, x *trees) (*treeGame[uint64], *treeGame[string]) {
		return &treeGame[uint64]{t: t, r: r, a: a, tree: &x.numbers, compare: cmp.Compare[uint64], span: 3000, may: true,
				key: func(i int) uint64 { return uint64(i) }},
			&treeGame[string]{t: t, r: r, a: a, tree: &x.text, compare: cmp.Compare[string], span: 1000, may: true,
				key: textFor}
	}
	numbers, text := games(a, x)
	for range r.IntN(1200) {
		numbers.set(numbers.random())
		text.set(text.random())
	}
	for range r.IntN(1200) {
		numbers.delete(numbers.random())
		text.delete(text.random())
	}
	region = region.copy()
	for ; len(damage) >= 4; damage = damage[4:] {
		at := (int(damage[0])<<8 | int(damage[1])) * 8 % region.used
		word := region.mem[at : at+8][int(damage[2])>>7*4:][:4]
		switch damage[2] % 6 {
		case 0:
			word[0] = damage[3]
		case 1:
			word[damage[3]&3] ^= 1 << (damage[3] >> 5)
		case 2: // a reference to somewhere
			v := uint32(damage[3])*uint32(region.used/8)/256 + 1
			word[0], word[1], word[2], word[3] = byte(v), byte(v>>8), byte(v>>16), 0
		case 3:
			copy(word, "\xff\xff\xff\xff")
		case 4:
			clear(word)
		case 5: // what is written somewhere else
			copy(word, region.mem[int(damage[3])*8*61%region.used:][:4])
		}
		if damage[2]&0x40 != 0 { // the trees themselves
			n := int(reflect.TypeFor[trees]().Size()) / 4
			copy(region.mem[8+int(damage[0])%n*4:][:4], word)
		}
	}
	b := arena.NewWith(arena.Options{Memory: region})
	inB := ref.In(b)
	again, err := ref.At[trees](inB, root.Offset())
	if err != nil {
		t.Fatal(err)
	}
	numbers, text = games(b, again.Get(inB))
	numbers.broken, text.broken = true, true
	for range 60 {
		for _, step := range []func(){numbers.step, text.step} {
			v := ref.Recovered(step)
			_, bad := v.(runtime.Error)
			if v != nil && (bad || !ref.Ours(fmt.Sprint(v))) {
				t.Fatalf("seed %d: panic %v", seed, v)
			}
		}
	}
}

// TestTextTreePrefix compares Prefix with what a loop over all entries finds, for the prefixes of
// all keys and for others.
func TestTextTreePrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := ref.In(arena.NewArena())
	var tree ref.TextTree[int64]
	prefixes := map[string]bool{"": true, "b\xff": true, "\xff\xff": true, "c": true}
	for i := range int64(3000) {
		k := make([]byte, r.IntN(7))
		for j := range k {
			k[j] = "ab\xff"[r.IntN(3)]
		}
		tree.Set(s, string(k), i)
		for n := range len(k) + 1 {
			prefixes[string(k[:n])] = true
			prefixes[string(k[:n])+"b"] = true
		}
	}
	for prefix := range prefixes {
		var want, got []int64
		for k, v := range tree.All(s) {
			if strings.HasPrefix(k, prefix) {
				want = append(want, v)
			}
		}
		for _, v := range tree.Prefix(s, prefix) {
			got = append(got, v)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("Prefix(%q) yields %d entries, not %d", prefix, len(got), len(want))
		}
	}
	for range tree.Prefix(s, "a") {
		break
	}
}
