package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arena-go/arena"
)

// mutant returns one of the texts, mostly with some bytes of it changed, gone, or there twice.
func (r *source) mutant(texts []string, bytes string) []byte {
	b := []byte(pick(r, texts))
	for range r.IntN(4) {
		if len(b) == 0 {
			break
		}
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[i] = bytes[r.IntN(len(bytes))]
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i+1], b[i:]...)
		default:
			j := r.IntN(len(b))
			b[i], b[j] = b[j], b[i]
		}
	}
	return b
}

var scalars = []string{
	"0", "-1", "127", "128", "+5", "1e3", "2.0", "1.5", "-0", "18446744073709551615", "9223372036854775808", "99999999999999999999", "NaN", "true", "f", "12.34", "-0.05", "1E-2", "",
	"2024-02-29", "2023-02-29", "-5", "15:04:05", "15:04", "15:04:05.123456789", "5ms", "1h2m", "3s", "AAAA", "YQ==", "YWJjZGU=",
	"2024-02-29T15:04:05Z", "2024-02-29 15:04:05.123", "2024-02-29T15:04:05.123456+02:00", "1677-09-21 00:12:43.145224193",
}

// TestParseInPlace parses random texts in a buffer that is written over afterwards. Values and errors are those of texts of their own.
func TestParseInPlace(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	r := &source{Rand: rand.New(rand.NewPCG(seed, 0))}
	good, bad := 0, 0
	for _, dtype := range flat {
		for _, of := range []arrow.DataType{dtype, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: storage(dtype)}} {
			if _, ok := of.(*arrow.DictionaryType); ok && (dtype.ID() == arrow.NULL || dtype.ID() == arrow.BOOL) {
				continue
			}
			ours, theirs := NewBuilder(nil, of), NewBuilder(nil, of)
			p, q := parserOf(ours, true), parserOf(theirs, true)
			if p == nil {
				continue
			}
			for range 2000 {
				b := r.mutant(scalars, "0159-+.:eETZ \xff")
				wantErr := q(string(b))
				err := p.parse(b)
				in := string(b)
				for i := range b {
					b[i] = '#'
				}
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || ours.Len() != theirs.Len() {
					t.Fatalf("%v of %q: %v, want %v", of, in, err, wantErr)
				}
				if err == nil {
					good++
				} else {
					bad++
				}
			}
			if got, want := ours.NewArray().String(), theirs.NewArray().String(); got != want { // NaN is in them.
				t.Fatalf("%v: %s, want %s", of, got, want)
			}
		}
	}
	if good < 5000 || bad < 5000 {
		t.Errorf("%d were good and %d bad", good, bad)
	}
}

// TestTimestamp compares with the function of Arrow.
func TestTimestamp(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	r := &source{Rand: rand.New(rand.NewPCG(seed, 0))}
	berlin := must(time.LoadLocation("Europe/Berlin"))
	good := 0
	for range 300_000 {
		at := time.Unix(r.Int64N(1<<36)-1<<35, r.Int64N(1e9)).UTC()
		layout := "2006-01-02" + pick(r, []string{"", "T15", " 15:04", "T15:04:05", " 15:04:05", "T15:04:05.0", " 15:04:05.000", "T15:04:05.000000", " 15:04:05.000000000", "T15:04:05.999999999", "T5:04:05.99"}) +
			pick(r, []string{"", "", "Z", "Z", "-07", "-0700", "-07:00:00"})
		in := string(r.mutant([]string{at.Format(layout)}, "0159-+.,:TZ \xff"))
		unit, zone := arrow.TimeUnit(r.IntN(4)), pick(r, []*time.Location{time.UTC, berlin})
		want, wantHas, wantErr := arrow.TimestampFromStringInLocation(in, unit, zone)
		got, has, err := timestamp(in, unit, zone)
		if got != want || has != wantHas || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q in %v: %v, %v, %v, want %v, %v, %v", in, unit, got, has, err, want, wantHas, wantErr)
		}
		if err == nil {
			good++
		}
	}
	if good < 30_000 {
		t.Errorf("only %d were good", good)
	}
}

// TestUnquote compares with encoding/json.
func TestUnquote(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	r := &source{Rand: rand.New(rand.NewPCG(seed, 0))}
	parts := []string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u00e4`, `\u0000`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\uFFFD`, "ä", "😀", "\xff", "\xe2\x82", "abc", "€", `\u12`, `\x`, `\'`, "\\\n", "\\\x00"}
	good, bad := 0, 0
	for range 20_000 {
		var b []byte
		for range r.IntN(6) {
			b = append(b, pick(r, parts[:len(parts)-5*r.IntN(2)])...)
		}
		in := fmt.Appendf(nil, "[\"%s\", 1", b)
		s := scanner{in: bytes.NewReader(in), line: 1}
		s.next()
		s.take()
		s.next()
		got, err := s.quoted("")
		text := in[1 : len(in)-3]
		var want string
		if wantErr := json.Unmarshal(text, &want); wantErr != nil {
			bad++
			if fmt.Sprint(err) != fmt.Sprintf("build: line 1, column 2: %v", wantErr) {
				t.Fatalf("%q: %v, want %v", text, err, wantErr)
			}
			continue
		}
		good++
		if err != nil || string(got) != want {
			t.Fatalf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if good < 3_000 || bad < 3_000 {
		t.Errorf("%d were good and %d bad", good, bad)
	}
}

// TestJSONObjects counts what a batch leaves on the heap: no object for a value.
func TestJSONObjects(t *testing.T) {
	var text bytes.Buffer
	for _, o := range orders(1000) {
		o.Name += "\n\"ä\""
		check(json.NewEncoder(&text).Encode(o))
	}
	schema := must(NewRows[order](nil)).Schema()
	a := arena.NewArena()
	got := testing.AllocsPerRun(10, func() {
		must(must(NewJSONReader(a, bytes.NewReader(text.Bytes()), schema)).Read(1000))
		a.Reset()
	})
	if got > 80 && !watched() {
		t.Errorf("%v objects for 1,000 orders, want 80 at most: those of the reader", got)
	}
}
