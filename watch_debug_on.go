//go:build arenadebug

package arena

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Programs that are built with the tag arenadebug, for tests without the race detector, find out
// when two goroutines are inside of an arena at the same time. They also fill plain memory with
// 0xDB at Reset and Free.
const debugging = true

// A user is the goroutine that is inside of an arena now.
type user struct {
	state  atomic.Int32
	second atomic.Pointer[string] // the stack of the goroutine that came while the arena was in use
	first  atomic.Pointer[string] // the stack of the goroutine that was inside then
}

const (
	userNone int32 = iota
	userOne
	userTwo
)

// enter notes that a goroutine is inside of the arena until leave.
func (u *user) enter(st *stores) *user {
	for u.state.Load() != userTwo {
		if u.state.CompareAndSwap(userNone, userOne) {
			return u
		}
		stack := string(debug.Stack())
		u.second.Store(&stack)
		if u.state.CompareAndSwap(userOne, userTwo) {
			break // or the other one has left meanwhile
		}
	}
	// The other one knows where it is, and says so when it leaves.
	for range 100 {
		if other := u.first.Load(); other != nil {
			u.panic(st, *other)
		}
		time.Sleep(time.Millisecond)
	}
	u.panic(st, "unknown\n")
	return nil
}

func (u *user) leave(st *stores) {
	if u.state.CompareAndSwap(userOne, userNone) {
		return
	}
	stack := string(debug.Stack())
	u.first.Store(&stack)
	u.panic(st, *u.second.Load())
}

func (u *user) panic(st *stores, other string) {
	panic(fmt.Sprintf("arena: %s is used by two goroutines at the same time; give each an arena of its own, by Fork, or of a Pool or a Group; the other is\n%s",
		st.arena.opt.name(), other))
}
