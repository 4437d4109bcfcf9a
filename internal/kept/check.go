package kept

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Survivor is a value that is there after the end of its arena.
type Survivor struct {
	Unit *Unit
	Addr uintptr
	Size int // bytes

	// Passing is set if the value was reachable in the first collection only, not in later ones: a
	// sync.Pool, a finalizer or a cleanup had it.
	Passing bool

	// Others is the number of further values of the Unit that are not reported one by one.
	Others int

	note *note
}

// Error returns the report of s, an *arena.Report.
func (s Survivor) Error() error { return s.Unit.owner.Error(s) }

// Allocated returns the stack that made the value.
func (s Survivor) Allocated() []uintptr {
	stack := s.note.stack.Value()
	n := slices.Index(stack[:], 0)
	if n < 0 {
		n = len(stack)
	}
	return slices.Clone(stack[:n])
}

// What says what the value is, with a quotation if it is text.
func (s Survivor) What() string {
	n := s.note
	if n.typ != nil && n.Kind <= Slice {
		if table, ok := tableOf(n.typ.String()); ok {
			return fmt.Sprintf("the table of %s (%d bytes)", table, n.bytes)
		}
	}
	switch n.Kind {
	case Text:
		return fmt.Sprintf("text %s (%d bytes)", Quote(n.text, n.bytes), n.bytes)
	case Slice:
		if n.isText() {
			return fmt.Sprintf("a slice of %s %s (%d bytes)", n.typ, Quote(n.text, n.bytes), n.bytes)
		}
		return fmt.Sprintf("a slice of %d %s (%d bytes)", n.count, n.typ, n.bytes)
	case Chunk:
		if n.typ == nil {
			return fmt.Sprintf("some of the texts and plain values made from there on (%d bytes together)", n.bytes)
		}
		return fmt.Sprintf("some of %d values of type %s made from there on (%d bytes together)", n.count, n.typ, n.bytes)
	case References:
		return fmt.Sprintf("what references are to (%d bytes)", n.bytes)
	}
	return fmt.Sprintf("a value of type %s (%d bytes)", n.typ, n.bytes)
}

// tableOf returns the type of the Map whose tables have groups of a type.
func tableOf(group string) (string, bool) {
	rest, ok := strings.CutPrefix(group, "swiss.Group[")
	return "arena.Map[" + rest, ok
}

// Which says which unit of the arenas of its name the value belongs to.
func (u *Unit) Which() string {
	which := ""
	if u.Number > 0 {
		which = fmt.Sprintf("number %d", u.Number)
	}
	switch {
	case u.Label == "":
		return which
	case which == "":
		return u.Label
	}
	return u.Label + ", " + which
}

// Quote returns text, the beginning of a text of the given length in bytes, between quotation
// marks. It is cut after a whole rune.
func Quote(text string, bytes int) string {
	if len(text) == bytes {
		return fmt.Sprintf("%q", text)
	}
	for i := 1; i <= min(len(text), utf8.UTFMax); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				text = text[:len(text)-i]
			}
			break
		}
	}
	return fmt.Sprintf("%q…", text)
}

// Check collects garbage, and returns the values that are there after the end of the arenas whose
// names match. It forgets these ends: a second Check does not return the values again. Any
// goroutine may call it.
//
// One collection tells that there are none. Otherwise there are more, which find out what a
// sync.Pool had, a finalizer or a cleanup.
func Check(match func(name string) bool) []Survivor {
	units := take(match)
	if len(units) == 0 {
		return nil
	}
	runtime.GC()
	for _, u := range units {
		u.forgetDead()
	}
	units = slices.DeleteFunc(units, func(u *Unit) bool { return len(u.notes) == 0 })
	if len(units) == 0 {
		return nil
	}
	runtime.GC() // A sync.Pool has what it had for one more.
	if anyLive(units) {
		settle()
	}
	var all []Survivor
	for _, u := range units {
		for i := range u.notes {
			n := &u.notes[i]
			all = append(all, Survivor{Unit: u, Addr: n.addr, Size: n.bytes, Passing: !n.weak.isLive(), note: n})
		}
	}
	return all
}

// Forget forgets the ends of the arenas with a name, without looking at their values.
func Forget(name string) { take(func(n string) bool { return n == name }) }

// held is what Hold was given, by name.
var held struct {
	sync.Mutex
	by map[string][]any
}

// Hold has v be there until Release of the name, so that what only v refers to is kept.
func Hold(name string, v any) {
	held.Lock()
	defer held.Unlock()
	if held.by == nil {
		held.by = map[string][]any{}
	}
	held.by[name] = append(held.by[name], v)
}

// Release lets go of what Hold was given for a name.
func Release(name string) {
	held.Lock()
	defer held.Unlock()
	delete(held.by, name)
}

// HeldBy reports whether a step of a path, from a root on, is to what Hold was given. rest is what
// follows it.
func HeldBy(path []string) (what string, rest []string, ok bool) {
	if len(path) == 0 || !strings.HasPrefix(path[0], "global kept.held") {
		return "", nil, false
	}
	for i, step := range path {
		if strings.HasPrefix(step, "element ") {
			_, what, _ = strings.Cut(step, " (")
			return strings.TrimSuffix(what, ")"), path[i+1:], true
		}
	}
	return "", nil, false
}

func anyLive(units []*Unit) bool {
	return slices.ContainsFunc(units, func(u *Unit) bool {
		return slices.ContainsFunc(u.notes, func(n note) bool { return n.weak.isLive() })
	})
}

// take takes the Units whose names match off the list.
func take(match func(name string) bool) (units []*Unit) {
	ended.Lock()
	defer ended.Unlock()
	ended.units = slices.DeleteFunc(ended.units, func(u *Unit) bool {
		if !match(u.Name) {
			return false
		}
		units = append(units, u)
		ended.notes -= len(u.notes)
		return true
	})
	return units
}

// settle returns when all finalizers and cleanups of the last collection have run, and their
// objects are collected. A finalizer that is queued later may run earlier, but not before the
// finalizers of the collection before the last one.
func settle() {
	for range 3 {
		await()
	}
	runtime.GC()
}

// patience is how long to wait for the finalizers of others, one of which may never return.
const patience = 10 * time.Second

// await collects garbage, and waits until a finalizer and a cleanup have run.
func await() {
	done := make(chan struct{}, 2)
	mark(done)
	runtime.GC()
	late := time.NewTimer(patience)
	defer late.Stop()
	for range 2 {
		select {
		case <-done:
		case <-late.C:
			return
		}
	}
}

// mark leaves two objects to the collector, which send to done. It is not inlined, so that no frame
// has them.
//
//go:noinline
func mark(done chan struct{}) {
	runtime.SetFinalizer(new(marker), func(*marker) { done <- struct{}{} })
	runtime.AddCleanup(new(marker), func(done chan struct{}) { done <- struct{}{} }, done)
}

// A marker is large enough not to share its memory with other small values.
type marker [4]uintptr
