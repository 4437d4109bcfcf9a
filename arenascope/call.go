package arenascope

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// A Lifetime is the lifetime of messages that a handler receives from a stream.
type Lifetime int

const (
	// Heap messages live as long as somebody refers to them, as without an arena. It is the
	// default: a handler may collect messages, and an endless stream needs no more memory than a
	// message.
	Heap Lifetime = iota

	// PerCall messages live until the call is over: for finite streams whose messages all fit into
	// memory. Like PerMessage messages they have an arena of their own, so that one goroutine may
	// receive while another uses the arena of the call.
	PerCall

	// PerMessage is until the handler asks for the next message, or the call is over: for handlers
	// that are done with a message then. Nobody may read the message while the next one is
	// received: wait for a goroutine that sends a part of it. Interceptors may have the message
	// until then, too. The adapter says what headers with text of a message need.
	PerMessage
)

// Receive sets the lifetime of the messages that the handler of ctx receives from now on. A handler
// of a method with a stream of requests calls it first, in the goroutine that receives:
//
//	arenascope.Receive(stream.Context(), arenascope.PerMessage)
//	for {
//		m, err := stream.Recv()
//
// The handler sets it, and not an option of the server, because it determines what the handler may
// do. The message itself, which generated code makes, is on the heap, with all of its parts in the
// arena.
//
// A handler may change the lifetime: earlier messages keep theirs.
//
// Receive does nothing if there is no such stream: a single request lives as long as the call. It
// does nothing if ctx is nil or does not come from a [Call], nor after the call. It panics if l is
// none of the constants.
func Receive(ctx context.Context, l Lifetime) {
	if l < Heap || l > PerMessage {
		panic(fmt.Sprintf("arenascope: Receive: there is no Lifetime of %d; use Heap, PerCall or PerMessage", l))
	}
	if ctx == nil {
		return
	}
	c, _ := ctx.Value(callKey{}).(*Call)
	if c == nil || !c.Many {
		return
	}
	defer c.Leave()
	if c.Enter() {
		c.lifetime = l
	}
}

type callKey struct{}

// A Call is a Scope whose handler receives messages that a codec decodes: one, or a stream. An
// adapter embeds it like a Scope.
type Call struct {
	Scope

	// Many says that the handler receives a stream of messages. Set it before the first message.
	Many bool

	lifetime   Lifetime                    // of messages, if there are many; belongs to the goroutine that receives
	perCall    atomic.Pointer[arena.Arena] // of messages PerCall
	perMessage atomic.Pointer[arena.Arena]
	onHeap     atomic.Int32
	failure    atomic.Pointer[error] // the first one
}

// Value gives [Receive] the Call, and passes on what is asked of a Scope.
func (c *Call) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return c
	}
	return c.Scope.Value(key)
}

// Errors are the errors of a protocol for a call whose handler has returned no error.
type Errors struct {
	Over   func() error          // the call was over before its handler was run
	Memory func() error          // it needs more memory than it may have
	From   func(err error) error // what the client gets for an error of the handler, which is not nil
}

// Handle is [Scope.Run] for a protocol: it returns the error that the client gets, or nil.
func (c *Call) Handle(ctx context.Context, f func() error) error {
	returned := false
	err := c.Run(ctx, func() error {
		err := f()
		returned = true
		return err
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrEnded):
		return c.options.Errors.Over()
	case !returned:
		return c.options.Errors.Memory() // nobody else has words for it
	}
	return c.options.Errors.From(err)
}

// refuse notes that the call fails because of memory, and returns the error of the call.
func (c *Call) refuse(memory error) error {
	c.Fail(memory)
	return c.options.Errors.Memory()
}

// Failure returns the first panic in decoding a message of the call into an arena, because of which
// the message is on the heap, or nil.
func (c *Call) Failure() error {
	if err := c.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// OnHeap returns the number of a stream's messages on the heap because Receive was not called, or
// with Heap.
func (c *Call) OnHeap() int { return int(c.onHeap.Load()) }

// Received reports whether messages of a stream are in arenas of their own.
func (c *Call) Received() bool { return c.perCall.Load() != nil || c.perMessage.Load() != nil }

// failed notes why a message is on the heap.
func (c *Call) failed(why error) {
	c.Drop(ReasonDecode)
	c.failure.CompareAndSwap(nil, &why)
}

// Claim moves the arena and note in p for the message of a request to the call. It returns the
// error with which to refuse the call, or nil.
func (c *Call) Claim(p *Pending, message any) error {
	a, n, ok := p.Claim(message)
	switch {
	case !ok:
	case n.Memory != nil:
		return c.refuse(n.Memory)
	case n.Failure != nil:
		c.failed(n.Failure)
	default:
		c.Adopt(a)
	}
	return nil
}

// Receive calls f to receive the next message for the handler. The codec finds the message in all
// meanwhile. If there was no memory for it, Receive returns the error with which to refuse the
// call. Call it on the goroutine that receives.
func (c *Call) Receive(all *Awaiting, message any, f func() error) error {
	defer c.Leave()
	m := c.next(c.Enter())
	all.put(message, m)
	defer all.remove(message)
	return m.received(f())
}

// ReceiveAhead is Receive for code around the handler. A message that it does not receive for the
// handler is on the heap, because nobody knows when its use ends.
func (c *Call) ReceiveAhead(all *Awaiting, message any, f func() error) error {
	m := all.Find(message)
	if m == nil {
		m = &Message{call: c, in: PerCall, heap: true}
		all.put(message, m)
		defer all.remove(message)
	}
	return m.received(f())
}

// A Message is a message that a Call receives. A codec finds it in an [Awaiting], and decodes it.
type Message struct {
	call   *Call
	in     Lifetime
	heap   bool
	memory error // why it is empty
}

// next returns the next message. entered tells that the call is not over.
func (c *Call) next(entered bool) *Message {
	m := &Message{call: c, in: c.lifetime}
	switch {
	case !entered:
		m.heap = true // the arena may be in use for another call
	case !c.Many:
	case c.lifetime == Heap, c.failure.Load() != nil:
		m.heap = true
	case c.lifetime == PerMessage && c.Reason() != "":
		m.heap = true // somebody may be using the arena
	case c.lifetime == PerMessage:
		c.perMessage.Load().Reset()
	}
	return m
}

// received returns the error for a message that was received with err.
func (m *Message) received(err error) error {
	if err == nil && m.memory != nil {
		return m.call.refuse(m.memory)
	}
	return err
}

// Single reports whether the message is to lie in the arena of its call.
func (m *Message) Single() bool { return !m.call.Many && !m.heap }

// Refuse makes the call be refused because of an error of memory, unless the error is nil.
func (m *Message) Refuse(memory error) { m.memory = memory }

// Decode calls f to decode the message into an arena, or onto the heap if a is nil. If f has
// panicked, it returns failure, and has then decoded the message onto the heap. Decode returns the
// error of f, unless it is an error of memory, because of which the call is refused.
func (m *Message) Decode(f func(a *arena.Arena) (failure, err error)) error {
	c := m.call
	a := m.arena()
	failure, err := f(a)
	if failure != nil {
		c.failed(failure)
	}
	switch {
	case c.Many || a == nil:
	case failure != nil:
		c.options.Pool.Drop(a)
	case err != nil:
		c.options.Pool.Put(a)
	default:
		c.Adopt(a)
	}
	if OutOfMemory(err) != nil {
		m.memory = err
		return nil // and the receiver fails, with the right error
	}
	return err
}

// arena returns the arena for the message, or nil for the heap.
func (m *Message) arena() *arena.Arena {
	c := m.call
	switch {
	case m.heap:
		if c.Many && m.in == Heap {
			c.onHeap.Add(1)
		}
		return nil
	case !c.Many:
		return c.options.Pool.Get() // which Adopt takes
	}
	of := &c.perCall
	if m.in == PerMessage {
		of = &c.perMessage
	}
	a := of.Load()
	if a == nil {
		a = c.Take()
		of.Store(a)
	}
	return a
}
