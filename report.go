package arena

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena/internal/books"
)

// A Mistake is what a [Report] is about.
type Mistake string

// The mistakes that are reported.
const (
	UseAfterReset    Mistake = "use after Reset" // or after Rewind, as the text of the Report says
	UseAfterFree     Mistake = "use after Free"
	WriteAfterReset  Mistake = "write after Reset"  // or after Rewind; found later, so Used is not known
	WriteAfterFree   Mistake = "write after Free"   // found later, so Used is not known
	UseAfterGrowth   Mistake = "use after growth"   // of a pointer that Map.Entry returned before the Map grew
	WriteAfterGrowth Mistake = "write after growth" // the same, found later, so Used is not known
	Overflow         Mistake = "access past the end"
	SecondFree       Mistake = "second Free"
	Leak             Mistake = "no Free and no Put"
	Kept             Mistake = "kept after the end" // a value that is reachable when its arena has ended, whether it is used or not
)

// A Report tells of a mistake in the use of an arena. It is an error. Its text has everything that
// is known, with the stacks.
type Report struct {
	Mistake Mistake
	Arena   string  // Options.Name
	Detail  string  // which memory it was, of which type, and where in it; of text the first bytes, if they are known
	Addr    uintptr // the address of the access, or of what is Kept; 0 if there was none
	Made    Stack   // where the arena was made, or got from its Pool; not known for a SecondFree
	Ended   Stack   // where it was Reset, Put or freed, or where the Map grew
	Used    Stack   // where it was used after that

	// These are known of what is Kept.

	Allocated Stack    // where the value was allocated
	Unit      string   // what the arena was used for: the request, if its adapter has told, and the number among the arenas of that name
	Path      []string // what keeps the value, from a root of the program on, if that was looked for

	rewound bool // the end was a Rewind
}

// Error returns the report as a text of several lines.
func (r *Report) Error() string {
	return r.text(r.Used.String(), r.Ended.String(), r.Made.String())
}

// text is Error with the text of the stacks.
func (r *Report) text(used, ended, made string) string {
	var b strings.Builder
	mistake := string(r.Mistake)
	if r.rewound {
		mistake = strings.Replace(mistake, "Reset", "Rewind", 1)
	}
	fmt.Fprintf(&b, "arena: %s: %s", mistake, arenaName(r.Arena))
	if r.Detail != "" {
		b.WriteString(": " + r.Detail)
	}
	b.WriteByte('\n')
	at := func(title, stack string) {
		if stack != "" {
			fmt.Fprintf(&b, "%s at:\n%s", title, stack)
		}
	}
	if len(r.Path) > 0 {
		fmt.Fprintf(&b, "kept by:\n\t%s\n", strings.Join(r.Path, "\n\t"))
	}
	at("used", used)
	at("allocated", r.Allocated.String())
	if r.Unit != "" {
		fmt.Fprintf(&b, "unit: %s\n", r.Unit)
	}
	at("ended", ended)
	at("made", made)
	return b.String()
}

func arenaName(name string) string {
	if name == "" {
		return "an arena"
	}
	return "arena " + name
}

// A Stack is the program counters of a call stack, as runtime.Callers returns them.
type Stack []uintptr

// callers returns the stack of its caller.
func callers() Stack {
	var pc [64]uintptr
	return append(Stack(nil), pc[:runtime.Callers(2, pc[:])]...)
}

// String returns the stack as a traceback prints it. It leaves out the functions of the runtime,
// and of this package except the function that the program called.
func (s Stack) String() string {
	var b strings.Builder
	var own runtime.Frame
	frames := runtime.CallersFrames(s)
	for more := len(s) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
		case isOwn(f.Function) && !strings.HasSuffix(f.File, "_test.go"):
			own = f
		default:
			if own.Function != "" {
				fmt.Fprintf(&b, "\t%s\n", own.Function)
			}
			own = runtime.Frame{}
			fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		}
	}
	return b.String()
}

// isOwn tells whether a function is one of this package, of package ref or of the internal ones.
func isOwn(function string) bool {
	rest, ok := strings.CutPrefix(function, "github.com/arena-go/arena")
	return ok && (rest[0] == '.' || strings.HasPrefix(rest, "/ref.") || strings.HasPrefix(rest, "/internal/"))
}

// send gives r to f, or if f is nil to the function that package arenadebug has set.
func (r *Report) send(f func(*Report)) {
	if f == nil {
		if f, _ = books.Reporter().(func(*Report)); f == nil {
			f = func(r *Report) { fmt.Fprintln(os.Stderr, r.Error()) }
		}
	}
	f(r)
}

// A record is a record of package books, and what is to be done when the arena is lost.
type record struct {
	books.Record
	report   func(*Report)
	leak     runtime.Cleanup
	finalize bool   // free what is lost with the arena, and do not report it
	noted    int64  // what was reserved when stats were taken
	at       string // Made as text, once it was needed

	mu      sync.Mutex
	sources []source // what is lost with the arena
}

// adopt notes what is lost with the arena.
func (r *record) adopt(s source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(r.sources, s)
}

// disown takes s off the list of what would be lost.
func (r *record) disown(s source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = slices.DeleteFunc(r.sources, func(t source) bool { return s == t })
}

// newRecord returns a record of what is made now, with the settings o.
func (o *settings) newRecord() *record {
	r := &record{Record: books.Record{Made: callers(), Time: time.Now()}}
	if o != nil {
		r.Name, r.report, r.finalize = o.Name, o.Report, o.Finalize && o.Memory != nil
	}
	return r
}

// begin puts the record of a on the list. a is new, or about to be given to somebody.
func (r *record) begin(a *Arena) {
	r.leak = runtime.AddCleanup(a, (*record).lost, r)
	r.Open()
}

// hold notes what is reserved now.
func (r *record) hold(reserved int64) { r.Hold(reserved) }

// publish notes what is in the arena, unless that is little more than when it was last done.
func (r *record) publish(reserved int64, now interface{ stats() Stats }) {
	r.hold(reserved)
	if grown := reserved - r.noted; 0 < grown && grown < r.noted/8 {
		return
	}
	r.noted = reserved
	s := now.stats()
	r.Publish(&s)
}

// close takes the arena off the list.
func (r *record) close() {
	r.leak.Stop()
	r.Close()
}

// lost reports that the collector took the arena, or frees the memory that it had.
func (r *record) lost() {
	r.close()
	if r.finalize {
		for _, p := range r.sources {
			p.releaseAll()
		}
		return
	}
	(&Report{Mistake: Leak, Arena: r.Name, Made: r.Made}).send(r.report)
}
