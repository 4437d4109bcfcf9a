package model_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/child"
	"github.com/arena-go/arena/internal/testrun"
)

// TestTorture proves that the collector sees what values in an arena point at:
// fresh heap memory of every sort that is reachable through an arena only, put
// there in every way there is, is read back exactly while another goroutine
// collects without pause; in a new arena, after Reset in memory used again,
// after Free, and when the arena is dropped without Free.
func TestTorture(t *testing.T) {
	collect(t)
	torture(t, specimen[string]{text, func(v string, i int) bool { return v == text(i) }})
	torture(t, specimen[[]int]{
		func(i int) []int { return []int{i, ^i} },
		func(v []int, i int) bool { return len(v) == 2 && v[0] == i && v[1] == ^i },
	})
	torture(t, specimen[map[int]string]{
		func(i int) map[int]string { return map[int]string{i: text(i)} },
		func(v map[int]string, i int) bool { return len(v) == 1 && v[i] == text(i) },
	})
	torture(t, specimen[any]{
		func(i int) any { return *newLeaf(i) },
		func(v any, i int) bool { l, ok := v.(leaf); return ok && l == leaf{i, text(i)} },
	})
	torture(t, specimen[error]{
		func(i int) error { return errors.New(text(i)) },
		func(v error, i int) bool { return v.Error() == text(i) },
	})
	torture(t, specimen[func() string]{
		func(i int) func() string { s := text(i); return func() string { return s } },
		func(v func() string, i int) bool { return v() == text(i) },
	})
	torture(t, specimen[chan int]{
		func(i int) chan int { c := make(chan int, 1); c <- i; return c },
		holds,
	})
	torture(t, specimen[*leaf]{newLeaf, func(v *leaf, i int) bool { return *v == leaf{i, text(i)} }})
	torture(t, specimen[[3]*leaf]{
		func(i int) [3]*leaf { return [3]*leaf{2: newLeaf(i)} },
		func(v [3]*leaf, i int) bool { return v[0] == nil && v[1] == nil && *v[2] == leaf{i, text(i)} },
	})
	torture(t, specimen[mixture]{newMixture, mixture.is})
}

// TestTortureText proves the same for the text of an arena: every string that
// was made in it holds its bytes, wherever the string itself lies.
func TestTortureText(t *testing.T) {
	collect(t)
	for name, build := range map[string]func(a *arena.Arena, i int) string{
		"String":  func(a *arena.Arena, i int) string { return arena.String(a, text(i)) },
		"Concat":  func(a *arena.Arena, i int) string { return arena.Concat(a, "text ", strconv.Itoa(i)) },
		"Join":    func(a *arena.Arena, i int) string { return arena.Join(a, []string{"text", strconv.Itoa(i)}, " ") },
		"Sprintf": func(a *arena.Arena, i int) string { return arena.Sprintf(a, "text %d", i) },
		"Bytes":   func(a *arena.Arena, i int) string { return string(arena.Bytes(a, []byte(text(i)))) },
		"Builder": func(a *arena.Arena, i int) string {
			b := arena.NewBuilder(a)
			b.WriteString("text")
			arena.New[byte](a)
			b.WriteByte(' ')
			arena.MakeSlice[int32](a, 1, 1) // the Builder grows by a copy
			b.WriteInt(int64(i), 10)
			return b.String()
		},
	} {
		torture(t, specimen[string]{nil, func(v string, i int) bool { return v == text(i) }}, way[string]{
			name,
			func(a *arena.Arena, n int, _ func(int) string) func(int) *string {
				p := make([]*string, n)
				for i := range p {
					if s := build(a, i); i%2 == 0 {
						p[i] = &s
					} else {
						p[i] = arena.Ptr(a, s)
					}
				}
				return func(i int) *string { return p[i] }
			},
		})
	}
}

// TestTortureInterior proves that one pointer into the middle of a value keeps
// all that can be reached from there, when the arena is dropped or freed.
func TestTortureInterior(t *testing.T) {
	collect(t)
	const chain = 50
	for _, w := range ways[mixture]() {
		kept := make([]**mixture, howMany()/chain)
		words := make([]string, len(kept))
		for k := range kept {
			a := new(arena.Arena)
			at := w.fill(a, chain, newMixture)
			for i := range chain - 1 {
				at(i).next = at(i + 1)
				at(i).word = arena.String(a, text(i))
			}
			kept[k] = &at(0).next
			words[k] = arena.String(a, text(k))[3:]
			if k%2 == 0 {
				a.Free()
			}
		}
		overwrite(howMany())
		lost := 0
		for k, p := range kept {
			i := 1
			for n := *p; n != nil && i <= chain; n, i = n.next, i+1 {
				if !n.is(i) || n.next != nil && n.word != text(i) {
					lost++
				}
			}
			if i != chain || words[k] != text(k)[3:] {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: lost %d of %d values behind an interior pointer", w.name, lost, howMany())
		}
	}
}

// TestTortureCanFail proves that TestTorture and TestTortureInterior notice an
// arena whose memory the collector does not scan: in a child process they run on
// such a one, and have to fail.
func TestTortureCanFail(t *testing.T) {
	for _, name := range []string{"TestTorture", "TestTortureInterior"} {
		out, err := runTest(t, name, unscanned+"=1")
		if err == nil || !strings.Contains(out, "lost") && !strings.Contains(out, "SIG") && !strings.Contains(out, "runtime: ") && !strings.Contains(out, "fatal error") {
			t.Errorf("%s did not lose values in memory that the collector does not scan: %v\n%s", name, err, out)
		}
	}
}

// unscanned is the environment variable by which TestTortureCanFail tells its
// child process to torture memory that the collector does not scan.
const unscanned = "ARENA_TEST_UNSCANNED"

// inUnscanned is the unsound way: values in memory allocated as bytes.
func inUnscanned[T any](_ *arena.Arena, n int, fresh func(int) T) func(int) *T {
	size := unsafe.Sizeof(*new(T))
	memory := make([]byte, n*int(size))
	at := func(i int) *T { return (*T)(unsafe.Pointer(&memory[i*int(size)])) }
	for i := range n {
		*at(i) = fresh(i)
	}
	return at
}

// collect collects without pause, in another goroutine, until the test ends.
func collect(t *testing.T) {
	percent := debug.SetGCPercent(1)
	var stop atomic.Bool
	done := make(chan bool)
	go func() {
		defer close(done)
		for !stop.Load() {
			runtime.GC()
		}
	}()
	t.Cleanup(func() {
		stop.Store(true)
		<-done
		debug.SetGCPercent(percent)
	})
}

// overwrite collects, and then fills memory that was found to be free, up to n objects of
// it, so that who still reads there notices.
func overwrite(n int) {
	runtime.GC()
	for i := range min(n, 5_000) {
		b := make([]byte, 8<<(i%5)) // of 8 to 128 bytes
		for k := range b {
			b[k] = 0xCC
		}
		p := make([]*int, 1<<(i%5))
		p[0] = new(int)
		garbage[i%len(garbage)] = [2]any{b, p}
	}
	clear(garbage[:])
}

// garbage is what overwrite wrote last.
var garbage [1000]any

// howMany returns how many values of each sort are tortured.
func howMany() int { return testrun.Few(50_000) }

// A specimen is a type to torture: how to make the i-th value with fresh heap
// memory, and how to tell that it still is the i-th.
type specimen[T any] struct {
	fresh func(i int) T
	same  func(v T, i int) bool
}

// A way puts n values into an arena and returns how to find them there.
type way[T any] struct {
	name string
	fill func(a *arena.Arena, n int, fresh func(int) T) func(i int) *T
}

// torture takes s through the life of an arena, in each of the given ways, or
// all that there are for T.
func torture[T any](t *testing.T, s specimen[T], in ...way[T]) {
	if in == nil {
		in = ways[T]()
	}
	n := howMany()
	for _, w := range in {
		check := func(when string, at func(int) *T) {
			t.Helper()
			overwrite(n)
			lost := 0
			for i := range n {
				if !s.same(*at(i), i) {
					lost++
				}
			}
			if lost > 0 {
				t.Errorf("%v, %s: lost %d of %d values %s", reflect.TypeFor[T](), w.name, lost, n, when)
			}
		}
		a := new(arena.Arena)
		check("in a new arena", w.fill(a, n, s.fresh))
		a.Reset()
		at := w.fill(a, n, s.fresh)
		check("after Reset", at)
		if turn++; turn%2 == 0 {
			a.Free()
			check("after Free", at)
		} else {
			a = nil
			check("when the arena was dropped", at)
		}
	}
	turn++ // so that the next specimen takes the other turn in each way
}

// turn tells torture whether to free an arena or to drop it. The number of ways is even.
var turn int

// ways returns all ways to put values of type T into an arena.
func ways[T any]() []way[T] {
	if os.Getenv(unscanned) != "" {
		return []way[T]{{"unscanned", inUnscanned[T]}}
	}
	// one makes a way of a function that allocates one value.
	one := func(name string, put func(a *arena.Arena, i int, fresh func(int) T) *T) way[T] {
		return way[T]{name, func(a *arena.Arena, n int, fresh func(int) T) func(int) *T {
			p := make([]*T, n)
			for i := range p {
				p[i] = put(a, i, fresh)
			}
			return func(i int) *T { return p[i] }
		}}
	}
	// some makes a way of a function that allocates size values, from the i-th on.
	some := func(name string, put func(a *arena.Arena, i, size int, fresh func(int) T) []T) way[T] {
		return way[T]{name, func(a *arena.Arena, n int, fresh func(int) T) func(int) *T {
			p := make([]*T, 0, n)
			for size := 1; len(p) < n; size = size*5%6421 + 1 {
				v := put(a, len(p), min(size, n-len(p)), fresh)
				for i := range v {
					p = append(p, &v[i])
				}
			}
			return func(i int) *T { return p[i] }
		}}
	}
	set := func(v []T, i int, fresh func(int) T) []T {
		for k := range v {
			v[k] = fresh(i + k)
		}
		return v
	}
	return []way[T]{
		one("New", func(a *arena.Arena, i int, fresh func(int) T) *T {
			p := arena.New[T](a)
			*p = fresh(i)
			return p
		}),
		one("Ptr", func(a *arena.Arena, i int, fresh func(int) T) *T { return arena.Ptr(a, fresh(i)) }),
		one("Slab", func(a *arena.Arena, i int, fresh func(int) T) *T {
			p := arena.SlabOf[T](a).New()
			*p = fresh(i)
			return p
		}),
		one("NewValue", func(a *arena.Arena, i int, fresh func(int) T) *T {
			p := arena.NewValue(a, reflect.TypeFor[T]()).Interface().(*T)
			*p = fresh(i)
			return p
		}),
		some("MakeSlice", func(a *arena.Arena, i, n int, fresh func(int) T) []T {
			return set(arena.MakeSlice[T](a, n, n), i, fresh)
		}),
		some("SliceOf", func(a *arena.Arena, i, n int, fresh func(int) T) []T {
			return arena.SliceOf(a, set(make([]T, n), i, fresh)...)
		}),
		some("MakeSliceValue", func(a *arena.Arena, i, n int, fresh func(int) T) []T {
			v := arena.MakeSliceValue(a, reflect.TypeFor[[]T](), n, n+1).Interface().([]T)
			return set(v, i, fresh)
		}),
		{"Append", func(a *arena.Arena, n int, fresh func(int) T) func(int) *T {
			var even, odd []T // two that grow: in place for a while, then by a copy
			for i := range n {
				if i%2 == 0 {
					even = arena.Append(a, even, fresh(i))
				} else {
					odd = arena.Append(a, odd, fresh(i))
				}
			}
			return func(i int) *T {
				if i%2 == 0 {
					return &even[i/2]
				}
				return &odd[i/2]
			}
		}},
	}
}

// text returns a fresh string, the i-th.
func text(i int) string { return "text " + strconv.Itoa(i) }

type leaf struct {
	i    int
	name string
}

func newLeaf(i int) *leaf { return &leaf{i, text(i)} }

// A mixture holds some of everything.
type mixture struct {
	i     int
	ok    bool
	name  string
	list  []string
	table map[string]int
	any   any
	call  func() int
	pipe  chan int
	leaf  *leaf
	next  *mixture
	word  string
	bytes [3]byte
}

func newMixture(i int) mixture {
	c := make(chan int, 1)
	c <- i
	return mixture{
		i: i, ok: true, name: text(i), list: []string{text(i)}, table: map[string]int{text(i): i},
		any: text(i), call: func() int { return i }, pipe: c, leaf: newLeaf(i),
	}
}

// holds reports whether c has i queued, which stays there.
func holds(c chan int, i int) bool {
	select {
	case n := <-c:
		c <- n
		return n == i
	default:
		return false
	}
}

// is reports whether n is newMixture(i); next and word may be anything.
func (n mixture) is(i int) bool {
	return n.i == i && n.ok && n.name == text(i) && len(n.list) == 1 && n.list[0] == text(i) &&
		len(n.table) == 1 && n.table[text(i)] == i && n.any == any(text(i)) && n.call() == i &&
		holds(n.pipe, i) && *n.leaf == leaf{i, text(i)} && n.bytes == [3]byte{}
}

// runTest runs one test of this binary in a child process, with env added to
// the environment, and returns what it printed.
func runTest(t *testing.T, name string, env ...string) (string, error) {
	t.Helper()
	args := []string{"-test.run=^" + name + "$", "-test.v=" + strconv.FormatBool(testing.Verbose())}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	if testrun.Long() {
		args = append(args, "-long")
	}
	cmd := child.Command(testrun.Context(t), args, env...)
	cmd.Dir = t.TempDir() // where a crash leaves its core
	out, err := cmd.CombinedOutput()
	if n := len(out); n > 1<<14 {
		out = append(out[:1<<13:1<<13], fmt.Sprintf("\n[... %d bytes ...]\n", n-1<<14)+string(out[n-1<<13:])...)
	}
	return strings.TrimSpace(string(out)), err
}
