package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/tools"
	"github.com/arena-go/arena/ref"
)

// A boxed is a value of some type, and how often any of it and Box of it allocate on the heap.
type boxed struct {
	value any
	box   func(a *arena.Arena) any
	free  bool // any(v) needs no memory
}

func boxOf[T any](v T, free bool) boxed {
	return boxed{v, func(a *arena.Arena) any { return arena.Box(a, v) }, free}
}

type (
	onePointer struct{ p *int }
	wordArray  [1]func()
	someError  struct{ code int64 }
	wide       struct {
		text string
		_    [3000]byte
	}
	halfWord struct{ a, b uint16 }
)

func (e someError) Error() string { return fmt.Sprint("error ", e.code) }

func boxes() []boxed {
	n := 1000
	return []boxed{
		boxOf(1000, false), boxOf(7, true), boxOf(-1, false), boxOf(int8(-5), true), boxOf(uint8(200), true), boxOf(true, true),
		boxOf(int16(255), true), boxOf(int16(256), false), boxOf(int32(255), true), boxOf(int32(-255), false), boxOf(uint64(math.MaxUint64), false),
		boxOf(1.5, false), boxOf(0.0, true), boxOf(float32(1.5), false), boxOf(1i, false), boxOf(uintptr(unsafe.Pointer(&n)), false),
		boxOf("text", false), boxOf([]int{1}, false), boxOf([]int(nil), false), boxOf(someError{1}, true), boxOf(someError{1 << 40}, false),
		boxOf(&n, true), boxOf((*int)(nil), true), boxOf(map[string]int{"a": 1}, true), boxOf(make(chan int), true), boxOf(onePointer{&n}, true),
		boxOf(onePointer{}, true), boxOf([1]*int{&n}, true), boxOf(wordArray{}, true), boxOf(unsafe.Pointer(&n), true),
		boxOf(struct{}{}, true), boxOf([0]int{}, true), boxOf([2]int{1, 2}, false), boxOf([8]byte{1}, false), boxOf(halfWord{1, 2}, false), boxOf([3]byte{1, 2, 3}, false),
		boxOf(wide{text: "wide"}, false), boxOf(struct {
			_ struct{}
			p *int
		}{p: &n}, true),
		boxOf[any](1000, true), boxOf[error](someError{1}, true), boxOf[any](nil, true), boxOf[fmt.Stringer](nil, true),
	}
}

// TestBox proves that a box is the interface that the compiler makes: its type, its value, in
// comparisons, maps and copies, in all arenas, also when the collector has run.
func TestBox(t *testing.T) {
	eachArena(func(name string, a *arena.Arena) {
		all := boxes()
		var got []any
		for range 3 {
			for i, b := range all {
				got = append(got, b.box(a))
				if i%8 == 0 {
					runtime.GC()
				}
			}
		}
		for i, v := range got {
			want := all[i%len(all)].value
			if reflect.TypeOf(v) != reflect.TypeOf(want) || !reflect.DeepEqual(v, want) && reflect.TypeOf(want).Kind() != reflect.Array {
				t.Errorf("arena %s: got %T %v, want %T %v", name, v, v, want, want)
			}
			if want == nil || !reflect.TypeOf(want).Comparable() {
				continue
			}
			if v != want || want != v || (map[any]bool{want: true})[v] != true || fmt.Sprint(v) != fmt.Sprint(want) {
				t.Errorf("arena %s: a box of %v is not equal to it", name, want)
			}
		}
		copies := arena.DeepClone(got)
		if !reflect.DeepEqual(copies[:len(copies)-4], arena.DeepClone(got)[:len(got)-4]) {
			t.Errorf("arena %s: copies differ", name)
		}
		for i, v := range copies {
			if want := all[i%len(all)].value; reflect.TypeOf(v) != reflect.TypeOf(want) {
				t.Errorf("arena %s: a copy has type %T, want %T", name, v, want)
			}
		}
		switch e := arena.Box(a, someError{1 << 40}).(type) {
		case error:
			if e.Error() != fmt.Sprint("error ", int64(1)<<40) || e.(someError).code != 1<<40 {
				t.Errorf("arena %s: %v", name, e)
			}
		default:
			t.Errorf("arena %s: a boxed error is a %T", name, e)
		}
	})
}

// TestBoxKeepsAlive proves that the collector sees a box, and what its value refers to, when
// nothing else does.
func TestBoxKeepsAlive(t *testing.T) {
	type pair struct {
		s []string
		n *int
	}
	var all []any
	for i := range 2000 {
		a := arena.NewArena()
		n := i
		all = append(all, arena.Box(a, pair{[]string{strings.Repeat("x", i%50)}, &n}), arena.Box(a, i<<20))
	}
	for range 3 {
		runtime.GC()
		for range 1000 {
			_ = make([]*int, 100)
		}
	}
	for i := range 2000 {
		p, n := all[2*i].(pair), all[2*i+1].(int)
		if len(p.s) != 1 || len(p.s[0]) != i%50 || *p.n != i || n != i<<20 {
			t.Fatalf("box %d is %v %d, %d", i, p.s, *p.n, n)
		}
	}
}

// TestBoxHeap proves that Box allocates nothing on the heap, and nothing in the arena where any(v)
// would be free.
func TestBoxHeap(t *testing.T) {
	if tools.Looking {
		t.Skip("arenas take new memory after each Reset")
	}
	for _, b := range boxes() {
		a := arena.NewArena()
		b.box(a)
		if used := a.Stats().InUse; (used == 0) != b.free {
			t.Errorf("Box of a %T %.20v: %d bytes in use, free is %v", b.value, b.value, used, b.free)
		}
		if n := testing.AllocsPerRun(100, func() { a.Reset(); b.box(a) }); n != 0 {
			t.Errorf("Box of a %T allocates %v times on the heap", b.value, n)
		}
	}
}

// TestBoxStale proves that a stale box shows a value of its type.
func TestBoxStale(t *testing.T) {
	a := arena.NewArena()
	r := rand.New(rand.NewPCG(1, 2))
	var old []any
	for range 20 {
		for range 500 {
			old = append(old, arena.Box(a, someError{r.Int64()}), arena.Box(a, strings.Repeat("x", r.IntN(10))))
		}
		a.Reset()
		for _, v := range old {
			switch v := v.(type) {
			case someError:
			case string:
				if strings.Trim(v, "x") != "" {
					t.Fatalf("a stale string is %q", v)
				}
			default:
				t.Fatalf("a stale box is a %T", v)
			}
		}
	}
}

// TestBool proves that a Bool is a bool for encoders, and plain.
func TestBool(t *testing.T) {
	type flags struct{ A, B ref.Bool }
	f := flags{A: ref.BoolOf(true)}
	text, err := json.Marshal(f)
	if err != nil || string(text) != `{"A":true,"B":false}` || fmt.Sprint(f) != "{true false}" {
		t.Errorf("%s, %v, %v", text, f, err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%t", "%6t", "%q"} {
		if got, want := fmt.Sprintf(verb, f.A), fmt.Sprintf(verb, true); got != want {
			t.Errorf("%s: %s, want %s", verb, got, want)
		}
	}
	var back flags
	if err := json.Unmarshal([]byte(`{"A":null,"B":true}`), &back); err != nil || back.A.Is() || back.B != 1 {
		t.Errorf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"A":1}`), &back); err == nil {
		t.Error("1 is a Bool")
	}
	_, p := ref.New[flags](ref.In(arena.NewArena())) // which takes plain types only
	p.A = 200
	if !p.A.Is() || p.B.Is() || ref.BoolOf(p.A.Is()) != ref.BoolOf(true) {
		t.Error(p)
	}
}
