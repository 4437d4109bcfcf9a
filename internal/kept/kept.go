// Package kept finds values of arenas that are reachable after the end of their arena. It notes
// each value by a weak pointer, which keeps nothing alive. After a collection it asks which of the
// values are left.
//
// A [Unit] has the values of one arena, from one end of the arena to the next. After its own end it
// waits in a list, until somebody asks for it by [Check] (tests), or until a few collections have
// gone by (watch.go, for services).
package kept

import (
	"reflect"
	"runtime"
	"sync"
	"unique"
)

// The bounds of a Unit, and of all Units that have ended. The documentation of arena.Options tells
// the first.
const (
	MaxValues = 100_000 // of a Unit, that are noted one by one
	maxUnits  = 4096    // that wait for Check
	maxNotes  = 200_000 // of these
	maxNames  = 4096    // of arenas whose Units are numbered
	MaxText   = 40      // bytes of a text that are quoted
	frames    = 32      // of a stack that allocates; the first are of package arena
	fewFrames = 14      // the same of a sampled Unit: each takes a tenth of a microsecond
)

// An Owner is the arena that values belong to, or what is left to be known of it when the arena is
// gone. It must not keep the arena or its memory alive.
type Owner interface {
	// Error returns the report of s, an *arena.Report.
	Error(s Survivor) error
	// Report tells the program of s.
	Report(s Survivor)
	// Kept counts values that were found.
	Kept(n int)
}

// A Kind says what the memory of a note is.
type Kind uint8

const (
	Value      Kind = iota // one value
	Slice                  // the elements of a slice
	Text                   // text
	Chunk                  // several values
	References             // a chunk that values with references lie in
)

// A note is memory that a Unit has noted. Its text is known from the end of the Unit on.
type note struct {
	weak  ref
	addr  uintptr
	bytes int
	count int // of values, or of elements
	typ   reflect.Type
	stack unique.Handle[pcs]
	text  string // the first bytes
	Kind
}

// pcs is a stack. Equal ones share memory.
type pcs [frames]uintptr

// A Unit is the values that an arena makes until it ends. The goroutine of the arena uses it until
// End, and nobody changes it after that.
type Unit struct {
	Name   string    // of the arena
	Number int       // the n-th Unit of that name with anything in it, or 0 if there are too many names
	Label  string    // what the arena was used for, or ""
	Made   []uintptr // the stack that made the arena, or got it from its Pool
	Ended  []uintptr // the stack of the end
	Freed  bool      // whether that was Free

	owner   Owner
	notes   []note
	sampled bool // nobody calls Check
}

// NewUnit returns a Unit of an arena with a name. If sampled is set, the Unit is looked at when
// some collections have followed its end.
func NewUnit(o Owner, name string, made []uintptr, sampled bool) *Unit {
	return &Unit{Name: name, Made: made, owner: o, sampled: sampled}
}

var numbers struct {
	sync.Mutex
	of map[string]int
}

func number(name string) int {
	numbers.Lock()
	defer numbers.Unlock()
	if numbers.of == nil {
		numbers.of = map[string]int{}
	}
	if _, ok := numbers.of[name]; !ok && len(numbers.of) >= maxNames {
		return 0
	}
	numbers.of[name]++
	return numbers.of[name]
}

// Add notes b, which is what kind says: count values of type t. b is memory of the Go heap, of at
// least one byte, and what else is in its object is not known to the program. Add reports whether
// there is room for more notes of single values.
func (u *Unit) Add(b []byte, kind Kind, t reflect.Type, count int) (more bool) {
	if len(u.notes) == 0 {
		u.Number = number(u.Name)
	}
	var stack pcs
	if u.sampled {
		runtime.Callers(3, stack[:fewFrames])
	} else {
		runtime.Callers(3, stack[:])
	}
	u.notes = append(u.notes, note{
		weak: weakOf(b), addr: address(b), bytes: len(b), count: count, typ: t, stack: unique.Make(stack), Kind: kind,
	})
	return len(u.notes) < MaxValues
}

// End ends u, whose memory can be read for the last time.
func (u *Unit) End(stack []uintptr, freed bool) {
	u.Ended, u.Freed = stack, freed
	for i := range u.notes {
		n := &u.notes[i]
		if n.isText() {
			n.text = n.weak.text(min(n.bytes, MaxText))
		}
	}
}

// Wait has u, which has ended, and to whose memory the arena does not point any more, wait in the
// list, if there is anything in it.
func (u *Unit) Wait() {
	if len(u.notes) == 0 {
		return
	}
	if u.sampled {
		watch(u)
		return
	}
	ended.Lock()
	defer ended.Unlock()
	ended.units = append(ended.units, u)
	ended.notes += len(u.notes)
	if len(ended.units) > maxUnits || ended.notes > maxNotes {
		prune()
	}
}

// isText reports whether the bytes of the note are worth quoting.
func (n *note) isText() bool {
	return n.Kind == Text || n.Kind == Slice && n.typ.Kind() == reflect.Uint8
}

// ended has the Units that wait for Check, the oldest first.
//
// Invariant: notes is the number of notes of units.
var ended struct {
	sync.Mutex
	units   []*Unit
	notes   int
	dropped int // units that there was no room for
}

// prune forgets what is gone, and if that is little, the oldest Units. ended is locked.
func prune() {
	live := ended.units[:0]
	ended.notes = 0
	for _, u := range ended.units {
		if u.forgetDead(); len(u.notes) > 0 {
			live = append(live, u)
			ended.notes += len(u.notes)
		}
	}
	n := 0
	for ; n < len(live)-1 && (len(live)-n > maxUnits*3/4 || ended.notes > maxNotes*3/4); n++ {
		ended.notes -= len(live[n].notes)
		ended.dropped++
	}
	clear(ended.units[len(live):])
	ended.units = append(ended.units[:0], live[n:]...)
	clear(live[len(ended.units):])
}

// forgetDead forgets the notes of what the collector has taken.
func (u *Unit) forgetDead() {
	live := u.notes[:0]
	for _, n := range u.notes {
		if n.weak.isLive() {
			live = append(live, n)
		}
	}
	clear(u.notes[len(live):])
	u.notes = live
}

// Dropped returns how many Units were forgotten before somebody asked for them.
func Dropped() int {
	ended.Lock()
	defer ended.Unlock()
	return ended.dropped
}
