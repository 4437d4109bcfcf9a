package arenahttp_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/testrun"
)

// A keeper keeps what it is shown of a header by reference, at each call, as
// net/http and buffering writers do.
type keeper struct {
	http.ResponseWriter
	seen []http.Header
}

func (k *keeper) keep()                       { k.seen = append(k.seen, k.Header().Clone()) }
func (k *keeper) WriteHeader(status int)      { k.keep(); k.ResponseWriter.WriteHeader(status) }
func (k *keeper) Write(b []byte) (int, error) { k.keep(); return k.ResponseWriter.Write(b) }
func (k *keeper) Flush()                      { k.keep() }
func (k *keeper) Unwrap() http.ResponseWriter { return k.ResponseWriter }
func (k *keeper) ReadFrom(r io.Reader) (int64, error) {
	k.keep()
	return io.Copy(io.Discard, r)
}
func (k *keeper) Push(target string, o *http.PushOptions) error {
	h := o.Header.Clone()
	h["Target"] = []string{target}
	h["Method"] = []string{o.Method}
	k.seen = append(k.seen, h)
	return nil
}

// TestHeader proves for random handlers that nothing that anybody is shown of a
// header changes when the arena is used again, and that it is what the handler has set.
func TestHeader(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	pool := &arena.Pool{}
	for range 3000 {
		k := &keeper{ResponseWriter: httptest.NewRecorder()}
		k.Header().Set("X-Outer", "outer")
		k.Header().Set("Content-Type", "text/plain")
		model := http.Header{"X-Outer": {"outer"}, "Content-Type": {"text/plain"}}
		var want []string // what k.seen is, as text
		see := func(h http.Header) { want = append(want, format(h)) }
		var used *arena.Arena
		common := []string{"common"} // between all requests: must not be written to
		h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			used = a
			kept := w.Header()
			for range rnd.IntN(12) {
				i, v := rnd.IntN(6), arena.Sprintf(a, "value %d", rnd.IntN(20))
				key := arena.Sprintf(a, "X-Key-%d", i)
				own := strings.Clone(key) // the model outlives the arena
				op := rnd.IntN(14)
				if op >= 5 && op <= 8 {
					kept = w.Header() // These may take text out again that was shown to k.
				}
				switch op {
				case 0, 1:
					w.Header().Set(key, v)
					model.Set(own, strings.Clone(v))
				case 2:
					kept.Add(key, v)
					model.Add(own, strings.Clone(v))
				case 3:
					kept[key] = arena.SliceOf(a, v, v)
					model[own] = []string{strings.Clone(v), strings.Clone(v)}
				case 4:
					if len(kept[key]) > 0 && &kept[key][0] != &common[0] {
						kept[key][0] = v
						model[own][0] = strings.Clone(v)
					}
				case 5:
					kept.Del(key)
					model.Del(own)
				case 6:
					kept[key] = nil
					model[own] = nil
				case 7:
					kept[key] = common
					model[own] = []string{"common"}
				case 8:
					other := arena.Sprintf(a, "X-Key-%d", (i+1)%6)
					if vv, ok := kept[key]; ok {
						kept[other] = vv
						delete(kept, key)
						model[strings.Clone(other)] = model[own]
						delete(model, own)
					}
				case 9:
					w.WriteHeader(200)
					see(model)
				case 10:
					w.Write([]byte("x"))
					see(model)
				case 11:
					w.(http.Flusher).Flush()
					see(model)
				case 12:
					// Sets a header when it is read for the first time.
					w.(io.ReaderFrom).ReadFrom(&setter{func() { kept.Set(key, v) }})
					see(model) // before it is read
					model.Set(own, strings.Clone(v))
				case 13:
					h := http.Header{key: {v}}
					w.(http.Pusher).Push(arena.Concat(a, "/", v), &http.PushOptions{Method: arena.Concat(a, "G", "ET"), Header: h})
					see(http.Header{own: {strings.Clone(v)}, "Target": {"/" + v}, "Method": {"GET"}})
				}
			}
		}), arenahttp.Options{Pool: pool})
		h.ServeHTTP(k, httptest.NewRequest("GET", "/", nil))
		k.keep()
		see(model)
		// The next request.
		scribble(pool, used)
		if common[0] != "common" {
			t.Fatalf("a slice in common was written to: %q", common)
		}
		var got []string
		for _, h := range k.seen {
			got = append(got, format(h))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the headers were\n%q\nwant\n%q", got, want)
		}
	}
}

type setter struct{ set func() }

func (s *setter) Read(b []byte) (int, error) {
	if s.set == nil {
		return 0, io.EOF
	}
	s.set()
	s.set = nil
	return copy(b, strings.Repeat("x", 400)), nil
}

func format(h http.Header) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintf(&b, "%s: %#v\n", k, h[k])
	}
	return b.String()
}

// scribble overwrites what was in used, if that lies in pool.
func scribble(pool *arena.Pool, used *arena.Arena) {
	for range 8 {
		a := pool.Get()
		if a == used {
			defer pool.Put(a)
			for range 100 {
				arena.String(a, strings.Repeat("#", 20))
				arena.SliceOf(a, "#", "#")
			}
			return
		}
		pool.Drop(a)
	}
}

// TestHeaderKey proves that a key of the arena is found where values that are copies already
// have been moved to it.
func TestHeaderKey(t *testing.T) {
	pool := &arena.Pool{}
	w := httptest.NewRecorder()
	var used *arena.Arena
	arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		used = arena.FromContext(r.Context())
		h := w.Header()
		h["X-Key"] = []string{"v"}
		w.WriteHeader(http.StatusOK)
		v := h["X-Key"]
		delete(h, "X-Key")
		h[arena.String(used, "X-Key")] = v
	}), arenahttp.Options{Pool: pool}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for range 100 {
		a := pool.Get()
		arena.String(a, "ZZZZZ")
		defer pool.Drop(a)
	}
	for k := range w.Header() {
		if k != "X-Key" {
			t.Errorf("the header has the key %q", k)
		}
	}
}

// TestLateHeader proves what becomes of the arena when its text is set as a header after a write,
// behind a writer that may send the header at any write: it is used again where the header was seen
// before the next write, and dropped where it may have been sent.
func TestLateHeader(t *testing.T) {
	for _, test := range []struct {
		name   string
		reason arenascope.Reason
		h      func(w http.ResponseWriter, kept http.Header, text string)
	}{
		{"asked for again", "", func(w http.ResponseWriter, _ http.Header, text string) { w.Header().Set("X-Key", text) }},
		{"one more", arenascope.ReasonHeader, func(_ http.ResponseWriter, kept http.Header, text string) { kept.Set("X-More", text) }},
		{"one more, for one write", arenascope.ReasonHeader, func(w http.ResponseWriter, kept http.Header, text string) {
			kept.Set("X-More", text)
			w.Write(nil)
			kept.Del("X-More")
		}},
		{"after the last write", arenascope.ReasonHeader, func(w http.ResponseWriter, kept http.Header, text string) {
			w.Write(nil)
			kept.Set(http.TrailerPrefix+"X-Key", text)
		}},
		{"another value", arenascope.ReasonHeader, func(_ http.ResponseWriter, kept http.Header, text string) { kept.Set("X-Key", text) }},
		{"another value of the heap", "", func(_ http.ResponseWriter, kept http.Header, text string) { kept.Set("X-Key", "heap") }},
	} {
		k := &keeper{ResponseWriter: httptest.NewRecorder()}
		s := serve(k, func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			kept := w.Header()
			kept.Set("X-Key", arena.String(a, "first"))
			for range 3 {
				w.Write(nil)
			}
			test.h(w, kept, arena.String(a, "second"))
			if test.name != "after the last write" {
				w.Write(nil)
			}
		})
		if s.Reason != test.reason {
			t.Errorf("%s: the reason is %q, want %q", test.name, s.Reason, test.reason)
		}
	}
}
