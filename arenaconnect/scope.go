package arenaconnect

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"sync/atomic"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
)

// The reasons why an arena is not used again, in Summary.Reason. The first one that
// occurs is given.
const (
	ReasonPanic    = "panic"    // the handler panicked, or ended its goroutine
	ReasonLimit    = "limit"    // an arena's limit was exceeded, or its memory failed, or the handler returned an error that says so
	ReasonError    = "error"    // the call failed, or another codec encodes its reply
	ReasonDone     = "done"     // the context was done when the handler returned
	ReasonRunning  = "running"  // the call was over before the handler returned, or a Receive or Send of its
	ReasonAnswered = "answered" // an interceptor answered, and no handler has begun with a context of the call
	ReasonKept     = "kept"     // Keep was called
	ReasonDecode   = "decode"   // decoding a message panicked, see Summary.Panic
	ReasonFreed    = "freed"    // the handler called Free; given where there is an observer
)

// fates are what becomes of an arena: fates[0] is for one whose call is not over,
// the others are for one that will be dropped.
var fates = [...]string{"", ReasonPanic, ReasonLimit, ReasonError, ReasonDone, ReasonRunning, ReasonAnswered, ReasonKept, ReasonDecode}

// reused is the fate of an arena that is used again.
const reused = -1

// answered is that of one whose handler has not begun, and must not when the call is over.
var answered = fateOf(ReasonAnswered)

// A scope is the context of a call. Any goroutine may use it, at any time. Others may
// hold it for ever, so it is not used again.
type scope struct {
	context.Context
	server    *server
	procedure string

	arena atomic.Pointer[arena.Arena]      // nil until somebody needs one; over when it is used again, or none was needed
	limit atomic.Pointer[arena.LimitError] // why the call is refused

	failure atomic.Pointer[arenapb.Panic] // why a message lies on the heap, the first one that does

	many     bool                        // the client sends a stream of messages
	messages atomic.Pointer[arena.Arena] // if many: that of messages PerCall, as arena is that of the call
	each     atomic.Pointer[arena.Arena] // if many: that of messages PerMessage
	lifetime Lifetime                    // if many: that of messages; belongs to the goroutine that receives
	onHeap   atomic.Int32                // if many: messages for Summary.OnHeap

	fate    atomic.Int32 // an index into fates, or reused
	running atomic.Int32 // the number of handlers, Receives and Sends that have not returned, and the bit begun
}

type scopeKey struct{}

// over is the arena of calls that are over. Nobody gets it.
var over = arena.NewArena()

// finder has a value for the key of package arena, and for no other, so that Value knows what is being looked for.
var finder = arena.NewContext(context.Background(), over)

// Value gives the arena to code that looks for one while the call is not over, and takes one for it. Code that looks too late
// gets none, which is the heap.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	if finder.Value(key) == nil {
		return s.Context.Value(key)
	}
	a := s.arena.Load()
	if a == nil {
		a = s.server.Pool.Get()
		if !s.arena.CompareAndSwap(nil, a) {
			s.server.Pool.Put(a)
			a = s.arena.Load()
		}
	}
	if a == over {
		return nil
	}
	return a
}

// scopeOf returns the scope of ctx that is of s, or nil.
func (s *server) scopeOf(ctx context.Context) *scope {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil || c.server != s {
		return nil
	}
	return c
}

// adopt makes an arena that has a request that of the call.
func (s *scope) adopt(a *arena.Arena) {
	if !s.arena.CompareAndSwap(nil, a) {
		// An interceptor receives ahead of the handler, which has looked for an arena already, and may be using that one. There is no telling
		// when they are done with the message, so it has an arena for itself, until the collector takes it.
		s.server.Pool.Drop(a)
	}
}

// engaged reports whether there is memory of an arena that somebody may refer to.
func (s *scope) engaged() bool {
	return s.arena.Load() != nil || s.messages.Load() != nil || s.each.Load() != nil
}

// drop notes that the arenas are to be dropped, unless their fate is settled.
func (s *scope) drop(reason string) {
	s.fate.CompareAndSwap(0, fateOf(reason))
}

func fateOf(reason string) int32 { return int32(slices.Index(fates[:], reason)) }

// enter notes that a handler begins, or a Receive or Send, and reports whether it may: not when the call is over
// and the arena may be in use for another. Each enter has its leave. Either enter sees that, or the end
// of the call sees that somebody is running.
func (s *scope) enter() bool {
	s.running.Add(1)
	return s.fate.Load() != reused
}

func (s *scope) leave() { s.running.Add(-1) }

// begun is a bit of running, which is set when a handler begins. Where it is not set in the end, an interceptor has answered. The interceptor may have
// called the handler all the same, with a context that does not lead here: then the handler may be running, and is not counted.
const begun = 1 << 30

// begin is enter for a handler.
func (s *scope) begin() bool {
	s.running.Add(1)
	s.running.Or(begun)
	fate := s.fate.Load()
	return fate != reused && fate != answered
}

// failed notes that a message was decoded onto the heap, because of a panic.
func (s *scope) failed(p *arenapb.Panic) {
	s.drop(ReasonDecode)
	s.failure.CompareAndSwap(nil, p)
}

// refuse notes that the call fails because of memory, with an error that memoryError knows, and returns the error of the call.
func (s *scope) refuse(why error) error {
	s.drop(ReasonLimit)
	var limit *arena.LimitError
	if errors.As(why, &limit) {
		s.limit.CompareAndSwap(nil, limit)
	}
	return connect.NewError(connect.CodeResourceExhausted, errors.New("arenaconnect: the call needs more memory than it may have"))
}

// claim does what the ticket of the request says.
func (s *scope) claim(t ticket) error {
	switch {
	case t.memory != nil:
		return s.refuse(t.memory)
	case t.failure != nil:
		s.failed(t.failure)
	default:
		s.adopt(t.arena)
	}
	return nil
}

// end is called when the call is over.
func (s *scope) end() {
	switch n := s.running.Load(); {
	case n&^begun > 0:
		s.drop(ReasonRunning)
	case n == 0 && s.engaged():
		s.drop(ReasonAnswered)
	}
	put := s.fate.CompareAndSwap(0, reused)
	if put && s.running.Load()&^begun > 0 {
		put = false // somebody has entered in between
		s.fate.Store(fateOf(ReasonRunning))
	}
	a := last(&s.arena, put)
	var messages, each *arena.Arena
	if s.many {
		messages, each = last(&s.messages, put), last(&s.each, put)
	}
	if observe := s.server.Observe; observe != nil {
		sum := Summary{Reused: put && (a != nil || messages != nil || each != nil), Limit: s.limit.Load(), Panic: s.failure.Load(), OnHeap: int(s.onHeap.Load())}
		if !put {
			sum.Reason = fates[s.fate.Load()]
		}
		if put {
			sum.Stats = a.Stats()
		}
		if sum.Stats.Freed {
			sum.Stats, sum.Reused, sum.Reason = arena.Stats{}, false, ReasonFreed
		}
		observe(s, s.procedure, sum)
	}
	pool := s.server.Pool
	if put {
		pool.Put(a)
		pool.Put(messages)
		pool.Put(each)
	} else {
		pool.Drop(a)
		pool.Drop(messages)
		pool.Drop(each)
	}
}

// last returns the arena of a call that is over, or nil if it has none. Nobody gets another after that, nor this one if it is used again.
func last(of *atomic.Pointer[arena.Arena], put bool) *arena.Arena {
	if put {
		return of.Swap(over)
	}
	if of.CompareAndSwap(nil, over) {
		return nil
	}
	return of.Load()
}

// Keep says that goroutines which the handler has started go on using the request or the arena of
// ctx, or what lies in it, after the call. The arena will not be used for another call then; the collector
// takes it when nobody has it any more. Messages that a handler receives after Keep lie on
// the heap where they were to be used again.
//
// Keep must be called before the handler returns: before the go statement is best. Too
// late, when the arena may be in use for another call, it panics. It does nothing
// when ctx is nil or does not come from a handler with [HandlerOptions]. Any goroutine may call it.
func Keep(ctx context.Context) {
	if ctx == nil {
		return
	}
	if s, _ := ctx.Value(scopeKey{}).(*scope); s != nil {
		s.drop(ReasonKept)
		if s.fate.Load() == reused {
			panic("arenaconnect: Keep is called after the handler has returned; call it before the goroutine is started")
		}
	}
}

// binary reports whether a call has protobuf's binary encoding, of which the messages are decoded by the codec of this package.
func binary(method string, h http.Header, p connect.Peer) bool {
	if method == http.MethodGet {
		return p.Query.Get("encoding") == "proto"
	}
	content := h.Get("Content-Type")
	if isBinary(content) {
		return true
	}
	t, params, err := mime.ParseMediaType(content) // as connect does: a client may write it with capitals
	return err == nil && len(params) == 0 && isBinary(t)
}

func isBinary(content string) bool {
	switch content {
	case "application/proto", "application/connect+proto",
		"application/grpc", "application/grpc+proto", "application/grpc-web", "application/grpc-web+proto":
		return true
	}
	return false
}
