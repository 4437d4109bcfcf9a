package arenastrings_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
	"github.com/arena-go/arena/internal/testrun"
)

// checkNumbers compares each function with its counterpart in package strconv.
func checkNumbers(t *testing.T, name string, a *arena.Arena, s string, n int64, f float64) {
	t.Helper()
	same := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s of %q, %d, %v, arena %s: got %q, want %q", what, s, n, f, name, got, want)
		}
	}
	same("Itoa", arenastrings.Itoa(a, int(n)), strconv.Itoa(int(n)))
	for _, base := range []int{2, 8, 10, 36} {
		same("FormatInt", arenastrings.FormatInt(a, n, base), strconv.FormatInt(n, base))
		same("FormatUint", arenastrings.FormatUint(a, uint64(n), base), strconv.FormatUint(uint64(n), base))
	}
	for _, format := range []byte("beEfgGxX?") {
		for _, precision := range []int{-1, 0, 3, int(n & 0x3ff)} {
			for _, bits := range []int{32, 64} {
				want := strconv.FormatFloat(f, format, precision, bits)
				same(fmt.Sprintf("FormatFloat by %c, %d, %d", format, precision, bits), arenastrings.FormatFloat(a, f, format, precision, bits), want)
			}
		}
	}
	same("Quote", arenastrings.Quote(a, s), strconv.Quote(s))
}

// TestNumbers compares random numbers and text with package strconv.
func TestNumbers(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for name, a := range arenas() {
		rounds := 200
		if name == "Guard" {
			rounds = 20
		}
		for range rounds {
			var b []byte
			for range r.IntN(200) {
				b = append(b, [...]string{"a", "\x00", "\xff", "\"", "\\", "☃", "\u2028", string(rune(r.IntN(0x110000)))}[r.IntN(8)]...)
			}
			n := int64(r.Uint64()) >> r.IntN(64)
			checkNumbers(t, name, a, string(b), n, math.Float64frombits(r.Uint64()))
			if a != nil {
				a.Reset()
			}
		}
		for _, n := range []int64{0, 9, 99, 100, -1, -99, math.MaxInt64, math.MinInt64} {
			checkNumbers(t, name, a, "", n, [...]float64{0, math.Inf(-1), math.NaN(), math.MaxFloat64}[n&3])
		}
	}
}

// TestNumbersNoHeap proves that nothing is made on the heap first.
func TestNumbersNoHeap(t *testing.T) {
	if watched() {
		t.Skip("an arena that looks for mistakes uses no memory again")
	}
	long := strings.Repeat("a\x00\xff☃", 300)
	for name, f := range map[string]func(a *arena.Arena){
		"Itoa":                    func(a *arena.Arena) { arenastrings.Itoa(a, -123456) },
		"Itoa of a small number":  func(a *arena.Arena) { arenastrings.Itoa(a, 99) },
		"FormatInt":               func(a *arena.Arena) { arenastrings.FormatInt(a, math.MinInt64, 2) },
		"FormatUint":              func(a *arena.Arena) { arenastrings.FormatUint(a, math.MaxUint64, 2) },
		"FormatFloat":             func(a *arena.Arena) { arenastrings.FormatFloat(a, 1.5, 'g', -1, 64) },
		"FormatFloat, many zeros": func(a *arena.Arena) { arenastrings.FormatFloat(a, 5e-324, 'f', -1, 64) },
		"FormatFloat, many more":  func(a *arena.Arena) { arenastrings.FormatFloat(a, 1e300, 'f', 500, 64) },
		"Quote":                   func(a *arena.Arena) { arenastrings.Quote(a, long[:60]) },
		"Quote of much":           func(a *arena.Arena) { arenastrings.Quote(a, long) },
	} {
		a := arena.NewArena()
		if n := testing.AllocsPerRun(100, func() { a.Reset(); f(a) }); n != 0 {
			t.Errorf("%s allocates %v times on the heap", name, n)
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
				if got, want := arenastrings.FormatFloat(a, f, format, precision, 64), strconv.FormatFloat(f, format, precision, 64); got != want {
					t.Errorf("%g by %c, %d: %s, want %s", f, format, precision, got, want)
				}
			}
		}
	}
}
