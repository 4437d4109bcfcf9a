package arenaarrow

import (
	"fmt"
	"sync"

	"github.com/arena-go/arena"
)

// debugBlocks are the blocks of an allocator with Options.Debug: each is an arena in guard mode.
type debugBlocks struct {
	mu    sync.Mutex
	live  map[uintptr]*debugBlock
	freed map[uintptr]*debugBlock // the last of them, until their address is used again
	order [1 << 14]uintptr        // of freed, a ring
	next  int

	options *Options // with Report only: it must not refer to the blocks
}

type debugBlock struct {
	arena *arena.Arena
	owner *Allocator
	size  int
	cut   int // as cut of block
	made  arena.Stack
	ended arena.Stack
}

// allocate returns a block for a with the contents of old, and zeros. It is counted already if has
// says so: as an orphan, because a is closed.
func (d *debugBlocks) allocate(a *Allocator, size int, old []byte) (bytes []byte, has taken, err error) {
	defer func() {
		if v := recover(); v != nil { // an arena's, for a size that cannot be
			err = fmt.Errorf("%v", v)
		}
	}()
	b := &debugBlock{owner: a, size: size, made: callers()}
	b.arena = arena.NewWith(arena.Options{Name: a.name, Guard: true, Report: d.options.reportMistake})
	bytes = arena.MakeSliceAligned[byte](b.arena, size, size, a.options.Align)
	copy(bytes, old)
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.isClosed() {
		b.owner, has = &a.orphans, credited
		b.owner.add(size)
	}
	if d.live == nil {
		d.live, d.freed = map[uintptr]*debugBlock{}, map[uintptr]*debugBlock{}
	}
	at := address(bytes)
	delete(d.freed, at)
	d.live[at] = b
	return bytes, has, nil
}

// free frees the block that begins where b does, and returns for whom it is to be counted as such.
func (d *debugBlocks) free(a *Allocator, what string, b []byte) (owner *Allocator, size int) {
	d.mu.Lock()
	block := d.find(a, what, b)
	at := address(b)
	delete(d.live, at)
	delete(d.freed, d.order[d.next])
	d.freed[at] = block
	d.order[d.next] = at
	d.next = (d.next + 1) % len(d.order)
	block.ended = callers()
	d.mu.Unlock()
	block.arena.Free()
	return block.owner, block.size
}

// reallocateDebug is Reallocate with Options.Debug, for a b with a capacity.
func (a *Allocator) reallocateDebug(size int, b []byte, at uintptr) []byte {
	a.debug.mu.Lock()
	block := a.debug.find(a, "Reallocate", b) // unlocks before it panics
	owner, old := block.owner, block.size
	a.debug.mu.Unlock()
	if size > cap(b) {
		all := max(size, old)
		owner.mustBePossible(all)
		owner.charge(all - old)
		return a.move(owner, all, old, b, at)[:size:size]
	}
	keep, most := min(len(b), size), cap(b)
	b = a.move(owner, old, old, b[:most], at)
	a.debug.cut(size, address(b))
	clear(b[keep:size])
	return b[:size:most]
}

// cut notes that size bytes of the block at an address are in use.
func (d *debugBlocks) cut(size int, at uintptr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	block := d.live[at]
	block.cut = block.size - size
}

// find returns the block in use that begins where b does. It panics if there is none, and unlocks
// d, which is locked, before.
func (d *debugBlocks) find(a *Allocator, what string, b []byte) *debugBlock {
	at := address(b)
	if block := d.live[at]; block != nil {
		return block
	}
	freed := d.freed[at]
	d.mu.Unlock()
	if freed == nil {
		panic(fmt.Sprintf("arenaarrow: %s by %s of %d bytes at %#x, where no block in use begins", what, a, len(b), at))
	}
	r := &arena.Report{Mistake: arena.SecondFree, Arena: a.name, Detail: fmt.Sprintf("a block of %d bytes", freed.size),
		Addr: at, Made: trimmed(freed.made), Ended: trimmed(freed.ended), Used: trimmed(callers())}
	panic("arenaarrow: " + what + " of what has been freed before\n" + r.Error())
}

// uses returns what each allocator has, without its children.
func (d *debugBlocks) uses() map[*Allocator]use {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[*Allocator]use{}
	for _, b := range d.live {
		u := all[b.owner]
		u.unused += b.cut
		u.blocks++
		all[b.owner] = u
	}
	return all
}

// survey calls f for each block in use of a and its children.
func (d *debugBlocks) survey(a *Allocator, f func(*debugBlock)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.live {
		if b.owner.within(a) {
			f(b)
		}
	}
}
