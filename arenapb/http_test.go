package arenapb_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/proto"
)

// A dribble gives a text in pieces of random sizes, and an error at its end, sometimes with the
// last piece.
type dribble struct {
	text []byte
	end  error
	rnd  *rand.Rand
}

func (d *dribble) Read(p []byte) (int, error) {
	n := min(len(p), len(d.text), 1+d.rnd.IntN(1+len(d.text)))
	copy(p, d.text[:n])
	d.text = d.text[n:]
	if len(d.text) == 0 && (n == 0 || d.rnd.IntN(2) == 0) {
		return n, d.end
	}
	return n, nil
}

func (d *dribble) Close() error { return nil }

// TestRead reads random bodies, valid, damaged, compressed, too long, and with wrong lengths in
// their headers. The results equal reading the whole body and proto.Unmarshal.
func TestRead(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	broken := errors.New("the connection is broken")
	guarded := arena.NewWith(arena.Options{Guard: true})
	defer guarded.Free()
	arenas := []*arena.Arena{nil, arena.NewArena(), guarded}
	counts := map[int]int{}
	for i := range 3000 {
		p := &profilepb.Profile{Period: rnd.Int64()}
		for range rnd.IntN(1 << rnd.IntN(9)) {
			p.StringTable = append(p.StringTable, fmt.Sprint("text ", rnd.Uint64()))
		}
		text, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if rnd.IntN(8) == 0 {
			text = nil
		} else if rnd.IntN(4) == 0 {
			text[rnd.IntN(len(text))] ^= byte(1 << rnd.IntN(8))
		}
		limit := len(text) + rnd.IntN(3) - 1
		o := arenapb.ReadOptions{MaxBytes: int64(limit)}
		if limit > 0 && rnd.IntN(8) == 0 {
			limit, o.MaxBytes = len(text)+1, math.MaxInt64-rnd.Int64N(2)
		}
		switch {
		case limit == 0:
			limit = 4 << 20
		case limit < 0:
			limit = len(text)
		}
		want := http.StatusOK
		r := &http.Request{Header: http.Header{"Content-Type": {"application/x-protobuf"}}, ContentLength: -1}
		body := &dribble{text: text, end: io.EOF, rnd: rnd}
		switch rnd.IntN(4) {
		case 0:
			r.ContentLength = int64(len(text))
		case 1:
			r.ContentLength = int64(rnd.IntN(limit + 1)) // a caller has replaced the body
		case 2:
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			w.Write(text)
			w.Close()
			body.text = z.Bytes()
			r.Header.Set("Content-Encoding", "gzip")
			if rnd.IntN(4) == 0 {
				body.text = body.text[:rnd.IntN(len(body.text))]
				want = http.StatusBadRequest
			}
		}
		if rnd.IntN(8) == 0 {
			body.end, want = broken, http.StatusBadRequest
			if rnd.IntN(2) == 0 {
				body.end, want = os.ErrDeadlineExceeded, http.StatusRequestTimeout
			}
			if rnd.IntN(2) == 0 {
				body.end, want = &http.MaxBytesError{Limit: 1}, http.StatusRequestEntityTooLarge
			}
		}
		other := new(profilepb.Profile)
		theirs := proto.Unmarshal(text, other)
		if want == http.StatusOK && theirs != nil {
			want = http.StatusBadRequest
		}
		// Damaged gzip may end before the limit or after it.
		unsure := want != http.StatusOK && r.Header.Get("Content-Encoding") != ""
		if len(text) > limit && !unsure {
			want = http.StatusRequestEntityTooLarge
		}
		r.Body = body
		a := arenas[i%len(arenas)]
		r = r.WithContext(arena.NewContext(context.Background(), a))
		m := arenapb.New[profilepb.Profile](a)
		err = o.Read(r, m)
		got := http.StatusOK
		var e *arenapb.RequestError
		if errors.As(err, &e) {
			got = e.Status
		} else if err != nil {
			t.Fatalf("%v is no RequestError", err)
		}
		counts[got]++
		switch {
		case got != want && !unsure, unsure && got == http.StatusOK && (theirs != nil || len(text) > limit):
			t.Errorf("seed %d, %d: the status is %d, want %d: %v", seed, i, got, want, err)
		case got == http.StatusOK && !proto.Equal(m, other):
			t.Errorf("seed %d, %d: %v, want %v", seed, i, m, other)
		case got == http.StatusBadRequest && theirs != nil && body.end == io.EOF && !unsure && err.Error() != theirs.Error():
			t.Errorf("seed %d, %d: %q, want %q", seed, i, err, theirs)
		}
		a.Reset()
	}
	for _, status := range []int{200, 400, 408, 413} {
		if counts[status] == 0 {
			t.Errorf("no request has the status %d: %v", status, counts)
		}
	}
}

// TestReadHeaders checks the headers that are accepted.
func TestReadHeaders(t *testing.T) {
	for _, test := range []struct {
		contentType, encoding string
		any, ok               bool
	}{
		{"application/x-protobuf", "", false, true},
		{"application/protobuf; charset=x", "identity", false, true},
		{"application/vnd.google.protobuf", "", false, true},
		{"application/vnd.google.protobuf; encoding=delimited", "", false, false},
		{"application/json", "", false, false},
		{"application/json", "", true, true},
		{"", "", false, false},
		{"", "", true, true},
		{";", "", false, false},
		{"application/x-protobuf", "snappy", false, false},
	} {
		r := &http.Request{Header: http.Header{"Content-Type": {test.contentType}, "Content-Encoding": {test.encoding}}}
		err := arenapb.ReadOptions{AnyContentType: test.any}.Read(r, new(profilepb.Profile))
		var e *arenapb.RequestError
		if ok := err == nil; ok != test.ok || !ok && (!errors.As(err, &e) || e.Status != http.StatusUnsupportedMediaType) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// TestReadJSON reads bodies of JSON, which are decoded as protojson does it where that is asked
// for.
func TestReadJSON(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, test := range []struct {
		contentType, body string
		json, any         bool
		status            int
	}{
		{"application/json", `{"period":"7","unknown":1}`, true, false, 200},
		{"application/json; charset=UTF-8", `{"period":7}`, true, false, 200},
		{"application/json; charset=latin1", `{"period":7}`, true, false, 415},
		{"application/json; charset=utf8", `{"period":7}`, true, false, 200},
		{`application/json; charset="UTF-8"; v=1`, `{"period":7}`, true, false, 200},
		{"application/json; utf-8", `{"period":7}`, true, false, 200},
		{"application/json; latin1", `{"period":7}`, true, false, 415},
		{"text/plain; utf-8", `{"period":7}`, true, false, 415},
		{"application/jsonlines", `{"period":7}`, true, false, 415},
		{"text/plain", `{"period":7}`, true, false, 415},
		{"application/json", `{"period":7}`, false, false, 415},
		{"application/json", "\x60\x07", false, true, 200}, // as ever
		{"application/json", `{"period":7}`, true, true, 200},
		{"application/x-protobuf", "\x60\x07", true, false, 200},
		{"text/plain", "\x60\x07", true, true, 200},
		{"application/x-protobuf", `{"period":7}`, true, false, 400},
		{"application/json", "\x60\x07", true, false, 400},
		{"application/json", "", true, false, 400},
		{"application/json", `{"period":7}` + strings.Repeat(" ", 1000), true, false, 413},
	} {
		o := arenapb.ReadOptions{MaxBytes: 1000, AnyContentType: test.any}
		if test.json {
			o.JSON = &arenapb.UnmarshalJSONOptions{DiscardUnknown: true, AliasInput: true}
		}
		r := &http.Request{Header: http.Header{"Content-Type": {test.contentType}}, Body: io.NopCloser(strings.NewReader(test.body))}
		m := arenapb.New[profilepb.Profile](a)
		status, err := http.StatusOK, o.Read(r.WithContext(arena.NewContext(context.Background(), a)), m)
		var e *arenapb.RequestError
		if errors.As(err, &e) {
			status = e.Status
		}
		if status != test.status || status == http.StatusOK && m.Period != 7 {
			t.Errorf("%+v: the status is %d: %v, %v", test, status, err, m)
		}
		if test.json && !o.JSON.AliasInput {
			t.Error("the options are changed")
		}
		a.Reset()
	}

	// The body is in memory that is used again, and the message does not refer to it.
	o := arenapb.ReadOptions{JSON: &arenapb.UnmarshalJSONOptions{AliasInput: true}}
	var texts []*profilepb.Profile
	for i := range 100 {
		r := &http.Request{Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"stringTable":["text %d"]}`, i)))}
		m := new(profilepb.Profile)
		if err := o.Read(r, m); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, m)
	}
	for i, m := range texts {
		if want := fmt.Sprint("text ", i); m.StringTable[0] != want {
			t.Errorf("%q, want %q", m.StringTable[0], want)
		}
	}
}

// TestReadKeeps reads compressed bodies, and such that end with an error: nothing keeps a body
// alive.
func TestReadKeeps(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that one inflater does it all
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte{9 << 3, 5})
	w.Close()
	read := func(text []byte) (weak.Pointer[dribble], error) {
		body := &dribble{text, io.EOF, rand.New(rand.NewPCG(0, 0))}
		r := &http.Request{Header: http.Header{"Content-Type": {"application/x-protobuf"}, "Content-Encoding": {"gzip"}}, Body: body}
		return weak.Make(body), arenapb.Read(r, new(profilepb.Profile))
	}
	var bodies []weak.Pointer[dribble]
	for n := range z.Len() + 1 {
		body, err := read(z.Bytes()[:n])
		if (err == nil) != (n == z.Len()) {
			t.Errorf("%d bytes: %v", n, err)
		}
		bodies = append(bodies, body)
	}
	for range 4 {
		runtime.GC()
		if _, err := read([]byte("no gzip")); err == nil { // or else the pool forgets the inflater
			t.Fatal("no error")
		}
	}
	for i, body := range bodies {
		if body.Value() != nil {
			t.Errorf("the body of %d bytes is alive", i)
		}
	}
}

// TestReadBomb reads a body that is small, and large when it is decompressed: nothing is taken of
// the arena.
func TestReadBomb(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(make([]byte, 64<<20))
	w.Close()
	a := arena.NewArena()
	r := &http.Request{Header: http.Header{"Content-Type": {"application/x-protobuf"}, "Content-Encoding": {"gzip"}}, Body: io.NopCloser(&z)}
	err := arenapb.Read(r.WithContext(arena.NewContext(context.Background(), a)), new(profilepb.Profile))
	var e *arenapb.RequestError
	if !errors.As(err, &e) || e.Status != http.StatusRequestEntityTooLarge {
		t.Error(err)
	}
	if s := a.Stats(); s.Peak != 0 {
		t.Errorf("%d bytes of the arena", s.Peak)
	}
	if err := arena.Try(func() {
		a := arena.NewWith(arena.Options{Limit: 1 << 20})
		r := &http.Request{Header: http.Header{"Content-Type": {"application/x-protobuf"}}, Body: io.NopCloser(bytes.NewReader(make([]byte, 2<<20)))}
		arenapb.Read(r.WithContext(arena.NewContext(context.Background(), a)), new(profilepb.Profile))
	}); !errors.Is(err, arena.ErrLimit) {
		t.Errorf("an arena with a limit: %v", err)
	}
}

// A slowBody has a byte for each Read, and notes how much room the Reads had.
type slowBody struct{ left, room int }

func (s *slowBody) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	s.room = max(s.room, len(b))
	b[0] = 0xff
	return 1, nil
}

// TestReadHeaderAlone has a header promise a large body, most of which does not come: a client
// could have a server hold memory for each of its connections.
func TestReadHeaderAlone(t *testing.T) {
	body := &slowBody{left: 1000}
	r := &http.Request{Header: http.Header{"Content-Type": {"application/x-protobuf"}}, ContentLength: 4 << 20, Body: io.NopCloser(body)}
	if err := arenapb.Read(r, new(profilepb.Profile)); err == nil {
		t.Error("no error")
	}
	if body.room > 128<<10 {
		t.Errorf("a header gets %d bytes", body.room)
	}
}
