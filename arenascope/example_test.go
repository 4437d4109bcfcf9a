package arenascope_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
)

// A Message is what a queue gives to a worker. It is delivered again unless it is acknowledged.
type Message struct {
	Body string
	Ack  func(reply string)
}

// A Worker is an adapter for a queue: each message has arenas, which end when the reply is sent.
type Worker struct {
	Handler func(ctx context.Context, m *Message) (reply string, err error)
	Observe func(m *Message, s arenascope.Summary)
	scopes  arenascope.Options
}

// ReasonRefused is a reason of this adapter: the queue keeps a message that is refused, with the
// error, whose text may lie in the arena.
const ReasonRefused arenascope.Reason = "refused"

// ErrRefused is wrapped by the error of a handler for a message that nobody is to try again.
var ErrRefused = errors.New("refused")

// NewWorker returns a Worker whose messages have at most so much memory each.
func NewWorker(limit int64) *Worker {
	return &Worker{scopes: arenascope.Options{Pool: &arena.Pool{Options: arena.Options{Name: "message", Limit: limit}}}}
}

// Work handles one message. Any number of goroutines may call it.
func (w *Worker) Work(ctx context.Context, m *Message) (err error) {
	s := new(arenascope.Scope)
	s.Start(ctx, &w.scopes)
	defer s.End(func(sum arenascope.Summary) { w.Observe(m, sum) })
	err = s.Run(s, func() error {
		reply, err := w.Handler(s, m)
		switch {
		case err == nil:
			m.Ack(reply) // which copies the text before it returns, or it would have to be copied here
		case errors.Is(err, ErrRefused):
			s.Drop(ReasonRefused) // before Run notes ReasonError: the first reason counts
		}
		return err
	})
	if arenascope.OutOfMemory(err) != nil {
		return fmt.Errorf("the message needs too much memory: %w", err)
	}
	return err
}

// A queue's worker gives each message its arenas. Handlers find them by FromContext and Fork, as in
// a server.
func Example() {
	w := NewWorker(1 << 20)
	w.Observe = func(m *Message, s arenascope.Summary) {
		fmt.Printf("%q: reused: %t %s, %d forks\n", m.Body, s.Reused, s.Reason, len(s.Forks))
	}
	w.Handler = func(ctx context.Context, m *Message) (string, error) {
		switch m.Body {
		case "odd":
			return "", fmt.Errorf("%w: %s", ErrRefused, arena.Concat(arena.FromContext(ctx), m.Body, " message"))
		case "large":
			arena.MakeSlice[byte](arena.FromContext(ctx), 2<<20, 2<<20)
		case "later":
			arena.FromContext(ctx)
			arenascope.Keep(ctx) // before a goroutine that nobody waits for
		case "parts":
			var parts [2]string
			var all sync.WaitGroup
			for i := range parts {
				all.Go(func() {
					a := arena.FromContext(arena.Fork(ctx))
					parts[i] = arena.Sprintf(a, "part %d", i+1)
				})
			}
			all.Wait()
			return arena.Join(arena.FromContext(ctx), parts[:], ", "), nil
		}
		return "", nil
	}
	for _, body := range []string{"parts", "nothing", "later", "odd", "large"} {
		m := &Message{Body: body, Ack: func(reply string) { fmt.Printf("%q is acknowledged\n", reply) }}
		if err := w.Work(context.Background(), m); err != nil {
			fmt.Println("not acknowledged")
		}
	}
	// Output:
	// "part 1, part 2" is acknowledged
	// "parts": reused: true , 2 forks
	// "" is acknowledged
	// "nothing": reused: false unused, 0 forks
	// "" is acknowledged
	// "later": reused: false kept, 0 forks
	// "odd": reused: false refused, 0 forks
	// not acknowledged
	// "large": reused: false limit, 0 forks
	// not acknowledged
}
