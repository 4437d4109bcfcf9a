package arena

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/arena-go/arena/internal/books"
)

// A record is a record of package books, and what is to be done when the arena is lost.
type record struct {
	books.Record
	report   func(*Report)
	leak     runtime.Cleanup
	finalize bool   // give back what is lost with the arena, and do not report it
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

// end takes the arena off the list.
func (r *record) end() {
	r.leak.Stop()
	r.Close()
}

// lost reports that the collector took the arena, or gives back the memory that it had.
func (r *record) lost() {
	r.end()
	if r.finalize {
		for _, p := range r.sources {
			p.freeAll()
		}
		return
	}
	(&Report{Mistake: Leak, Arena: r.Name, Made: r.Made}).send(r.report)
}
