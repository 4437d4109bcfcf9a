package offheap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// A hostileRoot has one of each of what may be in a file, and enough in it for directories and
// inner nodes.
type hostileRoot struct {
	small  ref.Map[uint64, uint64]
	large  ref.Map[uint32, [64]uint64]
	parts  ref.Map[[2]float32, int32]
	words  ref.TextMap[uint64]
	tree   ref.Tree[int64, uint64]
	texts  ref.TextTree[uint64]
	trees  ref.Tree[uint32, ref.Tree[int64, uint8]]
	values ref.Slice[uint64]
	nested ref.Slice[ref.Slice[uint16]]
	empty  ref.Slice[struct{}]
	name   ref.String
	next   ref.Of[hostileRoot]
}

func hostileFill(a *arena.Arena, r *hostileRoot, n int) {
	for i := range n {
		r.small.Set(ref.In(a), uint64(i), uint64(i))
		r.large.Set(ref.In(a), uint32(i), [64]uint64{uint64(i)})
		r.parts.Set(ref.In(a), [2]float32{float32(i), 1}, int32(i))
		r.words.Set(ref.In(a), fmt.Sprint("the word of number ", i), uint64(i))
		r.tree.Set(ref.In(a), int64(i*7%n), uint64(i))
		r.texts.Set(ref.In(a), fmt.Sprint("the text of number ", i), uint64(i))
		r.trees.Entry(ref.In(a), uint32(i%5)).Set(ref.In(a), int64(i), uint8(i))
	}
	r.values, _ = ref.NewSlice[uint64](ref.In(a), n)
	var nested []ref.Slice[uint16]
	r.nested, nested = ref.NewSlice[ref.Slice[uint16]](ref.In(a), 10)
	for i := range nested {
		nested[i], _ = ref.NewSlice[uint16](ref.In(a), i)
	}
	r.empty, _ = ref.NewSlice[struct{}](ref.In(a), 5)
	r.name = ref.NewString(ref.In(a), "hostile")
}

// A hostileUse uses all of a hostileRoot, and counts.
type hostileUse struct {
	t     *testing.T
	what  string
	a     *arena.Arena
	bytes int64 // of the file
	ends  int   // panics, which are of the package
	write bool  // writes shall be refused
}

// try calls f, of which the worst that may come is a panic of the package, and returns it.
func (u *hostileUse) try(what string, f func()) (r any) {
	u.t.Helper()
	defer func() {
		if r = recover(); r == nil {
			return
		}
		u.ends++
		if !ours(fmt.Sprint(r)) {
			u.t.Errorf("%s: %s: %v\n%s", u.what, what, r, debug.Stack())
		}
	}()
	f()
	return nil
}

// refused calls f, which would write: that is an error of the File, before anything else happens.
func (u *hostileUse) refused(what string, f func()) {
	u.t.Helper()
	if !u.write {
		return
	}
	r := u.try(what, f)
	if e, ok := r.(*arena.MemoryError); !ok || !strings.Contains(e.Error(), "read-only") {
		u.t.Errorf("%s: %s: %v", u.what, what, r)
	}
}

// hostileCount iterates, and fails when there is more than there can be.
func hostileCount[K, V any](u *hostileUse, what string, n func() int, entries iter.Seq2[K, V]) {
	u.t.Helper()
	u.try(what, func() {
		steps, most := int64(0), u.bytes/8
		if n != nil {
			most = min(most, int64(n()))
		}
		for range entries {
			if steps++; steps > most {
				u.t.Fatalf("%s: %s yields more than %d", u.what, what, most)
			}
		}
	})
}

// anyMap is a map or tree.
type anyMap[K, V any] interface {
	Len() int
	Get(ref.Space, K) (V, bool)
	Lookup(ref.Space, K) *V
	All(ref.Space) iter.Seq2[K, V]
	Set(ref.Space, K, V)
	Entry(ref.Space, K) *V
	Delete(ref.Space, K) bool
	Clear(ref.Space)
}

// anyTree is a tree.
type anyTree[K, V any] interface {
	anyMap[K, V]
	Min(ref.Space) (K, V, bool)
	Max(ref.Space) (K, V, bool)
	From(ref.Space, K) iter.Seq2[K, V]
	Backward(ref.Space) iter.Seq2[K, V]
	BackwardFrom(ref.Space, K) iter.Seq2[K, V]
	Range(ref.Space, K, K) iter.Seq2[K, V]
}

func hostileMap[K, V any](u *hostileUse, what string, m anyMap[K, V], keys ...K) {
	u.t.Helper()
	a := u.a
	for _, k := range keys {
		u.try(what+".Get", func() { m.Get(ref.In(a), k) })
		u.try(what+".Lookup", func() { m.Lookup(ref.In(a), k) })
		u.refused(what+".Set", func() { var v V; m.Set(ref.In(a), k, v) })
		u.refused(what+".Entry", func() { m.Entry(ref.In(a), k) })
		u.refused(what+".Delete", func() { m.Delete(ref.In(a), k) })
	}
	if g, ok := m.(interface{ Grow(*arena.Arena, int) }); ok {
		u.refused(what+".Grow", func() { g.Grow(a, 100) })
	}
	u.refused(what+".Clear", func() { m.Clear(ref.In(a)) })
	hostileCount(u, what+".All", m.Len, m.All(ref.In(a)))
	if m, ok := m.(anyTree[K, V]); ok {
		u.try(what+".Min", func() { m.Min(ref.In(a)) })
		u.try(what+".Max", func() { m.Max(ref.In(a)) })
		hostileCount(u, what+".From", m.Len, m.From(ref.In(a), keys[0]))
		hostileCount(u, what+".Backward", m.Len, m.Backward(ref.In(a)))
		hostileCount(u, what+".BackwardFrom", m.Len, m.BackwardFrom(ref.In(a), keys[0]))
		hostileCount(u, what+".Range", m.Len, m.Range(ref.In(a), keys[0], keys[1]))
	}
}

// all uses all that root has, which may be anywhere.
func (u *hostileUse) all(root func() *hostileRoot) {
	u.t.Helper()
	a := u.a
	space := ref.In(a)
	var r *hostileRoot
	if u.try("root", func() { r = root() }); r == nil {
		return
	}
	hostileMap(u, "small", &r.small, 1, 1e6)
	hostileMap(u, "large", &r.large, 1, 1e6)
	hostileMap(u, "parts", &r.parts, [2]float32{1, 1}, [2]float32{-1, 1})
	hostileMap(u, "words", &r.words, "the word of number 1", "none")
	hostileMap(u, "tree", &r.tree, 1, 1e6)
	hostileMap(u, "texts", &r.texts, "the text of number 1", "the text of number 8", "")
	u.try("trees", func() {
		for k := range r.trees.All(space) {
			if t := r.trees.Lookup(space, k); t != nil {
				for range t.All(space) {
				}
			}
		}
	})
	hostileMap(u, "trees", &r.trees, 1, 1e6)
	u.try("values", func() {
		if n := len(r.values.Get(space)); int64(n)*8 > u.bytes {
			u.t.Errorf("%s: %d values", u.what, n)
		}
	})
	u.try("values.At", func() {
		if r.values.Len() > 0 { // else it is an index out of range, as of any slice
			_ = *r.values.At(space, 0)
		}
	})
	u.try("nested", func() {
		for _, s := range r.nested.Get(space) {
			if n := len(s.Get(space)); int64(n)*2 > u.bytes {
				u.t.Errorf("%s: %d nested values", u.what, n)
			}
		}
	})
	u.try("empty", func() { r.empty.Get(space) })
	u.try("lengths", func() { _, _, _ = r.values.Len(), r.empty.Len(), r.name.Len() })
	u.try("name", func() {
		if n := len(r.name.Get(space)); int64(n) > u.bytes {
			u.t.Errorf("%s: text of %d bytes", u.what, n)
		}
	})
	u.try("next", func() {
		if p := r.next.Get(space); p != nil {
			_ = p.name.Get(space)
		}
	})
}

// TestFileDamaged changes words of a file that is open, at each place or at random, to those that
// lead anywhere, and uses it. Nothing is verified. What comes is some value or a panic of the
// package, in as many steps as there is room for in the file.
func TestFileDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	r, p := ref.New[hostileRoot](s)
	hostileFill(a, p, 300)
	p.next = r
	must(Save(f, s, r))
	whole, err := os.ReadFile(path)
	must(err)
	at := int64(r.Offset()) * 8 // where the root is
	size := int64(reflect.TypeFor[hostileRoot]().Size())

	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	seed := testrun.Seed(t)
	t.Logf("%d bytes", len(whole))
	rnd := rand.New(rand.NewPCG(seed, 0))
	words := make([]uint32, len(whole)/4)
	for i := range words {
		words[i] = binary.NativeEndian.Uint32(whole[4*i:])
	}
	ends := 0
	round := func(change map[int]uint32) {
		b := append([]byte(nil), whole...)
		var what strings.Builder
		for i, w := range change {
			binary.NativeEndian.PutUint32(b[4*i:], w)
			fmt.Fprintf(&what, "word %d (root+%d) is %#x and not %#x; ", i, int64(4*i)-at, w, words[i])
		}
		must(os.Remove(path)) // readers of the previous file keep it unchanged
		must(os.WriteFile(path, b, 0o666))
		f, err := Open(path, FileOptions{Schema: "test 1"})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		space := ref.In(a)
		u := &hostileUse{t: t, what: what.String(), a: a, bytes: int64(len(b)), write: len(change) == 0 || rnd.IntN(10) == 0}
		u.all(func() *hostileRoot {
			r, err := Root[hostileRoot](f, space)
			must(err)
			return r.Get(space)
		})
		if ends += u.ends; len(change) == 0 && u.ends != 0 && !u.write {
			t.Errorf("%d panics of a file without damage", u.ends)
		}
		a.Free()
		must(f.Close())
	}
	round(nil)
	other := func(w uint32) uint32 {
		switch rnd.IntN(8) {
		case 0:
			return 0
		case 1:
			return 1
		case 2:
			return 1<<32 - 1
		case 3:
			return 1 << rnd.IntN(32)
		case 4:
			return w + 1 - uint32(rnd.IntN(3))
		case 5:
			return uint32(rnd.IntN(len(whole) / 8)) // any reference
		}
		return words[headerSize/4+rnd.IntN(len(words)-headerSize/4)] // one that is somewhere
	}
	skip := 1
	if !testrun.Long() {
		skip = 4
	}
	// The root, in which the roots of all containers are: each word.
	for i := int(at) / 4; i < int(at+size)/4; i += skip {
		for range 4 {
			round(map[int]uint32{i: other(words[i])})
		}
	}
	// Anywhere.
	for range 1000 / skip {
		change := map[int]uint32{}
		for range 1 + rnd.IntN(6) {
			i := headerSize/4 + rnd.IntN(len(words)-headerSize/4)
			if rnd.IntN(3) == 0 {
				i = int(at)/4 + rnd.IntN(int(size)/4)
			}
			change[i] = other(words[i])
		}
		round(change)
	}
	// References: all that are the same number lead elsewhere.
	for range 300 / skip {
		change := map[int]uint32{}
		w := words[headerSize/4+rnd.IntN(len(words)-headerSize/4)]
		v := other(w)
		for i := headerSize / 4; i < len(words) && w != 0; i++ {
			if words[i] == w {
				change[i] = v
			}
		}
		if len(change) > 0 && len(change) < 100 {
			round(change)
		}
	}
	if ends == 0 {
		t.Error("no damage was found")
	}
}

// TestFileClosed uses all that there is after File.Close: the panics name it, and there is no
// fault.
func TestFileClosed(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, saved := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "file")
		f, err := Create(path, FileOptions{Schema: "test 1"})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		r, p := ref.New[hostileRoot](ref.In(a))
		slab := ref.SlabOf[hostileRoot](ref.In(a))
		hostileFill(a, p, 300)
		if saved {
			must(Save(f, ref.In(a), r))
			a.Free()
			must(f.Close())
			f, err = Open(path, FileOptions{Schema: "test 1"})
			must(err)
			a = arena.NewWith(arena.Options{Memory: f})
			r, err = Root[hostileRoot](f, ref.In(a))
			must(err)
			p = r.Get(ref.In(a))
			slab = ref.SlabOf[hostileRoot](ref.In(a))
		}
		// The address of a field is a fault by itself when p is one: the compiler looks whether p
		// is nil.
		ofSmall, ofLarge, ofWords, ofTree, ofTexts := &p.small, &p.large, &p.words, &p.tree, &p.texts
		n := 0
		closes := func(what string, f func()) {
			t.Helper()
			defer func() {
				n++
				err, _ := recover().(error)
				if err == nil || !ours(err.Error()) || !strings.Contains(err.Error(), "File.Close") || !errors.Is(err, os.ErrClosed) {
					t.Errorf("%s: %v", what, err)
				}
			}()
			f()
		}
		closes("an iterator during which it is closed", func() {
			for range ofSmall.All(ref.In(a)) {
				must(f.Close())
			}
		})
		closes("Ref.Get", func() { r.Get(ref.In(a)) })
		closes("New", func() { ref.New[hostileRoot](ref.In(a)) })
		closes("Slab.New", func() { slab.New() })
		closes("NewSlice", func() { ref.NewSlice[uint64](ref.In(a), 1) })
		closes("NewString", func() { ref.NewString(ref.In(a), "x") })
		closesMap(a, closes, "small", ofSmall, 1)
		closesMap(a, closes, "large", ofLarge, 1)
		closesMap(a, closes, "words", ofWords, "x")
		closesMap(a, closes, "tree", ofTree, 1)
		closesMap(a, closes, "texts", ofTexts, "x")
		if _, err := ref.At[int64](ref.In(a), 512); err == nil || !strings.Contains(err.Error(), "File.Close") {
			t.Errorf("At: %v", err)
		}
		for what, err := range map[string]error{"Save": Save(f, ref.In(a), r), "Verify": f.Verify(), "Close": f.Close()} {
			if what != "Close" && !errors.Is(err, os.ErrClosed) || what == "Close" && err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		a.Reset()
		closes("New after Reset", func() { ref.New[int64](ref.In(a)) })
		a.Free()
		for what, f := range map[string]func(){"map": func() { ofSmall.Get(ref.In(a), 1) }, "tree": func() { ofTree.Get(ref.In(a), 1) }} {
			if text := fmt.Sprint(conformPanic(f)); !strings.Contains(text, "used after Free") {
				t.Errorf("%s after Free: %s", what, text)
			}
		}
		if n < 40 {
			t.Errorf("only %d were tried", n)
		}
	}
}

func closesMap[K, V any](a *arena.Arena, closes func(string, func()), what string, m anyMap[K, V], k K) {
	closes(what+".Get", func() { m.Get(ref.In(a), k) })
	closes(what+".Lookup", func() { m.Lookup(ref.In(a), k) })
	closes(what+".Set", func() { var v V; m.Set(ref.In(a), k, v) })
	closes(what+".Entry", func() { m.Entry(ref.In(a), k) })
	closes(what+".Delete", func() { m.Delete(ref.In(a), k) })
	closes(what+".Clear", func() { m.Clear(ref.In(a)) })
	closes(what+".All", func() {
		for range m.All(ref.In(a)) {
		}
	})
	if m, ok := m.(anyTree[K, V]); ok {
		closes(what+".Min", func() { m.Min(ref.In(a)) })
		closes(what+".Backward", func() {
			for range m.Backward(ref.In(a)) {
			}
		})
	}
}

// TestFileSealed saves, and goes on with the runs and containers that are open: all of them are
// refused.
func TestFileSealed(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	f, a := create(t, filepath.Join(t.TempDir(), "file"))
	s := ref.In(a)
	r, p := ref.New[hostileRoot](s)
	hostileFill(a, p, 300)
	slab := ref.SlabOf[int16](s)
	slab.New()
	ref.New[int32](s)
	var outside ref.Map[int64, int64] // its table is in the file
	outside.Set(s, 1, 2)
	must(Save(f, s, r))
	u := &hostileUse{t: t, what: "saved", a: a, bytes: f.Size(), write: true}
	u.all(func() *hostileRoot { return r.Get(s) })
	hostileMap(u, "outside", &outside, 1, 2)
	u.refused("Slab.New", func() { slab.New() })
	u.refused("New", func() { ref.New[int32](s) })
	u.refused("New of another type", func() { ref.New[float32](s) })
	if v, ok := outside.Get(s, 1); !ok || v != 2 {
		t.Errorf("what was saved is %d, %t", v, ok)
	}
}

// TestFileRefsOnly makes all that would not be saved.
func TestFileRefsOnly(t *testing.T) {
	type pointers struct{ _ *int }
	f, a := create(t, filepath.Join(t.TempDir(), "file"))
	s := ref.In(a)
	for what, use := range map[string]func(){
		"New":            func() { arena.New[pointers](a) },
		"New of a plain": func() { arena.New[int](a) },
		"Ptr":            func() { arena.Ptr(a, "text") },
		"NewMap":         func() { arena.NewMap[string, int](a, 0) },
		"NewMap of ints": func() { arena.NewMap[int, int](a, 10) },
		"MakeSlice":      func() { arena.MakeSlice[string](a, 0, 10) },
		"plain slice":    func() { arena.MakeSlice[int](a, 0, 10) },
		"String":         func() { arena.String(a, "text") },
		"NewBuilder":     func() { arena.NewBuilder(a) },
		"SlabOf":         func() { arena.SlabOf[pointers](a).New() },
		"Append":         func() { arena.Append(a, []*int{nil}, nil) },
		"NewValue":       func() { arena.NewValue(a, reflect.TypeFor[pointers]()) },
	} {
		var e *arena.MemoryError
		if err := arena.Try(use); !errors.As(err, &e) || !strings.Contains(err.Error(), "would not be saved") {
			t.Errorf("%s: %v", what, err)
		}
	}
	r, p := ref.New[int64](s)
	*p = 7
	must(Save(f, s, r))
}

// TestFileUsers opens many arenas with a File, which does not keep those that were freed.
func TestFileUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, small())
	f, err := Open(path, FileOptions{Schema: "test 1"})
	must(err)
	for range 1000 {
		a := arena.NewWith(arena.Options{Memory: f})
		s := ref.In(a)
		if _, err := Root[fileNode](f, s); err != nil {
			t.Fatal(err)
		}
		a.Free()
	}
	if len(f.users) > 100 {
		t.Errorf("a File knows %d arenas of 1000 that were freed", len(f.users))
	}
	must(f.Close())
}
