package build

import (
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// A life is what the builders of a RecordBuilder have in common: they are on the heap, and outlive
// the Resets of the arena, which their values do not. A Reset takes the memory of the builders
// away, so that nothing is written where others have theirs then.
type life struct {
	arena  *arena.Arena
	fields []Builder
	listed bool // The arena tells of its next Reset.
	lost   bool // A Reset has taken values. Release puts an end to that.
}

// lasting is the life of values that end with their builder: on the heap, or with the arena that
// the builder is in.
var lasting = &life{listed: true}

// use is called before builders have memory.
func (l *life) use() {
	if l.lost {
		panic(stale)
	}
	if !l.listed {
		all, _ := arenakit.Local[lives](l.arena)
		all.listed = append(all.listed, l)
		l.listed = true
	}
}

// reset takes the memory away.
func (l *life) reset() {
	l.listed = false
	l.lost = l.lost || slices.ContainsFunc(l.fields, hasValues)
	for _, f := range l.fields {
		f.Release()
	}
}

// hasValues reports whether the builder, or one below it, has values, or a part of one.
func hasValues(b Builder) bool {
	if b.Len() > 0 || b.broken() != "" {
		return true
	}
	switch b := b.(type) {
	case *List:
		return hasValues(b.values)
	case *Map:
		return hasValues(b.values)
	case *Struct:
		return slices.ContainsFunc(b.fields, hasValues)
	case *Union:
		return slices.ContainsFunc(b.children, hasValues)
	case *Runs:
		return hasValues(b.values)
	}
	return false
}

// lives are the lives of an arena that have allocated since its last Reset, and slots for its
// arrays.
type lives struct {
	listed []*life

	chunks      [][]slots
	chunk, next int // Those before are not free.
}

// ArenaReset is for [arenakit.Local].
func (l *lives) ArenaReset(again bool) {
	l.resetSlots(again)
	for _, one := range l.listed {
		one.reset()
	}
	clear(l.listed)
	l.listed = l.listed[:0]
}
