package arenapb

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// A Panic tells of a message that this package was not able to decode, though proto.Unmarshal was: a mistake of this package,
// or of an [arena.Memory]. The message was then decoded by proto.Unmarshal, with its result, onto the heap, and so are all
// messages of its type from then on; [Fallbacks] has the reason. Messages of other types that hold some are
// decoded as before. A Panic is an error, whose text is all but the input.
type Panic struct {
	Type  reflect.Type // of the message, a pointer
	Value any          // of the panic, or an error where the message was refused
	Stack []byte       // as debug.Stack returns it
	Input []byte       // what was to be decoded, nil if it was not come to that. It belongs to the caller of Unmarshal: copy it to keep it
}

// Error returns the type, the value and the stack.
func (p *Panic) Error() string {
	return fmt.Sprintf("arenapb: decoding a %v panicked; proto.Unmarshal has decoded it: %v\n%s", p.Type, p.Value, p.Stack)
}

// reason is that of the plan.
func (p *Panic) reason() string {
	text, _, _ := strings.Cut(fmt.Sprint(p.Value), "\n")
	return "arenapb has panicked: " + text[:min(len(text), 200)]
}

var (
	panics  atomic.Int64
	onPanic atomic.Pointer[func(*Panic)]
)

// OnPanic has f called for each [Panic], by the goroutine that decodes, when the message has been decoded. Goroutines may call it at the same time. Without a function,
// which is so at first and after OnPanic(nil), the text is written to standard error.
func OnPanic(f func(*Panic)) {
	if f == nil {
		onPanic.Store(nil)
		return
	}
	onPanic.Store(&f)
}

// Panics returns how many there were so far in the process.
func Panics() int64 { return panics.Load() }

// tell tells first, and then all others.
func (p *Panic) tell(first func(*Panic)) {
	if first != nil {
		first(p)
	}
	p.Report()
}

// Report counts p and tells the function [OnPanic]'s of it, as Unmarshal does. It is for packages that decode for others, and recover from what Unmarshal does not.
func (p *Panic) Report() {
	panics.Add(1)
	if f := onPanic.Load(); f != nil {
		(*f)(p)
		return
	}
	fmt.Fprintln(os.Stderr, p.Error())
}

// done is deferred where d decodes: it makes d ready for the next message. A panic becomes *failure, unless it is the caller's affair: a limit, memory that there
// is not, the misuse of an arena. A decoder that has panicked keeps nothing, since nothing of it can be relied upon.
func (d *decoder) done(returned *bool, failure **Panic) {
	if *returned {
		d.release()
		return
	}
	switch v := recover().(type) {
	case nil: // runtime.Goexit, of a Resolver or a Memory
		*d = decoder{}
	case *arena.LimitError, *arena.MemoryError:
		d.release()
		panic(v)
	default:
		*d = decoder{}
		if isMisuse(v) {
			panic(v)
		}
		*failure = &Panic{Value: v, Stack: debug.Stack()}
	}
}

// isMisuse tells whether v is how package arena says that it is misused: after Free, for one, or by two goroutines at the same time.
func isMisuse(v any) bool {
	text, ok := v.(string)
	return ok && strings.HasPrefix(text, "arena: ")
}
