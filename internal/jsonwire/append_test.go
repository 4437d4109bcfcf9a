package jsonwire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/arena-go/arena/internal/jsonwire"
	"github.com/arena-go/arena/internal/testrun"
)

// isV2 reports whether encoding/json is built on its second version.
var isV2 = standard("\xff", false) == "\"\ufffd\""

// styleOf returns how encoding/json writes strings.
func styleOf(escapeHTML bool) (style jsonwire.Style) {
	if escapeHTML {
		style |= jsonwire.HTML
	}
	if isV2 {
		style |= jsonwire.V2
	}
	return style
}

// standard returns what encoding/json makes of s.
func standard(s string, escapeHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rounds returns n, or less of it in short tests.
func rounds(n int) int {
	if !testrun.Long() {
		return max(n/20, 1)
	}
	return n
}

// seeded returns a source of random numbers whose seed is in the output of a test that fails.
func seeded(t testing.TB) *rand.Rand {
	seed := testrun.Seed(t)
	return rand.New(rand.NewPCG(seed, 1))
}

var someTexts = []string{"", "a", "abc", "1234567", "12345678", "123456789", "<", "a&b", "\"", "\\", "\n\t\x00\x1f", "é", "日本語", "\u2028", "\xff",
	"a\xe2\x80", "\xed\xa0\x80", "12345678\u2029", "abcdefgh\x7fijklmnop", "😀😀", strings.Repeat("long ", 30), "\ufffd", "\xc0\x80", "\xf4\x90\x80\x80"}

func randomText(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return someTexts[r.IntN(len(someTexts))]
	}
	b := make([]byte, r.IntN(30))
	for i := range b {
		b[i] = byte(' ' + r.IntN(95))
		if r.IntN(20) == 0 {
			b[i] = byte(r.IntN(256))
		}
	}
	return string(b)
}

// appendFloat64 returns what AppendFloat64 makes of a number.
func appendFloat64(f float64) []byte {
	b, ok := jsonwire.AppendFloat64(nil, f)
	if !ok {
		panic("it is no number")
	}
	return b
}

// appendFloat32 is appendFloat64 for the other type.
func appendFloat32(f float32) []byte {
	b, ok := jsonwire.AppendFloat32(nil, f)
	if !ok {
		panic("it is no number")
	}
	return b
}

// TestText compares texts of all lengths with each byte at each place.
func TestText(t *testing.T) {
	check := func(s string) {
		for _, escape := range []bool{false, true} {
			want := standard(s, escape)
			if got := jsonwire.AppendString(nil, s, styleOf(escape)); string(got) != want {
				t.Fatalf("%q %v: %q, want %q", s, escape, got, want)
			}
		}
	}
	for n := range 20 {
		for i := range n {
			for c := 0; c < 256; c++ {
				s := []byte("abcdefghijklmnopqrst")[:n]
				s[i] = byte(c)
				check(string(s))
				s[n/2] = '"'
				check(string(s))
				if !testrun.Long() {
					c += 3
				}
			}
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r += 1 + rune(rounds(3)*16)%47 {
		check("x" + string(r))
	}
	for r := rune(0x2000); r < 0x2100; r++ {
		check("1234567" + string(r))
	}
	r := seeded(t)
	for range rounds(50_000) {
		check(randomText(r) + randomText(r))
	}
}

// TestFloats compares numbers with strconv.
func TestFloats(t *testing.T) {
	r := seeded(t)
	check := func(f float64) {
		want, err := json.Marshal(f)
		if err != nil {
			return
		}
		if got := appendFloat64(f); string(got) != string(want) {
			t.Fatalf("%s, want %s", got, want)
		}
		want, err = json.Marshal(float32(f))
		if err != nil {
			return
		}
		if got := appendFloat32(float32(f)); string(got) != string(want) {
			t.Fatalf("float32: %s, want %s", got, want)
		}
	}
	for i := range rounds(700_000) {
		var f float64
		switch i % 6 {
		case 0:
			f = math.Float64frombits(r.Uint64())
		case 1: // few digits
			f = float64(r.Int64N(int64(math.Pow10(1+r.IntN(17))))) / math.Pow10(r.IntN(23))
		case 2:
			f, _ = strconv.ParseFloat(fmt.Sprintf("%de-%d", r.Int64N(int64(math.Pow10(1+r.IntN(18)))), r.IntN(25)), 64)
		case 3: // next to such a one
			f = math.Nextafter(float64(r.Int64N(1e15))/math.Pow10(r.IntN(22)), float64(r.IntN(3)-1)*1e300)
		case 4:
			f = float64(r.Int64() >> r.IntN(63))
		case 5:
			f = math.Ldexp(float64(r.IntN(1000)), r.IntN(200)-100)
		}
		check(f)
		check(-f)
	}
	for i := range 64 {
		for _, d := range []int64{-1, 0, 1} {
			if got, want := string(jsonwire.AppendInt(nil, 1<<i+d)), strconv.FormatInt(1<<i+d, 10); got != want {
				t.Fatal(got, want)
			}
			if got, want := string(jsonwire.AppendUint(nil, 1<<i+uint64(d))), strconv.FormatUint(1<<i+uint64(d), 10); got != want {
				t.Fatal(got, want)
			}
		}
	}
	for u := uint64(0); u < 1e8; u += 1 + uint64(r.IntN(2000)) {
		if got, want := binary.LittleEndian.AppendUint64(nil, jsonwire.EightDigitsOf(u)), fmt.Sprintf("%08d", u); string(got) != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	for p := uint64(1); p < 1e19; p *= 10 {
		for _, u := range []uint64{p - 1, p, p + 1} {
			if got, want := string(jsonwire.AppendUint(nil, u)), strconv.FormatUint(u, 10); got != want {
				t.Fatal(got, want)
			}
		}
	}
}

// TestFloatEdges has powers of two and what is next to them, in all that appendFraction does.
func TestFloatEdges(t *testing.T) {
	for q := -30; q < 70; q++ {
		for _, f := range []float64{math.Ldexp(1, q), math.Nextafter(math.Ldexp(1, q), 0), math.Nextafter(math.Ldexp(1, q), 1e300), math.Ldexp(1.5, q), math.Ldexp(3, q) + math.Ldexp(1, q-50)} {
			want, _ := json.Marshal(f)
			if got := appendFloat64(f); string(got) != string(want) {
				t.Fatalf("%s, want %s", got, want)
			}
			f := float32(f)
			for _, f := range []float32{f, math.Nextafter32(f, 0), math.Nextafter32(f, 1e30)} {
				want, _ := json.Marshal(f)
				if got := appendFloat32(f); string(got) != string(want) {
					t.Fatalf("float32: %s, want %s", got, want)
				}
			}
		}
	}
}

// TestNoFloats checks that what is no number in JSON is none.
func TestNoFloats(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if b, ok := jsonwire.AppendFloat64([]byte("x"), f); ok || string(b) != "x" {
			t.Errorf("%v is %s", f, b)
		}
		if b, ok := jsonwire.AppendFloat32([]byte("x"), float32(f)); ok || string(b) != "x" {
			t.Errorf("float32 %v is %s", f, b)
		}
	}
}

// TestAppendText compares with encoding/json, which escapes also the line separators, and what is
// not UTF-8 with unicode/utf8.
func TestAppendText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"", "a", "text", "12345678", "\"", "\\", "/", "\b\f\n\r\t", "\x00", "\x1f", "\x7f", "<>&", "é", "\u2028", "\u2029", "\u4e16\u754c", "\U0001f600", "\ufffd", "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80"}
	good, bad := 0, 0
	for range 20000 {
		var s string
		for range r.IntN(8) {
			s += pieces[r.IntN(len(pieces))]
		}
		got, ok := jsonwire.AppendText([]byte("before"), s)
		if ok != utf8.ValidString(s) {
			t.Fatalf("%q: %t", s, ok)
		}
		if !ok {
			bad++
			continue
		}
		good++
		want := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(standard(s, false))
		if string(got) != "before"+want {
			t.Fatalf("%q: %s, want %s", s, got, want)
		}
	}
	if good == 0 || bad == 0 {
		t.Errorf("%d valid, %d not", good, bad)
	}
}
