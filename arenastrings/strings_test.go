package arenastrings_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
	"github.com/arena-go/arena/internal/testrun"
)

type heapMemory struct{}

func (heapMemory) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (heapMemory) Free([]byte)                    {}

// arenas are arenas of all kinds.
func arenas() map[string]*arena.Arena {
	used := arena.NewArena()
	for range 100 {
		arena.String(used, strings.Repeat("\xff", 100))
	}
	used.Reset()
	return map[string]*arena.Arena{
		"nil": nil, "new": arena.NewArena(), "used": used,
		"Limit":  arena.NewWith(arena.Options{Limit: 1 << 20}),
		"Guard":  arena.NewWith(arena.Options{Guard: true}),
		"Memory": arena.NewWith(arena.Options{Memory: heapMemory{}, Finalize: true}),
	}
}

// check compares each function with its counterpart in package strings.
func check(t *testing.T, name string, a *arena.Arena, s, part, other string, n int) {
	t.Helper()
	same := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s of %q, %q, %q, %d, arena %s: got %q, want %q", what, s, part, other, n, name, got, want)
		}
	}
	sameParts := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s of %q, %q, %d, arena %s: got %q, want %q", what, s, part, n, name, got, want)
		}
	}
	same("ToLower", arenastrings.ToLower(a, s), strings.ToLower(s))
	same("ToUpper", arenastrings.ToUpper(a, s), strings.ToUpper(s))
	for _, mapping := range []func(rune) rune{
		unicode.ToTitle,
		func(r rune) rune { return r },
		func(r rune) rune { return r - 'k' },
		func(r rune) rune { return 0x10ffff - r },
		func(r rune) rune { return unicode.ReplacementChar },
	} {
		same("Map", arenastrings.Map(a, mapping, s), strings.Map(mapping, s))
	}
	if n >= 0 {
		same("Repeat", arenastrings.Repeat(a, s, n), strings.Repeat(s, n))
	}
	same("Replace", arenastrings.Replace(a, s, part, other, n), strings.Replace(s, part, other, n))
	same("ReplaceAll", arenastrings.ReplaceAll(a, s, part, other), strings.ReplaceAll(s, part, other))
	sameParts("Fields", arenastrings.Fields(a, s), strings.Fields(s))
	sameParts("FieldsFunc", arenastrings.FieldsFunc(a, s, unicode.IsUpper), strings.FieldsFunc(s, unicode.IsUpper))
	sameParts("Split", arenastrings.Split(a, s, part), strings.Split(s, part))
	sameParts("SplitN", arenastrings.SplitN(a, s, part, n), strings.SplitN(s, part, n))
	sameParts("SplitAfter", arenastrings.SplitAfter(a, s, part), strings.SplitAfter(s, part))
}

// TestStrings compares random input with package strings.
func TestStrings(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	text := func() string {
		var b []byte
		alphabet := []string{"aAbB  ", "a, ,", "aäÄßİſⱥ☃ \u2003\u0085", "a\xff\xe2\x98 A\ufffd", "\t\n\v\f\r xX"}[r.IntN(5)]
		runes := []rune(alphabet)
		for range r.IntN(8) * (1 + r.IntN(12)) {
			if r.IntN(4) == 0 {
				b = append(b, alphabet[r.IntN(len(alphabet))])
			} else {
				b = append(b, string(runes[r.IntN(len(runes))])...)
			}
		}
		return string(b)
	}
	for name, a := range arenas() {
		rounds := 2000
		if name == "Guard" {
			rounds = 20
		}
		for i := range rounds {
			s := text()
			part := text()
			if len(s) > 0 && r.IntN(3) > 0 {
				at := r.IntN(len(s))
				part = s[at : at+r.IntN(min(len(s)-at, 4))]
			}
			check(t, name, a, s, part, text(), r.IntN(8)-1)
			if i%10 == 0 {
				a.Reset()
			}
		}
		a.Free()
	}
}

// FuzzStrings is TestStrings of fuzzed input.
func FuzzStrings(f *testing.F) {
	f.Add("", "", "", 0)
	f.Add("A b\xffC", "", "x", -1)
	f.Add("a,b,c", ",", ", ", 2)
	f.Fuzz(func(t *testing.T, s, part, other string, n int) {
		if len(s)+len(part)+len(other) > 2000 || n > 100 {
			return
		}
		check(t, "new", arena.NewArena(), s, part, other, n)
	})
}

// TestUnchanged proves what the documents say: unchanged text is not copied, and new text is in the
// arena.
func TestUnchanged(t *testing.T) {
	a := arena.NewArena()
	const s = "lower, text"
	arenastrings.ToLower(a, s)
	arenastrings.Map(a, unicode.ToLower, s)
	arenastrings.Repeat(a, s, 1)
	arenastrings.ReplaceAll(a, s, "z", "y")
	if n := a.Stats().InUse; n != 0 {
		t.Errorf("%d bytes in use for text that stays as it is", n)
	}
	for what, f := range map[string]func() string{
		"ToLower": func() string { return arenastrings.ToLower(a, "LOWER") },
		"ToUpper": func() string { return arenastrings.ToUpper(a, s) },
		"Map":     func() string { return arenastrings.Map(a, unicode.ToUpper, s) },
		"Repeat":  func() string { return arenastrings.Repeat(a, s, 2) },
		"Replace": func() string { return arenastrings.Replace(a, s, "t", "T", 1) },
	} {
		before := a.Stats().InUse
		if got := f(); a.Stats().InUse-before < int64(len(got)) {
			t.Errorf("%s: %d more bytes in use for %q", what, a.Stats().InUse-before, got)
		}
	}
}

// TestNoHeap proves that nothing is made on the heap.
func TestNoHeap(t *testing.T) {
	text := strings.Repeat("Some words, and others ", 20)
	foreign := "ä " + text
	for what, f := range map[string]func(a *arena.Arena){
		"ToLower":            func(a *arena.Arena) { arenastrings.ToLower(a, text) },
		"ToUpper":            func(a *arena.Arena) { arenastrings.ToUpper(a, foreign) },
		"Repeat":             func(a *arena.Arena) { arenastrings.Repeat(a, text, 3) },
		"ReplaceAll":         func(a *arena.Arena) { arenastrings.ReplaceAll(a, text, "o", "00") },
		"Fields":             func(a *arena.Arena) { arenastrings.Fields(a, text) },
		"Fields of no ASCII": func(a *arena.Arena) { arenastrings.Fields(a, foreign) },
		"Split":              func(a *arena.Arena) { arenastrings.Split(a, text, ", ") },
		"Split into runes":   func(a *arena.Arena) { arenastrings.Split(a, text, "") },
		"SplitN, SplitAfter": func(a *arena.Arena) { arenastrings.SplitN(a, text, " ", 9); arenastrings.SplitAfter(a, text, " ") },
	} {
		a := arena.NewArena()
		if n := testing.AllocsPerRun(100, func() { a.Reset(); f(a) }); n != 0 && !watched() {
			t.Errorf("%s allocates %v times on the heap", what, n)
		}
	}
}

// watched reports whether an arena gives up its memory at Reset, as it does in programs that look
// for mistakes.
func watched() bool {
	a := arena.NewArena()
	arena.New[int](a)
	a.Reset()
	return a.Stats().Reserved == 0
}

// TestClosed proves that a freed arena panics where it is needed.
func TestClosed(t *testing.T) {
	a := arena.NewArena()
	a.Free()
	for what, f := range map[string]func(){
		"ToUpper": func() { arenastrings.ToUpper(a, "a") },
		"Map":     func() { arenastrings.Map(a, unicode.ToUpper, "a") },
		"Repeat":  func() { arenastrings.Repeat(a, "a", 2) },
		"Replace": func() { arenastrings.ReplaceAll(a, "a", "a", "b") },
		"Split":   func() { arenastrings.Split(a, "a", "a") },
		"Fields":  func() { arenastrings.Fields(a, "a") },

		"Itoa":                   func() { arenastrings.Itoa(a, -1) },
		"Itoa of a small number": func() { arenastrings.Itoa(a, 7) },
		"FormatInt":              func() { arenastrings.FormatInt(a, math.MinInt64, 10) },
		"FormatUint":             func() { arenastrings.FormatUint(a, math.MaxUint64, 16) },
		"FormatFloat":            func() { arenastrings.FormatFloat(a, 1.5, 'g', -1, 64) },
		"FormatFloat, much":      func() { arenastrings.FormatFloat(a, 0, 'e', 400, 64) },
		"Quote":                  func() { arenastrings.Quote(a, "a\x00") },
		"Quote of much":          func() { arenastrings.Quote(a, strings.Repeat("a", 100)) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "arena: ") {
					t.Errorf("%s of a freed arena: %q", what, got)
				}
			}()
			f()
		}()
	}
	for _, n := range []int{-1, math.MaxInt/2 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Repeat %d times does not panic", n)
				}
			}()
			arenastrings.Repeat(arena.NewArena(), "aaaa", n)
		}()
	}
}
