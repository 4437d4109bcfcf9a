package arena

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
)

// A provider is the memory that an arena has got from its Options.Memory. It does not refer to the
// arena: a cleanup frees it when the arena was lost.
type provider struct {
	memory Memory
	region []byte   // what it has returned for Grow, if it is a ref.Region
	blocks [][]byte // in the order of their addresses
	only   error    // why all but references fails, or nil; see ref.RegionUser
}

// minProvided is the least that a Memory is asked for: it may give whole pages.
const minProvided = 4 << 10

// least says that only references may be allocated, if that is so.
func (p *provider) least() (bytes int, why error) { return minProvided, p.only }

// alloc returns size > 0 bytes.
func (p *provider) alloc(size int, _ reflect.Type) ([]byte, error) {
	b, err := p.memory.Alloc(size)
	if err != nil {
		return nil, err
	}
	if at := mem.Address(b); len(b) != size || at%8 != 0 {
		panic(fmt.Sprintf("arena: Alloc(%d) of a %T returned %d bytes at %#x; a Memory returns what was asked for, at a multiple of 8",
			size, p.memory, len(b), at))
	}
	b = b[:size:size]
	i, _ := p.find(mem.Address(b))
	for _, other := range p.blocks[max(i-1, 0):min(i+1, len(p.blocks))] {
		if overlap(b, other) {
			panic(fmt.Sprintf("arena: Alloc(%d) of a %T returned memory at %#x that is in use: %d bytes at %#x",
				size, p.memory, mem.Address(b), len(other), mem.Address(other)))
		}
	}
	if checking && len(bytes.Trim(b[:min(size, 64<<10)], "\x00")) != 0 {
		panic(fmt.Sprintf("arena: Alloc of a %T returned memory that is not zero", p.memory))
	}
	p.blocks = slices.Insert(p.blocks, i, b)
	if len(p.region) > 0 && overlap(b, p.region) {
		panic(fmt.Sprintf("arena: Alloc(%d) of a %T returned a part of what Grow has returned", len(b), p.memory))
	}
	return b, nil
}

// claim notes that b is what Grow has returned.
func (p *provider) claim(b []byte) bool {
	if slices.ContainsFunc(p.blocks, func(other []byte) bool { return overlap(other, b) }) {
		return false
	}
	p.region = b
	return true
}

// limit makes alloc fail.
func (p *provider) limit(why error) { p.only = why }

// find returns the index of the block at an address, or where it would be.
func (p *provider) find(at uintptr) (i int, ok bool) {
	return slices.BinarySearchFunc(p.blocks, at, func(b []byte, at uintptr) int { return cmp.Compare(mem.Address(b), at) })
}

// overlap tells whether a and b, which are not empty, have a byte in common.
func overlap(a, b []byte) bool {
	return mem.Address(a)-mem.Address(b) < uintptr(len(b)) || mem.Address(b)-mem.Address(a) < uintptr(len(a))
}

// has tells whether a block is at an address.
func (p *provider) has(at pointer) bool {
	_, ok := p.find(at.address())
	return ok
}

// release frees the block at an address, if it is one of p.
func (p *provider) release(at pointer) {
	if i, ok := p.find(at.address()); ok {
		p.releaseBlock(i)
	}
}

func (p *provider) releaseBlock(i int) {
	b := p.blocks[i]
	p.blocks = slices.Delete(p.blocks, i, i+1)
	unpoison(extent{startOf(b), len(b), nil})
	p.memory.Free(b)
}

// releaseAll frees all blocks, also when the Memory panics.
func (p *provider) releaseAll() {
	defer func() {
		if len(p.blocks) > 0 {
			p.releaseAll()
		}
	}()
	for len(p.blocks) > 0 {
		p.releaseBlock(len(p.blocks) - 1)
	}
}
