package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A scripted reader returns its parts one by one, each with its error, and then io.EOF.
type scripted struct {
	parts []part
	read  int // bytes
	calls int
}

type part struct {
	text string
	err  error
}

func (s *scripted) Read(b []byte) (int, error) {
	s.calls++
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	p := &s.parts[0]
	n := copy(b, p.text)
	s.read += n
	for i := range b[n:] {
		b[n+i] = '7' // a reader may use all of it
	}
	if p.text = p.text[n:]; p.text != "" {
		return n, nil
	}
	err := p.err
	s.parts = s.parts[1:]
	return n, err
}

// oddParts cuts a text into parts. Each has at most n bytes; some have an error, follow one, or are
// empty.
func oddParts(r *rand.Rand, text string, most, odd int) (parts []part) {
	errs := []error{nil, nil, io.EOF, io.EOF, io.ErrUnexpectedEOF, errors.New("temporary")}
	for text != "" {
		n := min(1+r.IntN(most), len(text))
		p := part{text: text[:n]}
		text = text[n:]
		if r.IntN(odd) == 0 {
			p.err = errs[r.IntN(len(errs))]
		}
		parts = append(parts, p)
		for r.IntN(odd) == 0 {
			parts = append(parts, part{err: errs[r.IntN(len(errs))]})
		}
	}
	return parts
}

// brokenValues are texts with a mistake, each a value but for that, and with something behind.
var brokenValues = []string{
	`{"a":tru `, `{x`, `{"a" 1`, `[1,,`, `{'a':1`, "{\"a\":\"x\ny", `[1 2`, `{"a":NaN`, `{"a":"\x"`, `[-x`, `[01`, `{"a":1,}`, `{]`, `x`, `]`, `}`, `,`, `:`, "[\x00", "\x00", "[\"\x00", "[1\x00", "{\x00",
	"[nul\x00", `["\u12g4"]`, `["\u1`, `["\u12"`, `["\u123"`, `[1.x`, `[1e+x`, `[1ex`, `[1.]`, `[-]`, `[1e]`, `[0x1]`, `[-01]`, `[1.5.5]`, `[truee]`, `[nulll]`, `[falsy]`, `{"a":{}]`, `[{}}`, `{"a":1 "b":2}`, `{"a"}`,
	`{"a",1}`, `{1:2}`, `{"a":1,1:2}`, `[1,]`, `[,1]`, `{,}`, `[}`, `["a":1]`, "[\"\xff\x01", `[+1]`, `[.5]`, `"x`, `tru`, `1.`, `-`, `01`, `"\q"`, strings.Repeat("[", 10001), strings.Repeat(`{"a":`, 10001), strings.Repeat(`[{"a":`, 5001),
}

// goodValues are values, each with something of its own.
var goodValues = []string{
	`{}`, `[]`, ` { } `, "[\n]", `{"a":1,"b":[true,false,null]}`, `["\u12aF\\\"\n\/"]`, `[0,-0,1.5e+10,0e1,12.25E-3,-1]`, `{"a":{"a":{"a":[[],[{}]]}}}`, "\t{\"\":\"\"}\r\n", `["` + strings.Repeat("x", 700) + `"]`, `["ü日\xf0\x9f\x98\x80"]`,
	`[` + strings.Repeat("1234567890", 60) + `]`, `{"A":1}`, `{"unknown":[]}`, `{"a":"x"}`, `[1` + strings.Repeat(" ", 600) + `]`, `1`, `"x"`, `null`, strings.Repeat("[", 10000) + strings.Repeat("]", 10000),
}

// TestDecoderOddReaders makes the same calls of a Decoder and of encoding/json's, whose readers
// give the same parts. Results and errors are the same, and so is what was read when each part is
// one byte: nothing is read behind a mistake.
func TestDecoderOddReaders(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 600
	}
	seed := testrun.Seed(t)
	types := []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[struct{ A int }](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any](), reflect.TypeFor[json.RawMessage]()}
	a := arena.NewArena()
	wrong, right := 0, 0
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var text string
		for range 1 + r.IntN(4) {
			v := goodValues[r.IntN(len(goodValues))]
			if r.IntN(10) > 0 && len(v) > 5000 {
				v = "{}"
			}
			text += v + []string{"", "\n", " ", "  \n"}[r.IntN(4)]
		}
		switch r.IntN(3) {
		case 0:
			if v := brokenValues[r.IntN(len(brokenValues))]; len(v) < 5000 || r.IntN(10) == 0 {
				text += v + goodValues[r.IntN(10)]
			}
		case 1:
			at := r.IntN(len(text))
			text = text[:at] + string(`{}[]:,"x0-.e\` + "\x00\n\xff")[r.IntN(16):][:1] + text[at+r.IntN(2):]
		}
		most, odd := []int{1, 1, 2, 13, 5000}[r.IntN(5)], []int{1 << 30, 10, 200}[r.IntN(3)]
		parts := oddParts(r, text, most, odd)
		ours, theirs := &scripted{parts: slices.Clone(parts)}, &scripted{parts: slices.Clone(parts)}
		d, std := arenajson.NewDecoder(ours), json.NewDecoder(theirs)
		if r.IntN(4) == 0 {
			d.DisallowUnknownFields()
			std.DisallowUnknownFields()
		}
		tokens, more := r.IntN(4) == 0, r.IntN(2) == 0
		var log []string
		for range 14 {
			switch k := r.IntN(6); {
			case k == 0 && tokens:
				got, gotErr := d.Token()
				want, wantErr := std.Token()
				log = append(log, fmt.Sprintf("Token: %v %v", want, wantErr))
				if !reflect.DeepEqual(got, want) || !sameError(gotErr, wantErr) && !vague(gotErr, wantErr) {
					t.Fatalf("%d, %q, parts %+v: %v (%#v), want %v (%#v)", i, log, parts, got, gotErr, want, wantErr)
				}
			case k <= 2 && more:
				got, want := d.More(), std.More()
				if log = append(log, fmt.Sprint("More: ", want)); got != want {
					t.Fatalf("%d, %q, parts %+v: %v, want %v", i, log, parts, got, want)
				}
			default:
				typ := types[r.IntN(len(types))]
				got, want := reflect.New(typ), reflect.New(typ)
				gotErr, wantErr := d.Decode(a, got.Interface()), std.Decode(want.Interface())
				log = append(log, fmt.Sprintf("Decode %v: %v", typ, wantErr))
				if !reflect.DeepEqual(plain(got), plain(want)) || !sameError(gotErr, wantErr) && !vague(gotErr, wantErr) {
					t.Fatalf("%d, %q, parts %+v: %.300s (%#v), want %.300s (%#v)", i, log, parts, show(got), gotErr, show(want), wantErr)
				}
				if a.Reset(); wantErr == nil {
					right++
				} else {
					wrong++
				}
			}
			if got, want := d.InputOffset(), std.InputOffset(); got != want {
				t.Fatalf("%d, %q, parts %+v: at %d, want %d", i, log, parts, got, want)
			}
			if most == 1 && (ours.read != theirs.read || ours.calls != theirs.calls) {
				t.Fatalf("%d, %q, parts %+v: %d bytes were read in %d calls, with encoding/json %d in %d", i, log, parts, ours.read, ours.calls, theirs.read, theirs.calls)
			}
			gotRest, _ := io.ReadAll(d.Buffered())
			wantRest, _ := io.ReadAll(std.Buffered())
			if most == 1 && unspaced(gotRest) != unspaced(wantRest) {
				t.Fatalf("%d, %q, parts %+v: %q is buffered, want %q", i, log, parts, gotRest, wantRest)
			}
		}
	}
	t.Logf("%d values, %d errors", right, wrong)
	if right < n/2 || wrong < n {
		t.Error("too few values or errors were compared")
	}
}

// TestScannerParts scans values and broken ones in parts, cut at each place, and byte by byte. The
// verdict and its place do not depend on the cut, and each part is begun where the one before
// ended, but for the beginning of an escape or a literal: so the steps are as many as the bytes.
func TestScannerParts(t *testing.T) {
	for _, text := range slices.Concat(goodValues, brokenValues) {
		if len(text) > 2000 {
			continue
		}
		at, whole, _ := arenajson.ScanParts(text, len(text))
		if whole == 0 && json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "[{") {
			t.Errorf("%.100q is cut", text)
		}
		for cut := 1; cut <= len(text); cut++ {
			gotAt, got, again := arenajson.ScanParts(text, cut)
			if gotAt != at || got != whole {
				t.Fatalf("%.100q in parts of %d: %d at %d, want %d at %d", text, cut, got, gotAt, whole, at)
			}
			if most := 6 * (len(text)/cut + 1); again > min(most, 5*len(text)) {
				t.Fatalf("%.100q in parts of %d: %d bytes are looked at again", text, cut, again)
			}
		}
	}
	for _, n := range []int{1 << 10, 1 << 11, 1 << 12} {
		for _, text := range []string{"[" + strings.Repeat(" ", n), `["` + strings.Repeat("x", n), "[" + strings.Repeat("1", n), "[0." + strings.Repeat("1", n), "[0e" + strings.Repeat("1", n), strings.Repeat("[", n)} {
			if _, verdict, again := arenajson.ScanParts(text, 1); verdict != 0 || again > 0 {
				t.Errorf("%.10q, %d bytes: verdict %d, %d bytes are looked at again", text, n, verdict, again)
			}
		}
	}
}

// An endless reader gives a text, and then another one again and again, up to a number of bytes.
type endless struct {
	text, more string
	read, most int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.read >= e.most {
		return 0, io.EOF
	}
	n := copy(b, e.text)
	for e.text = e.text[n:]; e.text == "" && len(b)-n >= len(e.more); {
		n += copy(b[n:], e.more)
	}
	e.read += n
	return n, nil
}

// TestDecoderEndless reads streams that have a mistake and no end. A Decoder reads as little of
// them as encoding/json, and takes as little memory, whatever comes behind.
func TestDecoderEndless(t *testing.T) {
	for _, c := range [][2]string{
		{`{"a":tru`, "x"}, {`{x`, "x"}, {`[1,,`, "1,"}, {`[`, "["}, {`{"a":`, `{"a":`}, {`{"a":1,"b":"cut`, "\n{\"a\":2,\"b\":\"x\"}"}, {"[1 2 ", "3 "}, {`{"a":01`, "0"}, {"{\"a\":\"\x01", "x"},
		{`{"a":"\q`, "x"}, {`{}}`, "}"}, {`{} x`, "{}"}, {`{} "x` + "\n", "x"}, {`[1]]`, "1"},
	} {
		use := func(decode func(r io.Reader) error) (read int, bytes uint64, text string) {
			for _, most := range []int{1 << 18, 1 << 19, 1 << 20} {
				r := &endless{text: c[0], more: c[1], most: most}
				var err error
				bytes = allocated(func() { err = decode(r) })
				read, text = r.read, fmt.Sprint(err)
			}
			return read, bytes, text
		}
		wantRead, wantBytes, want := use(func(r io.Reader) (err error) {
			for d := json.NewDecoder(r); err == nil; {
				err = d.Decode(new(any))
			}
			return err
		})
		read, bytes, text := use(func(r io.Reader) (err error) {
			for d := arenajson.NewDecoder(r); err == nil; {
				err = d.Decode(nil, new(any))
			}
			return err
		})
		if text != want {
			t.Errorf("%q: %s, want %s", c, text, want)
		}
		if read > 2*wantRead+4<<10 || bytes > 4*wantBytes+64<<10 {
			t.Errorf("%q: %d bytes are read and %d allocated, with encoding/json %d and %d", c, read, bytes, wantRead, wantBytes)
		}
	}
}

// TestDecoderBytewise reads values of some sizes in parts of one byte. Its allocations grow in
// proportion.
func TestDecoderBytewise(t *testing.T) {
	for _, text := range []string{`"xxxxxxx",`, "12345678.5,", "{\"a\":[]}, ", strings.Repeat(" ", 100) + "1,"} {
		for _, n := range []int{1 << 11, 1 << 12, 1 << 13} {
			in := "[" + strings.Repeat(text, n) + "0]"
			got := allocated(func() {
				if err := arenajson.NewDecoder(iotest.OneByteReader(strings.NewReader(in))).Decode(nil, new(json.RawMessage)); err != nil {
					t.Error(err)
				}
			})
			if got > 8*uint64(len(in))+64<<10 {
				t.Errorf("%q, %d times: %d bytes for a document of %d", text, n, got, len(in))
			}
		}
	}
}

// A calling value has a method that panics, or calls.
type calling struct{ call func() }

func (v *calling) UnmarshalJSON(b []byte) error {
	if v.call(); string(b) == `"panic"` {
		panic("in a method")
	}
	return nil
}

// TestDecoderMethods has methods that panic. Before any is called, the Decoder is behind the value:
// so the next call returns the next one.
func TestDecoderMethods(t *testing.T) {
	const in = `{"a":1} {"a":"panic"} {"a":4444} {"a":55555}`
	run := func(decode func(v any) error, offset func() int64) (log []string) {
		for range 5 {
			func() {
				defer func() { log = append(log, fmt.Sprint(recover(), offset())) }()
				v := struct{ A calling }{calling{func() { log = append(log, fmt.Sprint(offset())) }}}
				log = append(log, fmt.Sprint(decode(&v)))
			}()
		}
		return log
	}
	d, std := arenajson.NewDecoder(strings.NewReader(in)), json.NewDecoder(strings.NewReader(in))
	got, want := run(func(v any) error { return d.Decode(nil, v) }, d.InputOffset), run(std.Decode, std.InputOffset)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A refusing reader panics instead of returning some of its parts, after it has written them.
type refusing struct {
	parts []string
	bad   int // which part
}

func (p *refusing) Read(b []byte) (int, error) {
	if len(p.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.parts[0])
	p.parts = p.parts[1:]
	if p.bad--; p.bad == 0 {
		panic("in a reader")
	}
	return n, nil
}

// TestReaderPanics has a reader panic, and goes on. What it has written then was not read.
func TestReaderPanics(t *testing.T) {
	for _, parts := range [][]string{
		{`{"a":1} {"b":`, `2} {"c":3}`, `4} {"d":5}`},
		{`{"a":"long enough"} {"b`, `":"x"} `, `":"y"}`},
		{`{"a":[1,2,3,4]} [`, `5] [6]`, `7] [8]`},
	} {
		for bad := 1; bad <= len(parts); bad++ {
			run := func(decode func(v any) error) (log []string) {
				for range 6 {
					func() {
						defer func() { log = append(log, fmt.Sprint(recover())) }()
						var v any
						err := decode(&v)
						log = append(log, fmt.Sprint(v, err))
					}()
				}
				return log
			}
			d, std := arenajson.NewDecoder(&refusing{parts, bad}), json.NewDecoder(&refusing{parts, bad})
			got, want := run(func(v any) error { return d.Decode(nil, v) }), run(std.Decode)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q, part %d: %q, want %q", parts, bad, got, want)
			}
		}
	}
}
