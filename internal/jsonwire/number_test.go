package jsonwire_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/arena-go/arena/internal/jsonwire"
	"github.com/arena-go/arena/internal/testrun"
)

// TestPowers makes the table of powers again.
func TestPowers(t *testing.T) {
	first, table := jsonwire.Powers()
	for i, got := range table {
		n, power := first+i, big.NewInt(10)
		power.Exp(power, big.NewInt(int64(max(n, -n))), nil)
		want, one := new(big.Int), big.NewInt(1)
		if n >= 0 {
			want.Lsh(power, 300).Rsh(want, uint(want.BitLen()-128))
		} else {
			want.Lsh(one, 600).Div(want, power)
			want.Rsh(want, uint(want.BitLen()-128)).Add(want, one)
		}
		low := new(big.Int).And(want, new(big.Int).SetUint64(math.MaxUint64))
		if high := want.Rsh(want, 64); high.Uint64() != got[0] || low.Uint64() != got[1] {
			t.Errorf("1e%d is %#x %#x, want %#x %#x", n, got[0], got[1], high, low)
		}
	}
}

// textOf returns s as a Text.
func textOf(s string) jsonwire.Text {
	return jsonwire.TextOf(append([]byte(s), make([]byte, jsonwire.Pad)...))
}

// parseFloat is Float of all of s, and so are the others.
func parseFloat(s string) (float64, bool) {
	f, end := textOf(s).Float(0)
	return f, end == len(s)
}

func parseFloat32(s string) (float32, bool) {
	f, end := textOf(s).Float32(0)
	return f, end == len(s)
}

func parseInt(s string, bits uint) (int64, bool) {
	v, end := textOf(s).Signed(0, bits)
	return int64(v), end == len(s)
}

func parseUint(s string, bits uint) (uint64, bool) {
	v, end := textOf(s).Unsigned(0, bits)
	return v, end == len(s)
}

// isNumber reports whether s is a number of JSON.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && s[len(s)-1] >= '0' && json.Valid([]byte(s))
}

func checkNumber(t *testing.T, s string) {
	t.Helper()
	valid := isNumber(s)
	want, err := strconv.ParseFloat(s, 64)
	ok := valid && err == nil
	if got, parsed := parseFloat(s); parsed != ok || ok && math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("float64 %s: %v %v, want %v %v", s, got, parsed, want, ok)
	}
	want, err = strconv.ParseFloat(s, 32)
	ok = valid && err == nil
	if got, parsed := parseFloat32(s); parsed != ok || ok && math.Float32bits(got) != math.Float32bits(float32(want)) {
		t.Errorf("float32 %s: %v %v, want %v %v", s, got, parsed, want, ok)
	}
	for _, bits := range []uint{8, 16, 32, 64} {
		i, err := strconv.ParseInt(s, 10, int(bits))
		ok := valid && err == nil
		if got, parsed := parseInt(s, bits); parsed != ok || ok && got != i {
			t.Errorf("int%d %s: %v %v, want %v %v", bits, s, got, parsed, i, ok)
		}
		u, err := strconv.ParseUint(s, 10, int(bits))
		ok = valid && err == nil
		if got, parsed := parseUint(s, bits); parsed != ok || ok && got != u {
			t.Errorf("uint%d %s: %v %v, want %v %v", bits, s, got, parsed, u, ok)
		}
	}
}

// TestNumbers compares numbers with package strconv: at every limit, just between two floats, and
// random ones.
func TestNumbers(t *testing.T) {
	for _, s := range []string{
		"", "-", "0", "-0", "00", "01", "-01", "+1", "1.", ".1", "1.e1", "1e", "1e+", "1e-", "1E5", "1e+05", "1e05", "0.0", "-0.0", "0e0", "0e99999999999999999999",
		"1e99999999999999999999", "1e-99999999999999999999", "1e400", "-1e400", "1e-400", "1x", "0x1", "1_000", "Inf", "NaN", "nan", "infinity",
		"0.1", "0.3", "2.2250738585072014e-308", "2.2250738585072011e-308", "4.9e-324", "5e-324", "2e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
		"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "99999999999999999999", "100000000000000000000", "9999999999999999999", "10000000000000000000", "12345678901234567890123",
		"0.1234567890123456789", "0.12345678901234567890", "1.234567890123456789012345678901234567890", "0.000000000000000000000000000000000000000000001",
		"127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296",
		"3.4028235e38", "3.4028236e38", "3.40282356779733661637539395458142568447e38", "3.40282356779733661637539395458142568448e38", "1.401298464324817e-45", "7.006492321624085e-46", "7.006492321624086e-46", "1.1754943508222875e-38", "1.1754942807573643e-38",
		"16777216", "16777217", "16777219", "1.00000005960464477539062", "1.000000059604644775390625", "1.0000000596046447753906251", "0.500000029802322387695312",
		"8.5e22", "1e23", "9.5e22", "1.0e-23", "6.02214076e23", "65.613616999999977", "-65.613616999999977",
	} {
		checkNumber(t, s)
	}
	n := 400_000
	if !testrun.Long() {
		n = 30_000
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		if t.Failed() {
			return
		}
		var s string
		switch r.IntN(8) {
		case 0: // any float
			s = strconv.FormatFloat(math.Float64frombits(r.Uint64()), "eg"[r.IntN(2)], r.IntN(22)-1, 64)
		case 1: // of usual sizes
			s = strconv.FormatFloat((r.Float64()-0.5)*math.Pow10(r.IntN(20)-5), 'f', r.IntN(19)-1, 64)
		case 2: // between two floats
			f := math.Abs(math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(1023-30+r.IntN(90))<<52))
			mid := new(big.Float).SetPrec(200).Add(big.NewFloat(f), big.NewFloat(math.Nextafter(f, math.Inf(1))))
			mid.Quo(mid, big.NewFloat(2))
			s = mid.Text('e', 15+r.IntN(50))
		case 3: // between two floats of 32 bits
			f := math.Float32frombits(r.Uint32()&0x007fffff | uint32(1+r.IntN(253))<<23)
			mid := (float64(f) + float64(math.Nextafter32(f, float32(math.Inf(1))))) / 2
			s = strconv.FormatFloat(mid, 'e', 10+r.IntN(30), 64)
		case 4: // digits and a power
			s = fmt.Sprintf("%de%d", r.Uint64()>>r.IntN(64), r.IntN(160)-80)
		case 5: // integers
			s = strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
		case 6: // powers of two and their neighbours, as decimals
			s = strconv.FormatUint(uint64(1)<<r.IntN(64)+uint64(r.IntN(5))-2, 10)
		case 7: // damaged
			b := []byte(strconv.FormatFloat(math.Float64frombits(r.Uint64()), 'g', -1, 64))
			b[r.IntN(len(b))] = "0123456789+-.eE"[r.IntN(15)]
			s = string(b)
		}
		if s == "NaN" || s == "+Inf" || s == "-Inf" {
			continue
		}
		checkNumber(t, s)
	}
}
