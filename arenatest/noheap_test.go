package arenatest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenatest"
	"github.com/arena-go/arena/internal/fake"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// What functions allocate and drop goes through these, so that the compiler cannot keep it on the
// stack.
var (
	sinkString string
	sinkBytes  []byte
	sinkAny    any
	sinkFunc   func() int
	sinkInt    *int
	sinkBool   *bool
	sinkMap    map[int]int
	number     = 123456
	words      = []string{"one", "two", "three"}
)

type node struct {
	left, _ *node
	name    string
}

// cleanOps allocate in the arena and nowhere else.
var cleanOps = map[string]func(a *arena.Arena){
	"New":       func(a *arena.Arena) { arena.New[node](a).left = arena.New[node](a) },
	"NewPlain":  func(a *arena.Arena) { *arena.New[int](a) = number },
	"Ptr":       func(a *arena.Arena) { arena.Ptr(a, node{name: words[0]}) },
	"MakeSlice": func(a *arena.Arena) { arena.MakeSlice[*node](a, 10, 100)[0] = arena.New[node](a) },
	"Large":     func(a *arena.Arena) { arena.MakeSlice[byte](a, 200<<10, 200<<10)[7] = 7 },
	"Aligned":   func(a *arena.Arena) { arena.MakeSliceAligned[uint64](a, 10, 10, 64)[7] = 7 },
	"SliceOf":   func(a *arena.Arena) { arena.SliceOf(a, 1, 2, number) },
	"Append": func(a *arena.Arena) {
		var s []int
		for i := range 1000 {
			s = arena.Append(a, s, i)
		}
	},
	"Map of pointers": func(a *arena.Arena) {
		m := arena.NewMap[int, *int](a, 0)
		for i := range 100 {
			m.Set(i, nil)
		}
	},
	"References": func(a *arena.Arena) {
		space := ref.In(a)
		for range 100 {
			_, p := ref.New[int64](space)
			*p = int64(number)
		}
	},
	"Text": func(a *arena.Arena) {
		s := arena.String(a, words[0])
		arena.Bytes(a, arena.Concat(a, s, words[1]))
		arena.Join(a, words, ", ")
	},
	"Builder": func(a *arena.Arena) {
		b := arena.NewBuilder(a)
		for i := range int64(100) {
			b.WriteString("number ")
			b.WriteInt(i+1000, 10)
			b.WriteFloat(float64(i)/3, 'g', -1, 64)
			b.WriteByte('\n')
		}
		_ = b.String()
	},
	"Sprintf": func(a *arena.Arena) { arena.Sprintf(a, "%v", &number) },
	"Map": func(a *arena.Arena) {
		m := arena.NewMap[string, int](a, 0)
		for i, w := range words {
			m.Set(w, i)
		}
		n := arena.NewMap[int, *node](a, 100)
		for i := range 1000 {
			n.Set(i, nil)
		}
	},
	"Slab": func(a *arena.Arena) {
		s := arena.SlabOf[node](a)
		for range 1000 {
			s.New()
		}
	},
}

// dirtyOps allocate on the heap. Their functions have the names.
var dirtyOps = map[string]func(a *arena.Arena){
	"heapSprintf": heapSprintf, "heapConcat": heapConcat, "heapAppend": heapAppend, "heapBox": heapBox,
	"heapClosure": heapClosure, "heapStrconv": heapStrconv, "heapMake": heapMake, "heapMap": heapMap,
	"heapArgs": heapArgs, "heapDeep": heapDeep, "heapTiny1": heapTiny1, "heapTiny2": heapTiny2,
	"heapByte": heapByte,
}

//go:noinline
func heapSprintf(*arena.Arena) { sinkString = fmt.Sprintf("%v", &words) }

//go:noinline
func heapConcat(*arena.Arena) { sinkString = words[0] + words[1] }

//go:noinline
func heapAppend(a *arena.Arena) { sinkBytes = append(arena.MakeSlice[byte](a, 10, 10), 1) }

//go:noinline
func heapBox(*arena.Arena) { sinkAny = number }

//go:noinline
func heapClosure(*arena.Arena) {
	n := number
	sinkFunc = func() int { n++; return n }
}

//go:noinline
func heapStrconv(*arena.Arena) { sinkString = strconv.Itoa(number) }

//go:noinline
func heapMake(*arena.Arena) { sinkBytes = make([]byte, 100) }

//go:noinline
func heapMap(*arena.Arena) { sinkMap = map[int]int{number: 1} }

//go:noinline
func heapArgs(a *arena.Arena) { arena.Sprintf(a, "%d", number) }

//go:noinline
func heapDeep(a *arena.Arena) { deep(60) }

//go:noinline
func deep(n int) {
	if n > 0 {
		deep(n - 1)
	} else {
		sinkBytes = make([]byte, 100)
	}
}

//go:noinline
func heapTiny1(*arena.Arena) { sinkInt = new(int) }

//go:noinline
func heapTiny2(*arena.Arena) { sinkInt = new(int) }

//go:noinline
func heapByte(*arena.Arena) { sinkBool = new(bool) }

//go:noinline
func heapNil(*arena.Arena) { sinkInt = arena.New[int](nil) }

// noHeap returns what NoHeap says of f.
func noHeap(t *testing.T, f func(a *arena.Arena)) string {
	ft := fake.New(t, t.Name())
	arenatest.NoHeap(ft, f)
	return ft.End()
}

// opName finds the functions of dirtyOps in a text with stacks.
var opName = regexp.MustCompile(`arenatest_test\.(heap\w+)\n`)

func init() {
	if sanitizing {
		// Package reflect allocates there for fmt.
		delete(cleanOps, "Sprintf")
	}
}

// TestNoHeap runs random programs of operations, some of which allocate on the heap, while other
// goroutines do as well, and wants exactly those named.
func TestNoHeap(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	done := make(chan bool)
	defer close(done)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				heapOfOthers(i)
			}
		}
	}()
	clean, dirty := slices.Sorted(maps.Keys(cleanOps)), slices.Sorted(maps.Keys(dirtyOps))
	rounds := 8
	if watched {
		rounds = 4 // the race detector is slow
	}
	if !testrun.Long() {
		rounds = 3
	}
	for round := range rounds {
		var program []func(*arena.Arena)
		var names []string
		want := map[string]bool{}
		for range 1 + r.IntN(8) {
			name := clean[r.IntN(len(clean))]
			program, names = append(program, cleanOps[name]), append(names, name)
		}
		if round > 0 {
			for range r.IntN(5) {
				name := dirty[r.IntN(len(dirty))]
				program, names = append(program, dirtyOps[name]), append(names, name)
				want[name] = true
			}
		}
		r.Shuffle(len(program), func(i, j int) {
			program[i], program[j] = program[j], program[i]
			names[i], names[j] = names[j], names[i]
		})
		// What is found is taken out, as people do, until nothing is. Small values may hide others
		// until then.
		for gone := map[string]bool{}; ; {
			text := noHeap(t, func(a *arena.Arena) {
				for i, op := range program {
					if !gone[names[i]] {
						op(a)
					}
				}
			})
			if text == "" {
				if !maps.Equal(gone, want) {
					t.Fatalf("seed %d, round %d, %v: NoHeap found %v, want %v", seed, round, names, gone, want)
				}
				break
			}
			before, found := len(gone), map[string]bool{}
			for _, m := range opName.FindAllStringSubmatch(text, -1) {
				if !want[m[1]] || gone[m[1]] {
					t.Errorf("%s is not in the program", m[1])
				}
				found[m[1]] = true
			}
			maps.Copy(gone, found)
			left := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(name string) bool { return gone[name] })
			left = slices.DeleteFunc(left, isSmall)
			if len(gone) == before || len(left) > 0 || t.Failed() {
				t.Fatalf("seed %d, round %d, %v: NoHeap did not find %v:\n%s", seed, round, names, left, text)
			}
		}
	}
}

// isSmall reports whether an operation allocates values that share blocks.
func isSmall(name string) bool {
	return slices.Contains([]string{"heapTiny1", "heapTiny2", "heapByte", "heapConcat", "heapStrconv", "heapSprintf", "heapBox", "heapArgs"}, name)
}

//go:noinline
func heapOfOthers(n int) { _ = fmt.Sprint(n, n+1) }

// TestNoHeapClean has each operation by itself, so that nothing but its own warming has warmed it.
func TestNoHeapClean(t *testing.T) {
	for name, f := range cleanOps {
		if text := noHeap(t, f); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestNoHeapCounts compares with what testing.AllocsPerRun counts.
func TestNoHeapCounts(t *testing.T) {
	f := func(a *arena.Arena) {
		for range 3 {
			heapMake(a)
		}
		heapMap(a)
	}
	text := noHeap(t, f)
	var first, total string
	if m := regexp.MustCompile(`heap, (\S+) times`).FindStringSubmatch(text); m != nil {
		total = m[1]
	}
	if m := regexp.MustCompile(`\n(\S+) times, (\S+) bytes, at`).FindStringSubmatch(text); m != nil {
		first = m[1] + " of " + m[2]
	}
	want := fmt.Sprint(testing.AllocsPerRun(100, func() { f(nil) }))
	if total != want || !sanitizing && first != "3 of 336" {
		t.Errorf("total %s, want %s; the first place has %s bytes, want 3 of 336:\n%s", total, want, first, text)
	}
	for _, line := range []string{"arenatest_test.heapMake\n", "noheap_test.go:", "arenatest_test.TestNoHeapCounts.func1\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

// TestNoHeapNil finds an arena that got lost on the way.
func TestNoHeapNil(t *testing.T) {
	text := noHeap(t, heapNil)
	if found := strings.Contains(text, "arena.New[...]"); found == watched {
		t.Errorf("found: %v, want %v:\n%s", found, !watched, text)
	}
}

// TestNoHeapSmall wants small values named that share blocks with others.
func TestNoHeapSmall(t *testing.T) {
	text := noHeap(t, func(a *arena.Arena) {
		heapTiny1(a)
		heapTiny2(a)
	})
	if !strings.Contains(text, "heapTiny1") || !strings.Contains(text, "heapTiny2") {
		t.Error(text)
	}
}

// TestNoHeapWarm has a function that allocates when it is run for the first times.
func TestNoHeapWarm(t *testing.T) {
	n := 0
	if text := noHeap(t, func(a *arena.Arena) {
		if n++; n <= 30 {
			heapMake(a)
		}
	}); text != "" {
		t.Error(text)
	}
}

// TestNoHeapGrowing has an arena that needs more memory all the time.
func TestNoHeapGrowing(t *testing.T) {
	n := 0
	if text := noHeap(t, func(a *arena.Arena) {
		n += 100
		arena.MakeSlice[byte](a, n, n)
		arena.MakeSlice[*int](a, n, n)
		for range n / 100 {
			arena.New[node](a)
		}
	}); text != "" {
		t.Error(text)
	}
}

// TestNoHeapPanic checks that a panic of f goes on and leaves nothing behind.
func TestNoHeapPanic(t *testing.T) {
	const rate = 12345
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = rate
	func() {
		defer func() {
			if v := recover(); v != "enough" {
				t.Errorf("recovered %v", v)
			}
		}()
		n := 0
		noHeap(t, func(*arena.Arena) {
			if n++; n > 50 {
				panic("enough")
			}
		})
	}()
	if runtime.MemProfileRate != rate {
		t.Errorf("MemProfileRate is %d after a panic, was %d", runtime.MemProfileRate, rate)
	}
	if text := noHeap(t, heapBox); !strings.Contains(text, "heapBox") {
		t.Errorf("after a panic NoHeap says %q", text)
	}
}
