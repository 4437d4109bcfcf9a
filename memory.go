package arena

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// A Memory is where an arena gets memory for values of plain types, in place of the Go heap. See Options.Memory.
// Package offheap has several.
//
// Several goroutines may call its methods at the same time: those of all arenas that have it. Its methods must not
// use these arenas.
type Memory interface {
	// Alloc returns size zero bytes at an address that is a multiple of 8, or an error. size is more than 0. The arena
	// asks for a few KiB at first, for more each time, and for the bytes of a large slice. After an error it asks for
	// less, as long as that is enough.
	//
	// The collector must not free the memory, nor look for pointers in it.
	Alloc(size int) ([]byte, error)

	// Free takes back the same slice that Alloc has returned: when the arena is freed, and when a Reset has found that
	// it needs less. The arena does not use the memory any more. The program may, by mistake. The memory is not zero.
	Free(b []byte)
}

// A Region is a Memory in which everything that has references, see [Ref], lies in one piece. A reference is the
// offset in the piece, divided by 8. So references stay valid when the bytes are brought back later. One arena at
// a time may add to a Region. A Region that can become read-only, or can end before its arenas are freed, has the
// method that [RegionUser] describes.
type Region interface {
	Memory

	// Grow makes the first size bytes of the region usable, and returns them, or more. size is a multiple of 8, and at
	// most 32 GiB. The bytes are at the same address each time, which is a multiple of 8. Bytes that were not there
	// before are zero.
	//
	// Grow of a size that is there already asks whether the bytes may be written to. Grow(0) returns what is there
	// already. At least the first 8 bytes of that belong to the Region: the arena adds behind all of it.
	Grow(size int) ([]byte, error)
}

// A MemoryError says that Options.Memory has no memory for an allocation, or cannot be written to. The allocation
// panics with it, and the arena stays as it was. See [Try].
type MemoryError struct {
	Name string // Options.Name
	Size int64  // bytes that were asked for, or 0 for a write to what is there already
	Err  error  // the reason
}

// Error returns the message, with the name, the bytes and the reason.
func (e *MemoryError) Error() string {
	name := ""
	if e.Name != "" {
		name = " " + e.Name
	}
	if e.Size == 0 {
		return fmt.Sprintf("arena: arena%s cannot write to its Memory: %v", name, e.Err)
	}
	return fmt.Sprintf("arena: no memory for arena%s: %d bytes: %v", name, e.Size, e.Err)
}

// Unwrap returns e.Err.
func (e *MemoryError) Unwrap() error { return e.Err }

// A provider is the memory that an arena has got from its Options.Memory. It does not refer to the arena: a
// cleanup frees it when the arena was lost.
type provider struct {
	memory Memory
	blocks [][]byte // in the order of their addresses
	only   error    // why all but references fails, or nil; see RegionUser.RefsOnly
}

// minProvided is the least that a Memory is asked for: it may give whole pages.
const minProvided = 4 << 10

// newProvider returns the provider for an arena with the settings o, or nil.
func (o *settings) newProvider() *provider {
	if o == nil || o.Memory == nil || o.Guard {
		return nil
	}
	p := &provider{memory: o.Memory}
	if o.group != nil {
		r := o.group.record
		r.mu.Lock()
		defer r.mu.Unlock()
		r.providers = append(r.providers, p)
	}
	return p
}

// provide returns memory for want slots of size bytes, or for fewer, down to need. reserved counts all of want
// before the call, and only what was returned after it.
func (st *stores) provide(size, want, need int) ([]byte, int) {
	got := 0
	defer func() { st.release(int64(want-got) * int64(size)) }()
	slots := want
	b, err := st.provider.alloc(slots * size)
	for err != nil && slots > need {
		slots = max(slots/2, need)
		b, err = st.provider.alloc(slots * size)
	}
	if err != nil {
		panic(&MemoryError{st.arena.opt.Name, int64(slots) * int64(size), err})
	}
	if g := st.refs; g != nil && g.fixed != nil && overlap(b, extent{at: g.at, bytes: int(g.limit) * refGranule}.raw()) {
		panic(fmt.Sprintf("arena: Alloc(%d) of a %T returned a part of what Grow has returned", len(b), g.fixed))
	}
	got = slots
	return b, slots
}

// alloc returns size > 0 bytes.
func (p *provider) alloc(size int) ([]byte, error) {
	b, err := p.memory.Alloc(size)
	if err != nil {
		return nil, err
	}
	if at := address(b); len(b) != size || at%8 != 0 {
		panic(fmt.Sprintf("arena: Alloc(%d) of a %T returned %d bytes at %#x; a Memory returns what was asked for, at a multiple of 8",
			size, p.memory, len(b), at))
	}
	b = b[:size:size]
	i, _ := p.find(address(b))
	for _, other := range p.blocks[max(i-1, 0):min(i+1, len(p.blocks))] {
		if overlap(b, other) {
			panic(fmt.Sprintf("arena: Alloc(%d) of a %T returned memory at %#x that is in use: %d bytes at %#x",
				size, p.memory, address(b), len(other), address(other)))
		}
	}
	if checking && len(bytes.Trim(b[:min(size, 64<<10)], "\x00")) != 0 {
		panic(fmt.Sprintf("arena: Alloc of a %T returned memory that is not zero", p.memory))
	}
	p.blocks = slices.Insert(p.blocks, i, b)
	return b, nil
}

// find returns the index of the block at an address, or where it would be.
func (p *provider) find(at uintptr) (i int, ok bool) {
	return slices.BinarySearchFunc(p.blocks, at, func(b []byte, at uintptr) int { return cmp.Compare(address(b), at) })
}

// overlap tells whether a and b, which are not empty, have a byte in common.
func overlap(a, b []byte) bool {
	return address(a)-address(b) < uintptr(len(b)) || address(b)-address(a) < uintptr(len(a))
}

// free gives back the block at an address, if it is one of p.
func (p *provider) free(at pointer) {
	if i, ok := p.find(at.address()); ok {
		p.freeBlock(i)
	}
}

func (p *provider) freeBlock(i int) {
	b := p.blocks[i]
	p.blocks = slices.Delete(p.blocks, i, i+1)
	unpoison(extent{startOf(b), len(b), nil})
	p.memory.Free(b)
}

// freeAll gives back all blocks, also when the Memory panics.
func (p *provider) freeAll() {
	defer func() {
		if len(p.blocks) > 0 {
			p.freeAll()
		}
	}()
	for len(p.blocks) > 0 {
		p.freeBlock(len(p.blocks) - 1)
	}
}
