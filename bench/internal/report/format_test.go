package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/internal/testrun"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(1), "1.00"}, {number(999.6), "1,000"}, {number(99.96), "100"}, {number(1234567), "1,234,567"}, {number(-1234.5), "-1,234"},
		{number(0.000123), "0.000123"}, {number(math.NaN()), "–"}, {number(math.Inf(1)), "–"},
		{seconds(0), "0"}, {seconds(1), "1.00 s"}, {seconds(0.9999), "1.00 s"}, {seconds(1.5e-9), "1.50 ns"}, {seconds(2e-12), "0.00200 ns"}, {seconds(12e-6), "12.0 µs"}, {seconds(4321), "4,321 s"},
		{memory(999), "999 B"}, {memory(1000), "1.00 kB"}, {memory(12.3e6), "12.3 MB"}, {memory(4e12), "4,000 GB"},
		{number(1e300), "1.00e+300"}, {number(-1e-20), "-1.00e-20"}, {short(1e-20), "1.00e-20"}, {ratio(math.NaN()), "–"}, {ratio(0.5), "0.500×"}, {brief(1000), "1k"}, {brief(10), "10"}, {brief(2.5e6), "2.5M"}, {short(0.50), "0.5"}, {short(100), "100"}, {short(0), "0"},
		{suite.Commas("12"), "12"}, {suite.Commas("123456"), "123,456"}, {suite.Commas("-123"), "-123"}, {suite.Commas("1234.5678"), "1,234.5678"},
	} {
		if got := strings.ReplaceAll(c.got, "\u00a0", " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestFormatRandom reads what was written.
func TestFormatRandom(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	units := map[string]float64{"": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1}
	for range 10_000 {
		v := math.Exp(60*r.Float64() - 30)
		for _, s := range []string{number(v), seconds(v), memory(v), short(v)} {
			digits, unit, _ := strings.Cut(s, "\u00a0")
			got, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
			if got *= units[unit]; err != nil || math.Abs(got/v-1) > 0.0051 {
				t.Fatalf("seed %d: %g is written as %q", seed, v, s)
			}
		}
	}
}

// TestAxis tries axes for random numbers: their marks are in order, few, and where they say.
func TestAxis(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10_000 {
		lo := math.Exp(40*r.Float64() - 20)
		hi := lo * math.Exp(30*r.Float64()*r.Float64())
		most := 2 + r.IntN(7)
		for _, a := range []axis{logarithmic(lo, hi, most, number), linear(0, hi, most, number)} {
			if len(a.marks) > most+1 || !slices.IsSorted(a.marks) || !a.log && len(a.marks) < 2 || a.log && hi > 100*lo && len(a.marks) == 0 {
				t.Fatalf("seed %d: from %g to %g, at most %d: %v", seed, lo, hi, most, a.marks)
			}
			for i, m := range a.marks {
				if at := a.at(m); at < 0 || at > 1 || i > 0 && at <= a.at(a.marks[i-1]) || a.hi*1.0001 < m || a.lo > m*1.0001 {
					t.Fatalf("seed %d: from %g to %g: %g is at %g", seed, lo, hi, m, at)
				}
			}
			if a.at(lo) > a.at(hi) || a.log && (a.at(lo) > 0.5 || a.at(hi) < 0.5) {
				t.Fatalf("seed %d: from %g to %g: at %g and %g", seed, lo, hi, a.at(lo), a.at(hi))
			}
		}
	}
	for _, a := range []axis{linear(0, 0, 3, number), linear(-2, -1, 3, number), logarithmic(5, 5, 3, number)} {
		for _, v := range []float64{0, 5, -1, 1} {
			if at := a.at(v); !(at >= 0 && at <= 1) {
				t.Errorf("%+v: %g is at %g", a, v, at)
			}
		}
	}
}

// TestSpread moves random positions apart.
func TestSpread(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10_000 {
		at := make([]float64, 1+r.IntN(20))
		const distance, lo = 16, 4
		hi := lo + distance*float64(len(at)-1) + 100*r.Float64()
		for i := range at {
			at[i] = lo + (hi-lo)*r.Float64()*r.Float64()
		}
		slices.Sort(at)
		before := slices.Clone(at)
		spread(at, distance, lo, hi)
		fine := true
		for i := range at {
			if at[i] < lo-1e-9 || at[i] > hi+1e-9 || i > 0 && at[i] < at[i-1]+distance-1e-9 {
				t.Fatalf("seed %d: %v becomes %v, between %d and %g", seed, before, at, lo, hi)
			}
			fine = fine && (i == 0 || before[i] >= before[i-1]+distance)
		}
		if fine && !slices.Equal(at, before) {
			t.Fatalf("seed %d: %v becomes %v without need", seed, before, at)
		}
	}
}

// TestCut cuts random names.
func TestCut(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	letters := []rune("abcimwMW.-äß世Z1")
	for range 10_000 {
		name := make([]rune, r.IntN(40))
		for i := range name {
			name[i] = letters[r.IntN(len(letters))]
		}
		pixels := 30 + 200*r.Float64()
		got := cut(string(name), pixels)
		before, after, short := strings.Cut(got, "…")
		if width(got) > pixels || !strings.HasPrefix(string(name), before) || !strings.HasSuffix(string(name), after) || short == (width(string(name)) <= pixels) {
			t.Fatalf("%q is cut to %q for %g pixels", string(name), got, pixels)
		}
	}
}

func TestOurs(t *testing.T) {
	for name, want := range map[string]bool{
		"middleware": true, "context": false,
		"arena": true, "arena-nil": true, "arena.Map": true, "arenapb-pool": true, "arenaarrow": true, "slab-free": true, "RefMap-mmap": true, "ref": true, "group": true,
		"arenas2023": false, "heap": false, "go-arena": false, "nuke": false, "": false, "proto.Unmarshal": false,
	} {
		if ours(name) != want {
			t.Errorf("%q: ours is %v", name, ours(name))
		}
	}
}
