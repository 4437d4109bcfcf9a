package model_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// copyOf returns a copy of *p, which go vet does not find here.
func copyOf[T any](p *T) *T {
	c := new(T)
	*c = *p
	return c
}

// An innocent uses an arena correctly, next to others that do not.
type innocent struct {
	a      *arena.Arena
	slab   *arena.Slab[tagged]
	values []*tagged
	texts  []string
	tag    int
}

// A tagged has pointers, and says whose it is.
type tagged struct {
	tag  int
	self *tagged
	any  any
}

func (i *innocent) step(r *rand.Rand) error {
	if i.a == nil {
		i.a = arena.NewArena()
		if r.IntN(2) == 0 {
			i.slab = arena.SlabOf[tagged](i.a)
		}
	}
	for range r.IntN(30) {
		var p *tagged
		if i.slab != nil {
			p = i.slab.New()
		} else {
			p = arena.New[tagged](i.a)
		}
		if *p != (tagged{}) {
			return fmt.Errorf("a new value is %v", *p)
		}
		*p = tagged{i.tag, p, i.tag}
		i.values = append(i.values, p)
	}
	for range r.IntN(5) {
		i.texts = append(i.texts, arena.String(i.a, i.text(len(i.texts))))
	}
	for _, p := range i.values {
		if p.tag != i.tag || p.self != p || p.any != i.tag {
			return fmt.Errorf("a value became %v", *p)
		}
	}
	for n, s := range i.texts {
		if s != i.text(n) {
			return fmt.Errorf("text became %q", s)
		}
	}
	for _, s := range i.a.Stats().Types {
		switch s.Type {
		case reflect.TypeFor[tagged]():
			if s.Count != int64(len(i.values)) {
				return fmt.Errorf("%d values, want %d", s.Count, len(i.values))
			}
		case nil:
			if s.Count != int64(len(i.texts)) {
				return fmt.Errorf("%d texts, want %d", s.Count, len(i.texts))
			}
		default:
			return fmt.Errorf("there are values of type %v", s.Type)
		}
	}
	if v, first := arenakit.Local[tagged](i.a); first {
		if *v != (tagged{}) {
			return fmt.Errorf("a new Local is %v", *v)
		}
		*v = tagged{i.tag, v, i.tag}
	} else if v.tag != i.tag || v.self != v || v.any != i.tag {
		return fmt.Errorf("a Local became %v", *v)
	}
	switch r.IntN(6) {
	case 0:
		i.a.Reset()
		i.values, i.texts = nil, nil
	case 1, 2:
		i.a.Free()
		*i = innocent{tag: i.tag + 1000}
	}
	return nil
}

func (i *innocent) text(n int) string { return fmt.Sprint("text ", n, " of ", i.tag) }

// A copier copies all types of the package that there are pointers to, and uses the copies and the
// originals.
type copier struct {
	arenas   []*arena.Arena
	self     map[*arena.Arena]*arena.Arena // of copies: which one they are a copy of
	groups   []*arena.Group
	pools    []*arena.Pool
	slabs    []*arena.Slab[tagged]
	refs     []*ref.Slab[[3]int]
	types    []arenakit.Slab
	maps     []*arena.Map[int, *tagged]
	builders []*arena.Builder
	values   []*tagged
	locals   []*tagged
}

func (c *copier) step(r *rand.Rand) {
	a := pick(r, c.arenas)
	space := ref.In(a)
	self := func(a *arena.Arena) *arena.Arena {
		if c.self[a] != nil {
			return c.self[a]
		}
		return a
	}
	use := func(p *tagged) {
		*p = tagged{-1, p, nil}
		keep(r, &c.values, p)
	}
	switch r.IntN(30) {
	case 0:
		a := arena.NewArena()
		arena.New[int](a) // a zero Arena may be copied
		keep(r, &c.arenas, a)
	case 1:
		keep(r, &c.arenas, pick(r, c.pools).Get())
	case 2:
		keep(r, &c.arenas, pick(r, c.groups).Arena())
	case 3, 4:
		b := copyOf(a)
		c.self[b] = self(a)
		keep(r, &c.arenas, b)
	case 5:
		if b := pick(r, c.arenas); self(b) != a { // and not what it has been before
			*a = *copyOf(b)
			c.self[a] = self(b)
		}
	case 6:
		keep(r, &c.groups, copyOf(pick(r, c.groups)))
	case 7:
		keep(r, &c.pools, copyOf(pick(r, c.pools)))
	case 8:
		a.Free()
	case 9:
		a.Reset()
	case 10:
		pick(r, c.pools).Put(a)
	case 11:
		pick(r, c.pools).Drop(a)
	case 12:
		g := pick(r, c.groups)
		if r.IntN(3) == 0 {
			g.Free()
			keep(r, &c.groups, arena.NewGroup())
		} else {
			g.Reset()
		}
	case 13:
		pick(r, c.groups).Do(func(a *arena.Arena) { use(arena.New[tagged](a)) })
	case 14:
		keep(r, &c.slabs, arena.SlabOf[tagged](a))
	case 15:
		keep(r, &c.refs, ref.SlabOf[[3]int](space))
	case 16:
		keep(r, &c.types, arenakit.SlabOf(a, reflect.TypeFor[tagged]()))
	case 17:
		keep(r, &c.maps, arena.NewMap[int, *tagged](a, r.IntN(3)))
	case 18:
		keep(r, &c.builders, arena.NewBuilder(a))
	case 19:
		if len(c.slabs)*len(c.refs)*len(c.maps)*len(c.builders) > 0 {
			keep(r, &c.slabs, copyOf(pick(r, c.slabs)))
			keep(r, &c.refs, copyOf(pick(r, c.refs)))
			keep(r, &c.maps, copyOf(pick(r, c.maps)))
			keep(r, &c.builders, copyOf(pick(r, c.builders)))
		}
	case 20, 21:
		if len(c.slabs) > 0 {
			for s := pick(r, c.slabs); r.IntN(20) > 0; {
				use(s.New())
			}
		}
	case 22:
		if len(c.refs) > 0 {
			for s := pick(r, c.refs); r.IntN(20) > 0; {
				s.New()
			}
		}
	case 23:
		if len(c.types) > 0 {
			for s := pick(r, c.types); r.IntN(20) > 0; {
				use((*tagged)(s.New()))
			}
		}
	case 24:
		if len(c.maps) > 0 {
			for m := pick(r, c.maps); r.IntN(20) > 0; {
				m.Set(r.IntN(100), nil)
				m.Delete(r.IntN(100))
			}
		}
	case 25:
		if len(c.builders) > 0 {
			pick(r, c.builders).WriteInt(r.Int64(), 10)
		}
	case 26:
		l, _ := arenakit.Local[tagged](a)
		keep(r, &c.locals, l)
	case 27:
		for _, p := range c.locals {
			*p = tagged{-2, nil, "whose?"}
		}
		for _, p := range c.values {
			p.any = -1
		}
	case 28:
		a.Stats()
		arena.Append(a, arena.MakeSlice[int](a, r.IntN(10), 10), 1, 2, 3)
		arena.Sprintf(a, "%d", 1)
		ref.NewString(space, "abc")
	default:
		for range r.IntN(100) {
			use(arena.New[tagged](a))
		}
	}
}

// TestCopies has random programs copy what must not be copied, whenever they like, and use the
// copies and the originals. Other arenas, in the same goroutine and in another one, must not
// notice.
func TestCopies(t *testing.T) {
	if builtWith("-asan") {
		t.Skip("it uses stale values, which is what the sanitizer looks for")
	}
	seed := testrun.Seed(t)
	programs := 60
	if !testrun.Long() {
		programs = 10
	}
	var wait sync.WaitGroup
	defer wait.Wait()
	stop := make(chan bool)
	defer close(stop)
	wait.Go(func() {
		i, r := innocent{tag: 1}, rand.New(rand.NewPCG(seed, 1<<32))
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := i.step(r); err != nil {
				t.Errorf("in another goroutine: %v", err)
				return
			}
		}
	})
	for n := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, n))
		c := &copier{self: map[*arena.Arena]*arena.Arena{}, arenas: []*arena.Arena{arena.NewArena()}, groups: []*arena.Group{arena.NewGroup()}, pools: []*arena.Pool{{}}}
		arena.New[int](c.arenas[0])
		beside := []*innocent{{tag: 2}, {tag: 3}}
		for step := range 600 {
			if err := allowed(func() error { c.step(r); return nil }); err != nil {
				t.Fatal(err)
			}
			if err := pick(r, beside).step(r); err != nil {
				t.Fatalf("program %d, step %d: %v", n, step, err)
			}
		}
	}
}

// wasCopied is the panic of a copy of an Arena.
const wasCopied = panics("was copied, or written over, after its first use; pass a *Arena")

// TestCopiedArena makes each call of the package with a copy of an Arena, and with one that an
// older copy of itself was written over. What the call needs is there, from one before. If it
// panics in a freed arena it panics, and arenas that have by now what the arena had do not notice.
func TestCopiedArena(t *testing.T) {
	var pool arena.Pool
	group := arena.NewGroup()
	defer group.Free()
	for _, kind := range []struct {
		name string
		make func() *arena.Arena
		end  func(a *arena.Arena)
	}{
		{"an arena", arena.NewArena, (*arena.Arena).Free},
		{"an arena with options", func() *arena.Arena { return arena.NewWith(arena.Options{Limit: 1 << 30}) }, (*arena.Arena).Free},
		{"an arena of a Pool", pool.Get, (*arena.Arena).Free},
		{"an arena of a Group", group.Arena, func(*arena.Arena) { group.Reset() }},
	} {
		for i, c := range calls() {
			want := c.freed
			ends := c.name == "Arena.Free" || c.name == "Arena.Reset"
			if ends || want == any(usedAfterFree) || c.name == "Arena.Stats" {
				want = wasCopied
			}
			if _, ok := want.(panics); !ok || ends && kind.name == "an arena of a Group" {
				continue // the call does not ask whether the arena is open, or may not be made
			}
			check := func(what string, do func() any) {
				t.Helper()
				got := result(do)
				if c.none && sameResult(got, c.want) && (strings.HasPrefix(c.name, "Ref") || what == "a former state") {
					return // it only follows references, which are in the same memory, or hands out none
				}
				if !sameResult(got, wasCopied) && !sameResult(got, want) {
					t.Errorf("call %d, %s, of %s of %s: got %#v, want %#v", i, c.name, what, kind.name, got, want)
				}
			}
			a := kind.make()
			arena.Ptr(a, tagged{tag: 1})
			if !ends {
				result(c.prepare(a))
			}
			b, saved := copyOf(a), copyOf(a)
			check("a copy", func() any { return c.prepare(b)() })
			kind.end(a)
			next := []*arena.Arena{kind.make(), kind.make(), kind.make()} // one of them has what a had, most likely
			used := make(chan error)
			go func() { used <- fillTagged(next) }()
			check("a copy, when that had ended,", func() any { return c.prepare(b)() })
			err := <-used
			if *a = *copyOf(saved); builtWith("-race") { // the detector would find that a call looks whose the memory is
				check("a former state", func() any { return c.prepare(a)() })
				err = cmp.Or(err, fillTagged(next))
			} else {
				go func() { used <- fillTagged(next) }()
				check("a former state", func() any { return c.prepare(a)() })
				err = cmp.Or(err, <-used)
			}
			if err != nil {
				t.Errorf("call %d, %s, of copies of %s: another arena: %v", i, c.name, kind.name, err)
			}
			for _, a := range next {
				kind.end(a)
			}
		}
	}
}

// fillTagged makes values in the arenas, and looks whether others have them, too.
func fillTagged(arenas []*arena.Arena) error {
	var all []*tagged
	for n := range 20 {
		for _, a := range arenas {
			p := arena.New[tagged](a)
			if *p != (tagged{}) {
				return fmt.Errorf("a new value is %v", *p)
			}
			*p = tagged{n, p, nil}
			all = append(all, p)
		}
	}
	for i, p := range all {
		if *p != (tagged{i / len(arenas), p, nil}) {
			return fmt.Errorf("a value became %v", *p)
		}
	}
	return nil
}

// TestDoWritesOver overwrites the Arena that Do has passed with another one, which is a panic that
// says so.
func TestDoWritesOver(t *testing.T) {
	var p arena.Pool
	over := func(a *arena.Arena) {
		arena.New[int](a)
		*a = arena.Arena{}
	}
	if got := result(func() any { p.Do(over); return nil }); !sameResult(got, wasCopied) {
		t.Errorf("Pool.Do: %v", got)
	}
	if got := result(func() any { p.Do(func(a *arena.Arena) { over(a); panic("arena: of the function") }); return nil }); !sameResult(got, panics("of the function")) {
		t.Errorf("Pool.Do of a function that panics: %v", got)
	}
	p.Do(func(a *arena.Arena) { arena.New[int](a) })
	g := arena.NewGroup()
	if got := result(func() any { g.Do(over); g.Reset(); return nil }); !sameResult(got, panics("one of its Arenas was written over")) {
		t.Errorf("Group.Do and Reset: %v", got)
	}
}

// TestCopiedHandles checks that copies of other types panic before they do harm.
func TestCopiedHandles(t *testing.T) {
	a := arena.NewArena()
	s := ref.In(a)
	slab, refs := arena.SlabOf[tagged](a), ref.SlabOf[int](s)
	slab.New()
	refs.New()
	b := arena.NewBuilder(a)
	b.Grow(10)
	b.WriteString("abc")
	g := arena.NewGroup()
	g.Arena()
	var pool arena.Pool
	pooled := pool.Get()
	for name, test := range map[string]struct {
		use  func()
		want string
	}{
		"Slab": {func() {
			for c, n := copyOf(slab), 0; n < 1000; n++ {
				c.New()
			}
		}, "a Slab was copied after its first use; pass a *Slab"},
		"RefSlab": {func() {
			for c, n := copyOf(refs), 0; n < 1000; n++ {
				c.New()
			}
		}, "a Slab was copied after its first use; pass a *Slab"},
		"Builder": {func() {
			copyOf(b).WriteByte('x') // the copy may go on, but not both
			b.WriteByte('y')
		}, "a Builder, of 3 bytes, was copied, and another copy has been written to, or its arena was Reset; pass a *Builder"},
		"Group.Arena": {func() { copyOf(g).Arena() }, "a group was copied after its first use; pass a *Group"},
		"Group.Reset": {copyOf(g).Reset, "a group was copied after its first use"},
		"Group.Free":  {copyOf(g).Free, "a group was copied after its first use"},
		"Pool.Put":    {func() { pool.Put(copyOf(pooled)) }, "an arena was copied, or written over, after its first use; pass a *Arena"},
	} {
		if got := result(func() any { test.use(); return nil }); !sameResult(got, panics(test.want)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestBuilderSharesNothing checks that no use of what Bytes returns, of a Builder or of a copy of
// it, changes what String has returned.
func TestBuilderSharesNothing(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for range 200 {
			all := []*arena.Builder{arena.NewBuilder(a)}
			got, want := []string{}, []string{}
			var bytes [][]byte
			for range 40 {
				b := pick(r, all)
				switch r.IntN(10) {
				case 0, 1:
					s := b.String()
					got, want = append(got, s), append(want, strings.Clone(s))
				case 2:
					p := b.Bytes()
					if string(p) != b.String() || len(p) != b.Len() {
						t.Fatalf("Bytes are %q, String is %q", p, b.String())
					}
					bytes = append(bytes, p, b.Bytes())
				case 3:
					all = append(all, copyOf(b))
				case 4:
					clone := arena.DeepClone(struct{ b arena.Builder }{*copyOf(b)})
					all = append(all, &clone.b)
				case 5:
					b.Reset()
				case 6:
					allowed(func() error { b.Truncate(r.IntN(b.Len() + 1)); return nil })
				case 7:
					allowed(func() error { b.Grow(r.IntN(100)); copy(b.AvailableBuffer()[:b.Available()], "zzz"); return nil })
				case 8: // until nothing more fits
					allowed(func() error { b.WriteString(strings.Repeat("f", b.Available())); return nil })
				default:
					text := strings.Repeat(word(r.IntN(1000)), r.IntN(3)) // or nothing
					allowed(func() error { b.WriteString(text); return nil })
				}
				for _, p := range bytes {
					p = append(p, 'y') // also into what is behind it
					p = p[:cap(p)]
					p[r.IntN(len(p))] = 'I'
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("String returned %q, which became %q", want[i], got[i])
					}
				}
			}
		}
	}
}

// TestBuilderEmptyWrite lets a full Builder write nothing when a copy of it has returned a string:
// the string stays unchanged.
func TestBuilderEmptyWrite(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for _, write := range []func(b *arena.Builder){
			func(b *arena.Builder) { b.WriteString("") },
			func(b *arena.Builder) { b.Write(nil) },
			func(b *arena.Builder) { b.Printf("") },
			func(b *arena.Builder) { b.WriteQuote(""); b.Truncate(b.Len() - 2) },
			func(b *arena.Builder) { b.ReadFrom(strings.NewReader("")) },
		} {
			b := arena.NewBuilder(a)
			b.WriteString("hello world, ok!")
			b.WriteString(strings.Repeat("!", b.Available()))
			s := copyOf(b).String()
			want := strings.Clone(s)
			write(b)
			b.Truncate(0)
			b.WriteString("HELLO")
			if s != want {
				t.Errorf("String returned %q, which became %q", want, s)
			}
		}
	}
}

// TestBuilderOfStack has Builders on stacks copied to the heap, where the copies stay when there is
// no such stack any more: the collector ends a program that has a pointer to one. They are used on,
// as they may.
func TestBuilderOfStack(t *testing.T) {
	var mu sync.Mutex
	var copies []*arena.Builder
	for range 5 {
		var wait sync.WaitGroup
		for range 100 {
			wait.Go(func() {
				deep(2000)
				b := arena.NewBuilder(nil)
				b.WriteString("on a stack")
				c := new(arena.Builder)
				*c = *copyOf(b)
				mu.Lock()
				copies = append(copies, c)
				mu.Unlock()
			})
		}
		wait.Wait()
		debug.FreeOSMemory()
		runtime.GC()
	}
	for _, c := range copies {
		c.WriteByte('.')
		if c.String() != "on a stack." {
			t.Fatal(c.String())
		}
	}
}

// TestVetFindsCopies checks that go vet finds copies of all types that must not be copied.
func TestVetFindsCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("go vet builds what it looks at")
	}
	file := filepath.Join("testdata", "copies", "main.go")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "-copylocks", "./"+filepath.Dir(file))
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=", "GOEXPERIMENT=")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("go vet finds nothing\n%s", out)
	}
	n := 0
	for i, line := range strings.Split(string(source), "\n") {
		found := strings.Contains(string(out), fmt.Sprintf("main.go:%d:", i+1))
		want := strings.HasSuffix(line, "// a copy")
		if found != want {
			t.Errorf("main.go:%d: %s: found: %t\n%s", i+1, line, found, out)
		}
		if want {
			n++
		}
	}
	if n < 8 {
		t.Errorf("%d copies in %s", n, file)
	}
}

// TestCopiedBackRefs: an arena that an older copy is written over, of a time before it had
// references, has them still.
func TestCopiedBackRefs(t *testing.T) {
	a := arena.NewArena()
	arena.New[int](a)
	b := copyOf(a)
	space := ref.In(a)
	slab := ref.SlabOf[int](space)
	first := slab.New()
	*first.Get(space) = 7
	*a = *copyOf(b)
	for range 1 << 16 {
		slab.New()
	}
	if *first.Get(space) != 7 || ref.In(a) != space {
		t.Error("the references are lost")
	}
	a.Free()
	if v := result(func() any { return slab.New() }); !ours(fmt.Sprint(v)) {
		t.Errorf("after Free: %v", v)
	}
}
