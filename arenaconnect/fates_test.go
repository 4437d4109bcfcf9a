package arenaconnect_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/protobuf/encoding/protojson"
)

// fates are calls, and what becomes of the arena and of the call.
var fates = []struct {
	method string
	kind   int32
	code   connect.Code
	reason arenascope.Reason // "" is reused
}{
	{"Unary", echo, 0, ""},
	{"Unary", part, 0, ""},
	{"Unary", own, 0, ""},
	{"Unary", keepsClone, 0, ""},
	{"Unary", interceptor, 0, arenascope.ReasonAnswered},
	{"Unary", headers, 0, ""},
	{"Unary", lateHandler, 0, arenascope.ReasonAnswered},
	{"Unary", keeps, 0, arenascope.ReasonKept},
	{"Unary", fails, connect.CodeNotFound, arenascope.ReasonError},
	{"Unary", refused, connect.CodeNotFound, arenascope.ReasonError},
	{"Unary", swallowed, 0, arenascope.ReasonError},
	{"Unary", panics, connect.CodeInternal, arenascope.ReasonPanic},
	{"Unary", goexits, connect.CodeUnknown, arenascope.ReasonPanic},
	{"Unary", limited, connect.CodeResourceExhausted, arenascope.ReasonLimit},
	{"Unary", limitError, connect.CodeResourceExhausted, arenascope.ReasonLimit},
	{"Unary", tooLarge, connect.CodeResourceExhausted, arenascope.ReasonLimit},
	{"Unary", waits, connect.CodeCanceled, arenascope.ReasonDone},
	{"Unary", abandons, connect.CodeCanceled, arenascope.ReasonDone},
	{"Unary", outlives, 0, arenascope.ReasonRunning},
	{"Unary", freed, 0, arenascope.ReasonFreed},
	{"ServerStream", echo, 0, ""},
	{"ServerStream", headers, 0, ""},
	{"ServerStream", fails, connect.CodeNotFound, arenascope.ReasonError},
	{"ServerStream", panics, connect.CodeInternal, arenascope.ReasonPanic},
	{"ServerStream", waits, connect.CodeCanceled, arenascope.ReasonDone},
	{"ServerStream", tooLarge, connect.CodeResourceExhausted, arenascope.ReasonLimit},
	{"ClientStream", echo, 0, ""},
	{"ClientStream", keeps, 0, ""}, // PerCall
	{"ClientStream", headers, 0, ""},
	{"Bidi", echo, 0, ""},
	{"Bidi", headers, 0, ""},
	{"Bidi", keeps, 0, arenascope.ReasonKept},
	{"Bidi", fails, connect.CodeNotFound, arenascope.ReasonError},
	{"Bidi", panics, connect.CodeInternal, arenascope.ReasonPanic},
	{"Bidi", tooLarge, connect.CodeResourceExhausted, arenascope.ReasonLimit},
}

// TestFates has one call of each kind in each protocol.
func TestFates(t *testing.T) {
	for _, w := range ways {
		for _, test := range fates {
			if test.method == "Bidi" && !w.h2 || w.get() && (test.method != "Unary" || test.kind == tooLarge) {
				continue
			}
			t.Run(fmt.Sprint(w.name, "/", test.method, test.kind), func(t *testing.T) {
				summaries := make(chan arenaconnect.Summary, 1)
				pool := &arena.Pool{Options: arena.Options{Limit: limit}}
				r := newRig(t, arenaconnect.Options{Threshold: 1, Pool: pool, Observe: func(_ context.Context, procedure string, s arenaconnect.Summary) {
					if want := "/" + echopb.EchoName + "/" + test.method; procedure != want && !w.get() {
						t.Errorf("the procedure is %q, want %q", procedure, want)
					}
					summaries <- s
				}})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r.waiting = cancel
				c := call{way: w, method: test.method, kind: test.kind, id: 7, parts: 3}
				if test.kind == tooLarge {
					c.pad = limit
				}
				o := c.on(ctx, r.dial(w))
				switch {
				case test.kind == goexits && o.err != nil: // of some code
				default:
					if err := c.check(o, test.code); err != nil {
						t.Errorf("the call: %v", err)
					}
				}
				got := <-summaries
				if test.kind == outlives && got.Reason == arenascope.ReasonDone {
					got.Reason = test.reason // the context was done before the call was over, and the handler was quick
				}
				if got.Reason != test.reason || got.Reused != (test.reason == "") {
					t.Errorf("%+v, want the reason %q", got, test.reason)
				}
				if got.Reused && got.Stats.InUse == 0 {
					t.Errorf("nothing was in the arena: %+v", got.Stats)
				}
				if (got.Limit != nil) != (test.reason == arenascope.ReasonLimit) {
					t.Errorf("the limit is %v", got.Limit)
				}
				onHeap := 0
				if test.method == "ClientStream" {
					onHeap = 3
					if test.kind == keeps {
						onHeap = 1
					}
				}
				if got.OnHeap != onHeap {
					t.Errorf("%d messages are on the heap, want %d", got.OnHeap, onHeap)
				}
				close(r.release)
				r.stop(pool)
			})
		}
	}
}

// TestStock compares all that a client learns of calls with what it learns from a server without
// arenas.
func TestStock(t *testing.T) {
	pool := &arena.Pool{Options: arena.Options{Limit: limit}}
	ours := []*rig{newRig(t, arenaconnect.Options{Threshold: 1, Pool: pool}), newRig(t, arenaconnect.Options{Limit: limit})}
	stock := newStock(t)
	sizes := []int{1, 3, 40}
	if raceEnabled {
		sizes = sizes[1:2]
	}
	for _, w := range ways {
		clients := []echopb.EchoClient{ours[0].dial(w), ours[1].dial(w)}
		plain := stock.dial(w)
		for _, test := range fates {
			switch test.kind {
			case waits, abandons, outlives, lateHandler, limitError, tooLarge, goexits, freed:
				continue // they are not the same, or take their time
			}
			if test.method == "Bidi" && !w.h2 {
				continue
			}
			for _, parts := range sizes {
				c := call{way: w, method: test.method, kind: test.kind, id: 7, parts: parts}
				want := c.on(t.Context(), plain)
				if err := c.check(want, test.code); err != nil {
					t.Fatalf("%v: a server without arenas: %v", c, err)
				}
				for i, client := range clients {
					got, want := c.on(t.Context(), client).text(), want.text()
					if w.json() {
						got, want = plainJSON(got), plainJSON(want)
					}
					if got != want {
						t.Errorf("%v: server %d says\n%s\nwant\n%s", c, i, got, want)
					}
				}
			}
		}
	}
	stock.stop(nil)
	ours[1].stop(nil)
	ours[0].stop(pool)
}

// TestContent makes calls with each Content-Type that names JSON, and with some that only seem to.
// The answers equal the answers of a server without arenas except for spaces, and the observer sees
// the JSON calls.
func TestContent(t *testing.T) {
	told := 0
	pool := &arena.Pool{}
	r := newRig(t, arenaconnect.Options{Threshold: 1, Pool: pool, Observe: func(context.Context, string, arenaconnect.Summary) { told++ }})
	stock := newStock(t)
	ours, theirs := &http.Client{Transport: &http.Transport{}}, &http.Client{Transport: &http.Transport{}}
	defer ours.CloseIdleConnections()
	defer theirs.CloseIdleConnections()
	body := asJSON(t, message(7, 3))
	for content, known := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "application/json;charset=utf-8": true, "application/json; charset=UTF-8": true,
		"Application/JSON": true, "application/json; charset=latin1": false, "application/jsonx": false, "text/json": false,
	} {
		for _, body := range [][]byte{body, {}, []byte("{"), []byte("{}"), []byte(`{"unknown":[{}]}`), []byte(`{"text":"\xff"}`), []byte("null"), append(bytes.Clone(body), '}')} {
			before := told
			got, want := r.post(ours, echopb.EchoUnaryProcedure, content, body), stock.post(theirs, echopb.EchoUnaryProcedure, content, body)
			if plainJSON(got) != plainJSON(want) {
				t.Errorf("%s, %s:\n%s\nwant\n%s", content, body, got, want)
			}
			if told > before != (known && strings.HasPrefix(want, "200 ")) {
				t.Errorf("%s, %s: told of %d calls: %s", content, body, told-before, want)
			}
		}
	}
	stock.stop(nil)
	r.stop(pool)
	if told == 0 {
		t.Error("nothing was tested")
	}
}

// plainJSON takes away what protojson puts into text and errors at random, and what follows from
// that: the length.
func plainJSON(answer string) string {
	answer = regexp.MustCompile(`Content-Length[:=]\["?\d+"?\]`).ReplaceAllString(answer, "")
	return strings.ReplaceAll(strings.ReplaceAll(answer, ", ", ","), "\u00a0", " ")
}

// asJSON returns m as a client sends it.
func asJSON(t interface{ Fatal(...any) }, m *echopb.Message) []byte {
	b, err := protojson.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestThreshold checks from which size messages are in an arena, and that a call without any takes
// none.
func TestThreshold(t *testing.T) {
	summaries := make(chan arenaconnect.Summary, 1)
	for _, threshold := range []int{0, 1, 100, 1 << 14} {
		pool := &arena.Pool{}
		r := newRig(t, arenaconnect.Options{Threshold: threshold, Pool: pool,
			Observe: func(_ context.Context, _ string, s arenaconnect.Summary) { summaries <- s }}, connect.WithInterceptors(quick{}))
		if threshold == 0 {
			threshold = arenaconnect.DefaultThreshold
		}
		for _, w := range ways {
			if w.get() {
				continue
			}
			encoded := encoded
			if w.json() {
				encoded = asJSON
			}
			for _, method := range []string{"Unary", "ServerStream"} {
				c := call{way: w, method: method, kind: echo, id: 7}
				base := len(encoded(t, c.message(7, 0)))
				for _, size := range []int{base, threshold - 1, threshold, 2 * threshold} {
					if size < base+20 && size != base {
						continue
					}
					c.pad = 0
					for c.pad+base < size && len(encoded(t, c.message(7, 0))) < size {
						c.pad += max(1, (size-len(encoded(t, c.message(7, 0))))/2)
					}
					n := len(encoded(t, c.message(7, 0)))
					o := c.on(t.Context(), r.dial(w))
					if o.err != nil {
						t.Errorf("%v: %v", c, o.err)
					}
					if s := <-summaries; (s.Reason == arenascope.ReasonAnswered) != (n >= threshold) || s.Reused {
						t.Errorf("%v: %d bytes, the threshold is %d: %+v", c, n, threshold, s)
					}
				}
			}
		}
		r.stop(pool)
	}
}

// quick is an interceptor that answers without looking for an arena.
type quick struct{ middle }

func (quick) WrapUnary(connect.UnaryFunc) connect.UnaryFunc {
	return func(_ context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		return connect.NewResponse(request.Any().(*echopb.Message)), nil
	}
}

func (quick) WrapStreamingHandler(connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(_ context.Context, conn connect.StreamingHandlerConn) error {
		m := new(echopb.Message)
		if err := conn.Receive(m); err != nil {
			return err
		}
		return conn.Send(m)
	}
}

// TestLifetimes has handlers say another Lifetime before each message: what was received before
// lives as long as was said then, and an arena for messages PerMessage is used again for the next
// of them.
func TestLifetimes(t *testing.T) {
	pool := &arena.Pool{Options: arena.Options{Limit: 256 << 10}}
	s := fickle{&service{t: t}, make(chan []arenascope.Lifetime, 1)}
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(s, arenaconnect.HandlerOptions(arenaconnect.Options{Threshold: 1, Pool: pool})...))
	r := listen(t, s.service, mux)
	r.pending = func() int { return 0 }
	client := r.dial(ways[3])
	ask := func(lifetimes []arenascope.Lifetime, pad int) {
		s.lifetimes <- lifetimes
		stream := client.ClientStream(t.Context())
		for i := range lifetimes {
			m := message(int64(i+1), 3)
			m.Data = make([]byte, pad)
			m.Sum = sum(m)
			stream.Send(m)
		}
		if _, err := stream.CloseAndReceive(); err != nil {
			t.Errorf("%v: %v", lifetimes, err)
		}
	}
	const most = 4
	for n := range 81 { // 3 to the power of most
		lifetimes := make([]arenascope.Lifetime, most)
		for i := range lifetimes {
			lifetimes[i] = arenascope.Lifetime(n % 3)
			n /= 3
		}
		ask(lifetimes, 0)
	}
	long := slices.Repeat([]arenascope.Lifetime{arenascope.PerMessage}, 30)
	long[0] = arenascope.PerCall
	ask(long, 32<<10)
	r.stop(pool)
	if s := pool.Stats(); s.Dropped > 0 {
		t.Errorf("%+v", s)
	}
}

// A fickle service says a Lifetime for each message.
type fickle struct {
	*service
	lifetimes chan []arenascope.Lifetime
}

func (s fickle) ClientStream(ctx context.Context, stream *connect.ClientStream[echopb.Message]) (*connect.Response[echopb.Message], error) {
	var stay []*echopb.Message
	for _, l := range <-s.lifetimes {
		arenascope.Receive(ctx, l)
		if !stream.Receive() {
			return nil, stream.Err()
		}
		s.check("a message", stream.Msg())
		for _, m := range stay {
			s.check("a message that stays", m)
		}
		if l != arenascope.PerMessage {
			stay = append(stay, stream.Msg())
		}
	}
	return connect.NewResponse(new(echopb.Message)), nil
}
