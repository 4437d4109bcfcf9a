package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// A heapMemory is a Memory that takes from the heap.
type heapMemory struct{}

func (heapMemory) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (heapMemory) Free([]byte)                    {}

// eachArena calls f with arenas of all kinds: a nil one, a new one, one with memory that was used
// before, and with each option that changes where values lie.
func eachArena(f func(name string, a *arena.Arena)) {
	f("nil", nil)
	f("new", arena.NewArena())
	used := arena.NewArena()
	for range 2 {
		for range 100 {
			arena.String(used, strings.Repeat("\xff", 100))
			arena.Ptr(used, "\xff")
		}
		used.Reset()
	}
	f("used", used)
	for name, o := range map[string]arena.Options{
		"Limit": {Limit: 1 << 20}, "Guard": {Guard: true}, "Memory": {Memory: heapMemory{}},
	} {
		a := arena.NewWith(o)
		f(name, a)
		a.Free()
	}
}

// randomText returns text with bytes of all kinds in it.
func randomText(r *rand.Rand) string {
	var b []byte
	for range r.IntN(20) * (1 + r.IntN(20)) {
		switch r.IntN(8) {
		default:
			b = append(b, byte('A'+r.IntN(58)))
		case 3:
			b = append(b, byte(r.IntN(128)))
		case 4:
			b = append(b, byte(r.IntN(256)))
		case 5:
			b = append(b, " ,<>&\"\\'\t\n"[r.IntN(10)])
		case 6:
			b = append(b, string([]rune{rune(r.IntN(0x3000)), 'İ', 'ſ', '\u2028', '\ufffd', 'ß', 'ⱥ'}[r.IntN(7)])...)
		case 7:
			b = append(b, string(rune(r.IntN(0x110000)))...)
		}
	}
	return string(b)
}

// checkText compares text that is made in a with that which is made on the heap.
func checkText(t *testing.T, name string, a *arena.Arena, s string, n int64, f float64) {
	t.Helper()
	same := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s of %q, %d, %v, arena %s: got %q, want %q", what, s, n, f, name, got, want)
		}
	}
	type text string
	type raw []byte
	b := []byte(s)
	kept := arena.String(a, b)
	same("String of bytes", arena.String(a, raw(b)), s)
	same("String of a string", arena.String(a, text(s)), s)
	same("Bytes of a string", string(arena.Bytes(a, text(s))), s)
	same("Bytes", string(arena.Bytes(a, raw(b))), s)
	if got := arena.Bytes(a, s); got == nil || a != nil && cap(got) != len(s) {
		t.Errorf("Bytes of %q, arena %s: %v, of capacity %d", s, name, got, cap(got))
	}
	if arena.Bytes(a, raw(nil)) != nil || arena.Bytes(a, raw{}) == nil {
		t.Errorf("Bytes of no bytes, arena %s, are not nil or not empty as they were", name)
	}
	clear(b)
	same("String, after the bytes have changed,", kept, s)

	built := arena.NewBuilder(a)
	for _, format := range []byte("beEfgGxX?") {
		for _, precision := range []int{-1, 0, 3, int(n & 0x3ff)} {
			for _, bits := range []int{32, 64} {
				want := strconv.FormatFloat(f, format, precision, bits)
				built.Truncate(0)
				built.WriteFloat(f, format, precision, bits)
				same(fmt.Sprintf("WriteFloat by %c, %d, %d", format, precision, bits), built.String(), want)
			}
		}
	}
	built = arena.NewBuilder(a)
	built.WriteString("<")
	built.WriteQuote(s)
	same("WriteQuote", built.String(), "<"+strconv.Quote(s))
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	built.Truncate(1)
	built.WriteJSONString(s)
	escaped := func(s string) string { return strings.ReplaceAll(s, "\ufffd", `\ufffd`) } // versions of Go differ in that
	same("WriteJSONString", escaped(built.String()), escaped("<"+string(quoted)))

	for what, r := range map[string]io.Reader{
		"":           strings.NewReader(s),
		", bytewise": iotest.OneByteReader(strings.NewReader(s)), ", with EOF": iotest.DataErrReader(strings.NewReader(s)),
	} {
		got, err := arena.ReadAll(a, r)
		if err != nil || got == nil {
			t.Errorf("ReadAll%s, arena %s: %v, %v", what, name, got, err)
		}
		same("ReadAll"+what, string(got), s)
	}
	for limit := max(len(s)-2, 0); limit < len(s)+2; limit++ {
		got, err := arena.ReadAllLimit(a, strings.NewReader(s), limit)
		same("ReadAllLimit", string(got), s[:min(limit, len(s))])
		if errors.Is(err, arena.ErrLimit) != (limit < len(s)) || limit >= len(s) && err != nil {
			t.Errorf("ReadAllLimit of %d bytes, %d allowed, arena %s: %v", len(s), limit, name, err)
		}
	}
	got, err := arena.ReadAll(a, io.MultiReader(strings.NewReader(s), iotest.ErrReader(io.ErrNoProgress)))
	same("ReadAll with an error", string(got), s)
	if err != io.ErrNoProgress {
		t.Errorf("ReadAll, arena %s: %v", name, err)
	}
}

// TestText compares what makes text with packages strings, strconv, io and json, for random input.
func TestText(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	eachArena(func(name string, a *arena.Arena) {
		rounds := 300
		if name == "Guard" {
			rounds = 10
		}
		for i := range rounds {
			f := math.Float64frombits(r.Uint64())
			if i%2 == 0 {
				f = []float64{0, 1, -1.5, 1e300, 5e-324, math.MaxFloat64, math.Inf(-1), math.NaN(), float64(float32(f))}[r.IntN(9)]
			}
			checkText(t, name, a, randomText(r), int64(r.Uint64())>>r.IntN(64), f)
			if i%20 == 0 {
				a.Reset()
			}
		}
	})
}

// FuzzText is TestText of fuzzed input.
func FuzzText(f *testing.F) {
	f.Add("", int64(0), 0.0)
	f.Add(strings.Repeat("\x00\xff", 100), int64(math.MinInt64), -math.MaxFloat64)
	f.Add(strings.Repeat("abcdefghi☃", 9), int64(99), 1e21)
	f.Add(strings.Repeat("x", 63)+"\xe2\x98", int64(100), 5e-324)
	f.Fuzz(func(t *testing.T, s string, n int64, x float64) {
		if len(s) > 10_000 {
			return
		}
		checkText(t, "new", arena.NewArena(), s, n, x)
	})
}

// TestBuilderPrograms runs random programs of a Builder against a bytes.Buffer. Strings that it has
// returned never change.
func TestBuilderPrograms(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	eachArena(func(name string, a *arena.Arena) {
		for range 100 {
			b := arena.NewBuilder(a)
			var want bytes.Buffer
			kept := map[string]string{} // text, and a copy of it
			for range r.IntN(40) {
				s := randomText(r)
				switch r.IntN(8) {
				case 0:
					n := r.IntN(want.Len() + 1)
					want.Truncate(n)
					b.Truncate(n)
				case 1:
					if n, err := io.Copy(b, iotest.HalfReader(strings.NewReader(s))); n != int64(len(s)) || err != nil {
						t.Fatalf("arena %s: Copy of %d bytes: %d, %v", name, len(s), n, err)
					}
					want.WriteString(s)
				case 2:
					room := b.AvailableBuffer()
					if len(room) != 0 || cap(room) != b.Available() || b.Available() != b.Cap()-b.Len() {
						t.Fatalf("arena %s: AvailableBuffer has %d of %d bytes, Available is %d", name, len(room), cap(room), b.Available())
					}
					b.Write(append(room, s...))
					want.WriteString(s)
				case 3:
					s := b.String()
					kept[s] = strings.Clone(s)
				case 4:
					b.Bytes()
				case 5:
					arena.New[int](a)
					arena.String(a, "between")
				default:
					b.WriteString(s)
					want.WriteString(s)
				}
				if b.Len() != want.Len() {
					t.Fatalf("arena %s: length %d, want %d", name, b.Len(), want.Len())
				}
			}
			if got := b.String(); got != want.String() {
				t.Fatalf("arena %s: got %q, want %q", name, got, &want)
			}
			for s, was := range kept {
				if s != was {
					t.Fatalf("arena %s: %q was %q", name, s, was)
				}
			}
		}
	})
}

// TestReadBroken proves that a Reader which breaks its contract is a panic that names it, and that
// bad arguments are.
func TestReadBroken(t *testing.T) {
	for _, n := range []int{-1, 1 << 20} {
		eachArena(func(name string, a *arena.Arena) {
			for what, f := range map[string]func(){
				"ReadAll":  func() { arena.ReadAll(a, lying(n)) },
				"ReadFrom": func() { io.Copy(arena.NewBuilder(a), lying(n)) },
			} {
				if got := fmt.Sprint(recovered(f)); !strings.HasPrefix(got, "arena: Read of a model_test.lying") {
					t.Errorf("%s, arena %s: %s", what, name, got)
				}
			}
		})
	}
	for what, f := range map[string]func(){
		"ReadAllLimit":     func() { arena.ReadAllLimit(nil, nil, -1) },
		"Builder.Truncate": func() { arena.NewBuilder(nil).Truncate(1) },
	} {
		if got := fmt.Sprint(recovered(f)); !strings.HasPrefix(got, "arena: "+what) {
			t.Errorf("%s: %s", what, got)
		}
	}
	b := arena.NewBuilder(nil)
	b.WriteString("a")
	if got := fmt.Sprint(recovered(func() { b.Truncate(-1) })); !strings.HasPrefix(got, "arena: Builder.Truncate") {
		t.Error(got)
	}
}

// TestReadFromItself has Readers change the Builder that reads from them. What was read is in other
// memory then, or would be lost: a TeeReader that writes to the Builder is a program that looks
// right.
func TestReadFromItself(t *testing.T) {
	eachArena(func(name string, a *arena.Arena) {
		for what, change := range map[string]func(b *arena.Builder){
			"WriteString": func(b *arena.Builder) { b.WriteString("more") },
			"WriteLong":   func(b *arena.Builder) { b.WriteString(strings.Repeat("more", 1000)) },
			"Grow":        func(b *arena.Builder) { b.Grow(10_000) },
			"Truncate":    func(b *arena.Builder) { b.Truncate(1) },
			"Reset":       (*arena.Builder).Reset,
			"a copy": func(b *arena.Builder) {
				*copyOf(b) = arena.Builder{}
				copyOf(b).WriteByte('c')
			},
		} {
			b := arena.NewBuilder(a)
			b.WriteString("begin")
			kept := b.String()
			read := func(p []byte) (int, error) { change(b); return copy(p, "read"), io.EOF }
			if got := fmt.Sprint(recovered(func() { b.ReadFrom(readerFunc(read)) })); !strings.HasPrefix(got, "arena: Builder.ReadFrom: a model_test.readerFunc has changed") {
				t.Errorf("%s, arena %s: %s", what, name, got)
			}
			if kept != "begin" {
				t.Errorf("%s, arena %s: a string has become %q", what, name, kept)
			}
		}
		b := arena.NewBuilder(a) // reading is no change
		var kept [2]string
		n, err := b.ReadFrom(readerFunc(func(p []byte) (int, error) {
			kept[b.Len()/4] = b.String()
			return copy(p, "read"), [2]error{nil, io.EOF}[b.Len()/4]
		}))
		if n != 8 || err != nil || b.String() != "readread" || kept != [2]string{"", "read"} {
			t.Errorf("arena %s: %d, %v, %q, %q", name, n, err, b.String(), kept)
		}
		for _, b := range []*arena.Builder{arena.NewBuilder(a), b} {
			if got := fmt.Sprint(recovered(func() { b.Grow(math.MaxInt) })); !strings.HasPrefix(got, "arena: a Builder of ") {
				t.Errorf("Grow by all, arena %s: %s", name, got)
			}
		}
	})
}

// A readerFunc is a Read.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A lying Reader claims to have read this number of bytes.
type lying int

func (n lying) Read([]byte) (int, error) { return int(n), nil }

// checkNoHeap checks that f allocates nothing on the heap in an arena that was used before.
func checkNoHeap(t *testing.T, calls map[string]func(a *arena.Arena)) {
	t.Helper()
	if tools.Looking {
		return
	}
	for name, f := range calls {
		a := arena.NewArena()
		if n := testing.AllocsPerRun(100, func() { a.Reset(); f(a) }); n != 0 {
			t.Errorf("%s allocates %v times on the heap", name, n)
		}
	}
}

// TestTextNoHeap proves that nothing that makes text makes it on the heap first.
func TestTextNoHeap(t *testing.T) {
	long := strings.Repeat("a\x00\xff☃", 300)
	buffer, reader := []byte(long), strings.NewReader(long)
	checkNoHeap(t, map[string]func(a *arena.Arena){
		"String of bytes":   func(a *arena.Arena) { arena.String(a, buffer) },
		"Bytes of a string": func(a *arena.Arena) { arena.Bytes(a, long) },
		"WriteQuote":        func(a *arena.Arena) { arena.NewBuilder(a).WriteQuote(long) },
		"WriteJSONString":   func(a *arena.Arena) { arena.NewBuilder(a).WriteJSONString(long) },
		"WriteFloat":        func(a *arena.Arena) { arena.NewBuilder(a).WriteFloat(1e300, 'f', 500, 64) },
		"ReadAll":           func(a *arena.Arena) { reader.Reset(long); arena.ReadAll(a, reader) },
		"Copy to a Builder": func(a *arena.Arena) {
			reader.Reset(long)
			io.Copy(arena.NewBuilder(a), io.Reader(struct{ *strings.Reader }{reader}))
		},
	})
}

// TestBuilderStack proves that a Builder of the heap that does not leave its function is a variable
// of it, which may move with its stack.
func TestBuilderStack(t *testing.T) {
	long := strings.Repeat("text", 20)
	if n := testing.AllocsPerRun(100, func() {
		b := arena.NewBuilder(nil)
		b.Grow(2 * len(long))
		b.WriteString(long)
		b.WriteByte('.')
		b.Truncate(len(long))
		if b.String() != long {
			t.Error("other text")
		}
	}); n != 1 && !tools.Looking {
		t.Errorf("a Builder of the heap, that stays in its function, takes %v allocations, and its text is one", n)
	}
	done := make(chan string)
	go func() {
		b := arena.NewBuilder(nil)
		b.WriteString("before ")
		deep(1000)
		b.WriteString("after") // which would panic if b were taken for a copy
		done <- b.String()
	}()
	if got := <-done; got != "before after" {
		t.Error(got)
	}
}

// deep needs a large stack.
//
//go:noinline
func deep(n int) (sum int) {
	var a [64]int
	if n > 0 {
		a[n%64] = deep(n - 1)
	}
	for _, v := range a {
		sum += v + n
	}
	return sum
}

// TestNilStringAllocs checks that String(nil, b) takes what string(b) takes: nothing for a byte,
// and one object for more.
func TestNilStringAllocs(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "\n": 0, "two words": 1} {
		b := []byte(text)
		s := new(string)
		if got := testing.AllocsPerRun(100, func() { *s = arena.String(nil, b) }); got != want {
			t.Errorf("String(nil, %q) takes %v objects, want %v", text, got, want)
		}
		if *s != text {
			t.Errorf("String(nil, %q) is %q", text, *s)
		}
	}
}

// TestNilJoin checks that Join of a nil arena takes one object, and that its result is none of its
// arguments.
func TestNilJoin(t *testing.T) {
	for _, elems := range [][]string{{"one text"}, {"one ", "text"}, {"one text", ""}, {"", "one text"}, {"", "one text", ""}} {
		s := new(string)
		if got := testing.AllocsPerRun(100, func() { *s = arena.Join(nil, elems, "") }); got != 1 {
			t.Errorf("Join(nil, %q) takes %v objects, want 1", elems, got)
		}
		if *s != "one text" {
			t.Errorf("Join(nil, %q) is %q", elems, *s)
		}
		for _, e := range elems {
			if e != "" && unsafe.StringData(e) == unsafe.StringData(*s) {
				t.Errorf("Join(nil, %q) is its argument", elems)
			}
		}
	}
}

// TestFloatPrecision proves that a precision which a format does not use takes no memory: strconv
// takes any of them.
func TestFloatPrecision(t *testing.T) {
	for _, format := range []byte("gGb") {
		for _, f := range []float64{1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, -math.Nextafter(2e-4, 0), 1e300} {
			for _, precision := range []int{766, 767, 768, 1 << 24, math.MaxInt} {
				a := arena.NewWith(arena.Options{Limit: 16 << 10})
				b := arena.NewBuilder(a)
				b.WriteFloat(f, format, precision, 64)
				if want := strconv.FormatFloat(f, format, precision, 64); b.String() != want {
					t.Errorf("%g by %c, %d: %s, want %s", f, format, precision, b, want)
				}
			}
		}
	}
}
