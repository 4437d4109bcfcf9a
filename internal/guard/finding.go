package guard

import "fmt"

// An Owner is the arena that memory belongs to, or what is left to be known of it when the arena is
// gone. It must not keep that memory alive: it would forever. Its methods may be called in any
// goroutine.
type Owner interface {
	// ArenaName returns the name of the arena.
	ArenaName() string
	// Report tells the program of f. It may call functions of the program, and these may use other
	// Guards.
	Report(f Finding)
	// Error returns the report of f, an *arena.Report.
	Error(f Finding) error
	// Text returns what to say of f when the program is about to end. One goroutine in the process
	// calls Text at a time. It must not call this package.
	Text(f Finding) string
}

// An Event is what memory has ended by.
type Event int

const (
	Reset Event = iota
	Rewind
	Free
	Growth // of the Map whose table the memory was
)

// An End is the end of memory.
type End struct {
	Event
	Stack []uintptr // where that was
	Text  string    // Stack as text, once Owner.Text needed it, for that method only
}

// A Finding is an access to memory that should not have been.
type Finding struct {
	Owner   Owner
	End     *End // of the memory, or nil if the access was past its bounds
	Written bool // the memory was found to be not what it was; when that was done is not known
	Addr    uintptr
	Detail  string    // which memory it was, of which type, and where in it
	Used    []uintptr // the stack of the access, if it is known
}

// send reports findings about the memory of one owner. There may be very many: it reports some of
// them.
func send(all []Finding) {
	const most = 16
	for i, f := range all {
		if i == most-1 && len(all) > most {
			f.Detail += fmt.Sprintf(", and %d others", len(all)-most)
		} else if i >= most {
			return
		}
		f.Owner.Report(f)
	}
}
