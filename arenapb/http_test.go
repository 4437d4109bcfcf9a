package arenapb_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/proto"
)

// A dribble gives a text in pieces of random sizes, and an error at its end, sometimes with the last piece.
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

// TestRead reads random bodies, valid, damaged, compressed, too long, and with wrong lengths in their headers. The results are those of reading all of
// the body and proto.Unmarshal.
func TestRead(t *testing.T) {
	seed := rand.Uint64()
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

// TestReadBomb reads a body that is small, and large when it is decompressed: nothing is taken of the arena.
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
