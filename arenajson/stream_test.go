package arenajson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A chunked reader returns its input in parts, and then an error.
type chunked struct {
	in  []byte
	err error
	r   *rand.Rand
	max int
}

func (c *chunked) Read(b []byte) (int, error) {
	n := min(len(b), len(c.in), c.r.IntN(c.max+1))
	copy(b, c.in[:n])
	c.in = c.in[n:]
	if len(c.in) == 0 && (n == 0 || c.r.IntN(2) == 0) {
		return n, c.err
	}
	return n, nil
}

// TestDecoderDifferential runs random sequences of calls with a Decoder and with encoding/json's.
func TestDecoderDifferential(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[small](), reflect.TypeFor[[]int](), reflect.TypeFor[string](), reflect.TypeFor[map[string]any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[indirectType]()}
	n := 4000
	if !testrun.Long() {
		n = 800
	}
	seed := testrun.Seed(t)
	a := arena.NewArena()
	calls, fast := 0, 0
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var in []byte
		for range r.IntN(8) {
			typ := types[r.IntN(len(types))]
			if r.IntN(3) > 0 {
				typ = types[1]
			}
			if r.IntN(12) == 0 {
				in = append(in, document(r, typ)...)
			} else {
				w := writer{r: r}
				w.value(typ, 2)
				in = append(in, w.b...)
			}
			in = append(in, []string{"\n", " ", "\n\n  ", "", "\r\n"}[r.IntN(5)]...)
		}
		if r.IntN(4) == 0 {
			in = append(append([]byte("["), bytes.ReplaceAll(bytes.TrimSpace(in), []byte("\n"), []byte(","))...), "]"[:r.IntN(2)]...)
		}
		failure := []error{io.EOF, io.EOF, io.ErrUnexpectedEOF, errors.New("the line is cut")}[r.IntN(4)]
		most := []int{1, 7, 600, 10000}[r.IntN(4)]
		ours := arenajson.NewDecoder(&chunked{in, failure, rand.New(rand.NewPCG(seed, 1)), most})
		theirs := json.NewDecoder(&chunked{in, failure, rand.New(rand.NewPCG(seed, 1)), most})
		if r.IntN(5) == 0 {
			ours.UseNumber()
			theirs.UseNumber()
		}
		if r.IntN(5) == 0 {
			ours.DisallowUnknownFields()
			theirs.DisallowUnknownFields()
		}
		tokens := r.IntN(3) == 0
		more, offsets := r.IntN(2) == 0, r.IntN(2) == 0
		var log []string
		for range 12 {
			calls++
			switch k := r.IntN(8); {
			case k == 0 && tokens:
				log = append(log, "Token")
				got, gotErr := ours.Token()
				want, wantErr := theirs.Token()
				if !reflect.DeepEqual(got, want) || !sameError(gotErr, wantErr) && !vague(gotErr, wantErr) {
					t.Fatalf("%d, %s: %v (%#v), want %v (%#v); the input is %q", i, log, got, gotErr, want, wantErr, in)
				}
			case k == 1 && more:
				log = append(log, "More")
				if got, want := ours.More(), theirs.More(); got != want {
					t.Fatalf("%d %q, %s: %v, want %v", i, in, log, got, want)
				}
			default:
				typ := types[r.IntN(len(types))]
				if r.IntN(3) > 0 {
					typ = types[1]
				}
				log = append(log, "Decode "+typ.String())
				got, want := reflect.New(typ), reflect.New(typ)
				gotErr, wantErr := ours.Decode(a, got.Interface()), theirs.Decode(want.Interface())
				if !reflect.DeepEqual(plain(got), plain(want)) || !sameError(gotErr, wantErr) && !vague(gotErr, wantErr) {
					t.Fatalf("%d, %s: %.300s (%#v), want %.300s (%#v); the input is %q", i, log, show(got), gotErr, show(want), wantErr, in)
				}
				if gotErr == nil {
					fast++
				}
				a.Reset()
			}
			if offset := ours.InputOffset(); offsets && offset != theirs.InputOffset() {
				t.Fatalf("%d, %s: at %d, want %d; the input is %q", i, log, offset, theirs.InputOffset(), in)
			}
			if rest, _ := io.ReadAll(ours.Buffered()); !tokens && !strings.HasPrefix(unspaced(in[min(int(ours.InputOffset()), len(in)):]), unspaced(rest)) {
				t.Fatalf("%d, %s: %q is buffered at %d; the input is %q", i, log, rest, ours.InputOffset(), in)
			}
		}
	}
	t.Logf("%d calls, %d values", calls, fast)
}

// vague tells whether two errors are both syntax errors that may say different things: the second
// version of encoding/json quotes as much of a wrong escape, or of a character, as it has read.
func vague(a, b error) bool {
	x, ok1 := a.(*json.SyntaxError)
	y, ok2 := b.(*json.SyntaxError)
	both := func(text string) bool { return strings.Contains(x.Error(), text) && strings.Contains(y.Error(), text) }
	cut := func(e error) bool { return strings.Contains(e.Error(), `invalid character '\x`) }
	return ok1 && ok2 && arenajson.OnV2 && (both("invalid escape") || both("invalid character") && cut(x) != cut(y))
}

// TestVague has errors of a character that was read in part, and others.
func TestVague(t *testing.T) {
	of := func(msg string) error {
		var x *json.SyntaxError
		errors.As(json.Unmarshal([]byte(msg), new(any)), &x)
		return x
	}
	if whole, part := of("{1:\U0001F600"), of("{1:"); vague(whole, part) {
		t.Error(whole, part)
	}
	if whole, part := of("{\"a\"\U0001F600"), of("{\"a\"\xf0"); vague(whole, part) != arenajson.OnV2 {
		t.Error(whole, part)
	}
}

func unspaced(b []byte) string { return strings.TrimLeft(string(b), " \t\r\n") }

// TestDecoderMemory reads a long stream by Token and More alone. A Decoder must not keep what it
// has read.
func TestDecoderMemory(t *testing.T) {
	in := "[" + strings.Repeat(`1,"two",[3],`, 1<<16) + "null]"
	d := arenajson.NewDecoder(strings.NewReader(in))
	for {
		d.More()
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := arenajson.Recorded(d); n > 1<<14 {
		t.Errorf("%d bytes of %d are kept", n, len(in))
	}
	if moved := arenajson.RecorderMoves(1 << 16); moved > 1<<17 {
		t.Errorf("%d bytes are moved for %d that are read", moved, 1<<16)
	}
}
