package model_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// TestMisuse proves that no misuse breaks the memory safety of a program: random
// programs that do all that one must not do (use after Free and Reset, of
// pointers, slices, strings, handles and Builders; double Free; Append to stale
// slices and into spare capacity; writes through stale pointers; Reset in the
// middle of a loop) see wrong values of the right type at worst. They run in a
// child process in which the collector runs all the time and checks itself.
func TestMisuse(t *testing.T) {
	if seed := os.Getenv(misuseSeed); seed != "" {
		misuse(t, seed)
		return
	}
	seed := strconv.FormatUint(testrun.Seed(t), 10)
	if out, err := runTest(t, "TestMisuse", misuseSeed+"="+seed,
		"GODEBUG=gccheckmark=1", "GOGC=1", "GOTRACEBACK=crash"); err != nil {
		t.Fatalf("%v (%s=%s)\n%s", err, misuseSeed, seed, out)
	}
}

// misuseSeed is the environment variable that makes TestMisuse run the programs
// of a seed: to repeat a failure, set it.
const misuseSeed = "ARENA_TEST_MISUSE"

// misuse runs random programs.
func misuse(t *testing.T, seed string) {
	first, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	programs := 40
	if !testrun.Long() {
		programs = 4
	}
	for i := range uint64(programs) {
		r := rand.New(rand.NewPCG(first, i))
		p := newProgram(r)
		for n := range 1500 {
			if err := p.step(r); err != nil {
				t.Fatalf("program %d, step %d: %v", i, n, err)
			}
		}
	}
}

// A program misuses some arenas in many types.
type program struct {
	arenas []*arena.Arena // freed ones too
	games  []game
}

// A game is the part of a program that one type plays.
type game interface {
	// step does something with a. Its error tells of a value that cannot be.
	step(r *rand.Rand, a *arena.Arena, reset func()) error
}

func newProgram(r *rand.Rand) *program {
	p := &program{arenas: make([]*arena.Arena, 4)}
	for i := range p.arenas {
		p.arenas[i] = newMisused(r)
	}
	p.games = []game{
		&typed[bool]{value: func(k int) bool { return k%2 == 0 }, check: isBool},
		&typed[[3]bool]{
			value: func(k int) [3]bool { return [3]bool{k%2 == 0, true, k%3 == 0} },
			check: func(v *[3]bool) error { return first(isBool(&v[0]), isBool(&v[1]), isBool(&v[2])) },
		},
		&typed[flagged]{
			value: func(k int) flagged { return flagged{byte(k), true, k, word(k)} },
			check: func(v *flagged) error { return first(isBool(&v.ok), isWord(v.name)) },
		},
		&typed[string]{value: word, check: func(v *string) error { return isWord(*v) }},
		&typed[any]{value: anyOf, check: func(v *any) error { return isAny(*v) }},
		&typed[fmt.Stringer]{
			value: func(k int) fmt.Stringer { return color(k % 3) },
			check: func(v *fmt.Stringer) error {
				if *v != nil && !strings.Contains("red green blue", (*v).String()) {
					return fmt.Errorf("a Stringer is %v", *v)
				}
				return nil
			},
		},
		&typed[map[int]int]{
			value: func(k int) map[int]int { return map[int]int{k: k * k} },
			check: func(v *map[int]int) error {
				for k, n := range *v {
					if n != k*k {
						return fmt.Errorf("a map holds %d at %d", n, k)
					}
				}
				return nil
			},
		},
		&typed[func() pair]{
			value: func(k int) func() pair { return func() pair { return pair{k, k * k} } },
			check: func(v *func() pair) error {
				if *v == nil {
					return nil
				}
				return isPair((*v)())
			},
		},
		&typed[*pair]{
			value: func(k int) *pair { return &pair{k, k * k} },
			check: func(v **pair) error {
				if *v == nil {
					return nil
				}
				return isPair(**v)
			},
		},
		&typed[[]string]{
			value: func(k int) []string { return []string{word(k), word(k + 1)} },
			check: func(v *[]string) error {
				for _, s := range *v {
					if err := isWord(s); err != nil {
						return err
					}
				}
				return nil
			},
		},
		&typed[chan int]{
			value: func(k int) chan int { return make(chan int, 3) },
			check: func(v *chan int) error {
				if *v != nil && cap(*v) != 3 {
					return fmt.Errorf("a channel has capacity %d", cap(*v))
				}
				return nil
			},
		},
		&typed[listed]{
			value: func(k int) listed { return listed{n: k, square: k * k} },
			link:  func(v, to *listed) { v.next = to },
			check: func(v *listed) error {
				for range 10 {
					if v == nil {
						break
					}
					if err := isPair(pair{v.n, v.square}); err != nil {
						return err
					}
					v = v.next
				}
				return nil
			},
		},
		&typed[[40]*pair]{ // more than a small chunk has room for
			value: func(k int) [40]*pair { return [40]*pair{39: {k, k * k}} },
			check: func(v *[40]*pair) error {
				if v[39] == nil {
					return nil
				}
				return isPair(*v[39])
			},
		},
		&typed[color]{value: func(k int) color { return color(k % 3) }},
		&typed[int64]{value: func(k int) int64 { return int64(k) }},
		&typed[[7]byte]{value: func(k int) [7]byte { return [7]byte{6: byte(k)} }},
		&typed[struct{}]{value: func(int) (v struct{}) { return v }},
		&typed[[0]func()]{value: func(int) (v [0]func()) { return v }},
		&texts{},
		&texts{},
	}
	return p
}

func newMisused(r *rand.Rand) *arena.Arena {
	switch r.IntN(4) {
	case 0:
		return arena.NewWith(arena.Options{Retain: int64(r.IntN(5000) - 100)})
	case 1:
		return arena.NewWith(arena.Options{Limit: int64(r.IntN(100_000) + 1)})
	}
	return arena.NewArena()
}

// step does one thing, most often in an arena that is open, sometimes in one
// that has been freed, or in one that is freed or reset meanwhile.
func (p *program) step(r *rand.Rand) error {
	i := r.IntN(len(p.arenas))
	a := p.arenas[i]
	switch r.IntN(60) {
	case 0, 1, 2:
		a.Free()
		if r.IntN(5) > 0 {
			p.arenas[i] = newMisused(r)
		}
	case 3, 4, 5, 6:
		return allowed(func() error { a.Reset(); return nil })
	case 7:
		runtime.GC()
	}
	game := p.games[r.IntN(len(p.games))]
	return allowed(func() error { return game.step(r, a, a.Reset) })
}

// allowed calls f, which may panic as an arena does.
func allowed(f func() error) (err error) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(*arena.LimitError); !ok && !ours(fmt.Sprint(e)) {
				panic(e)
			}
		}
	}()
	return f()
}

// ours reports whether text is the text of a panic of package arena, arenakit or ref.
func ours(text string) bool {
	return strings.HasPrefix(text, "arena: ") || strings.HasPrefix(text, "arenakit: ") || strings.HasPrefix(text, "ref: ")
}

// typed is the game of the values of one type. It never forgets a pointer
// because that became stale, only when there are too many.
type typed[T any] struct {
	value func(k int) T     // some value
	check func(v *T) error  // tells of a T that cannot be; nil if all can
	link  func(v, other *T) // makes v point at other; may be nil

	pointers []*T
	slices   [][]T
	slabs    []*arena.Slab[T]
}

func (g *typed[T]) step(r *rand.Rand, a *arena.Arena, reset func()) error {
	value := func() T { return g.value(r.IntN(1000)) }
	switch r.IntN(12) {
	case 0:
		keep(r, &g.pointers, arena.New[T](a))
	case 1:
		p := arena.Ptr(a, value())
		if len(g.pointers) > 0 && g.link != nil {
			g.link(p, pick(r, g.pointers))
		}
		keep(r, &g.pointers, p)
	case 2:
		keep(r, &g.slabs, arena.SlabOf[T](a))
	case 3: // handles, stale or not
		if len(g.slabs) > 0 {
			s := pick(r, g.slabs)
			for range r.IntN(50) {
				keep(r, &g.pointers, s.New())
			}
		}
	case 4:
		n := r.IntN(8) * r.IntN(40)
		s := arena.MakeSlice[T](a, r.IntN(n+1), n)
		for i := range s {
			s[i] = value()
		}
		keep(r, &g.slices, s)
	case 5:
		s := arena.SliceOf(a, value(), value(), value())
		keep(r, &g.slices, s[:r.IntN(4)])
	case 6: // Append to slices, stale or not
		if len(g.slices) > 0 {
			s := pick(r, g.slices)
			for range r.IntN(5) {
				s = arena.Append(a, s, value(), value())
			}
			keep(r, &g.slices, s)
		}
	case 7: // append through spare capacity
		if len(g.slices) > 0 {
			s := append(pick(r, g.slices), value(), value())
			keep(r, &g.slices, s)
		}
	case 8: // write through pointers
		for range 10 {
			if len(g.pointers) > 0 {
				*pick(r, g.pointers) = value()
			}
			if len(g.slices) > 0 {
				s := pick(r, g.slices)
				s = s[:cap(s)]
				for i := range s {
					s[i] = value()
				}
			}
		}
	case 9: // Reset in the middle of a loop
		if len(g.slices) > 0 {
			at := r.IntN(5)
			for i, v := range pick(r, g.slices) {
				if i == at {
					reset()
				}
				*arena.New[T](a) = v
				if err := g.valid(&v); err != nil {
					return err
				}
			}
		}
	case 10:
		p := arena.NewValue(a, reflect.TypeFor[T]()).Interface().(*T)
		*p = value()
		keep(r, &g.pointers, p)
		n := r.IntN(30)
		keep(r, &g.slices, arena.MakeSliceValue(a, reflect.TypeFor[[]T](), n/2, n).Interface().([]T))
	}
	for _, p := range g.pointers {
		if err := g.valid(p); err != nil {
			return err
		}
	}
	for _, s := range g.slices {
		s = s[:cap(s)]
		for i := range s {
			if err := g.valid(&s[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *typed[T]) valid(v *T) error {
	if g.check == nil {
		return nil
	}
	if err := g.check(v); err != nil {
		return fmt.Errorf("%v: %w", reflect.TypeFor[T](), err)
	}
	return nil
}

// texts is the game of strings and bytes whose memory is in an arena. Their bytes may become
// anything; their lengths stay, and all of them can be read.
type texts struct {
	strings  []string
	lens     []int
	builders []*arena.Builder
}

func (g *texts) step(r *rand.Rand, a *arena.Arena, reset func()) error {
	var s string
	switch w := word(r.IntN(1000)); r.IntN(9) {
	case 0:
		s = arena.String(a, w)
	case 1:
		s = arena.Join(a, []string{w, "", w}, "-")
	case 2:
		s = arena.Sprintf(a, "%s %d %v", w, r.IntN(1000), color(r.IntN(3)))
	case 3:
		b := arena.Append(a, arena.Bytes(a, []byte(w)), []byte(w)...)
		s = unsafe.String(&b[0], len(b)) // as a string that lies there would be
	case 4:
		keep(r, &g.builders, arena.NewBuilder(a))
	case 5, 6: // Builders, stale or not
		if len(g.builders) > 0 {
			b := pick(r, g.builders)
			b.WriteString(w)
			b.WriteQuote(w)
			b.WriteInt(r.Int64(), 10)
			s = b.String()
		}
	case 7: // Reset between taking a string and using it
		t := arena.String(a, w)
		reset()
		s = arena.Concat(a, t, w, t)
	case 8:
		if len(g.strings) > 0 {
			s = pick(r, g.strings)
			s = s[r.IntN(len(s)+1):]
		}
	}
	if i := len(g.strings); i < 200 {
		g.strings, g.lens = append(g.strings, s), append(g.lens, len(s))
	} else {
		i = r.IntN(i)
		g.strings[i], g.lens[i] = s, len(s)
	}
	set := map[string]bool{} // of stale keys
	for i, s := range g.strings {
		if set[s] = true; len(s) != g.lens[i] || len(strings.Clone(s)+"!") != g.lens[i]+1 {
			return fmt.Errorf("a string had length %d and has %d", g.lens[i], len(s))
		}
	}
	return nil
}

// keep appends v to all, or replaces another value if there are many.
func keep[T any](r *rand.Rand, all *[]T, v T) {
	if len(*all) < 60 {
		*all = append(*all, v)
	} else {
		(*all)[r.IntN(len(*all))] = v
	}
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type pair struct{ n, square int }

type flagged struct {
	b    byte
	ok   bool
	n    int
	name string
}

type listed struct {
	next      *listed
	n, square int
}

// A color is what Go has for an enumeration: it may be any byte.
type color uint8

func (c color) String() string {
	if c > 2 {
		return "no color"
	}
	return [...]string{"red", "green", "blue"}[c]
}

// word returns a fresh string that isWord knows.
func word(k int) string { return strconv.Itoa(k) + "x" + strconv.Itoa(k*k) }

func isWord(s string) error {
	n, square, _ := strings.Cut(s, "x")
	if k, _ := strconv.Atoi(n); s != "" && square != strconv.Itoa(k*k) {
		return fmt.Errorf("a string is %q", s)
	}
	return nil
}

func isPair(p pair) error {
	if p.square != p.n*p.n {
		return fmt.Errorf("a pair is %v", p)
	}
	return nil
}

// isBool looks at the byte of a bool: the compiler takes it to be 0 or 1.
func isBool(v *bool) error {
	if b := *(*byte)(unsafe.Pointer(v)); b > 1 {
		return fmt.Errorf("a bool is %d", b)
	}
	return nil
}

func anyOf(k int) any {
	switch k % 6 {
	case 0:
		return k
	case 1:
		return word(k)
	case 2:
		return &pair{k, k * k}
	case 3:
		return pair{k, k * k}
	case 4:
		return map[string]int{word(k): k}
	}
	return color(k % 3)
}

func isAny(v any) error {
	switch v := v.(type) {
	case nil, int:
		return nil
	case string:
		return isWord(v)
	case *pair:
		return isPair(*v)
	case pair:
		return isPair(v)
	case map[string]int:
		for s := range v {
			return isWord(s)
		}
		return nil
	case color:
		if v < 3 {
			return nil
		}
	}
	return fmt.Errorf("an interface holds a %T: %v", v, v)
}
