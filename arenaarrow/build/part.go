package build

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// A part holds the reference count of an array, or of a child of an array, and keeps the parts of
// its children. Parts are on the heap, the parts of a batch in one slice, and are used once. So a
// Release after the Reset of the arena does not affect other arrays.
type part struct {
	data     array.Data
	children [1]arrow.ArrayData
}

// Slots are the buffers of one array without their bytes. Nobody frees these, so Release changes
// nothing of a buffer: it reads what is always zero. A Reset of the arena makes slots free for
// other arrays for that reason. What Release reads of a slot is written once.
type slots struct {
	headers [3]memory.Buffer
	all     [3]*memory.Buffer
	valid   [3]*memory.Buffer // The first one, which is for the bits of nulls, is nil.
}

// newSlots returns free ones.
func newSlots(a *arena.Arena) *slots {
	if a == nil {
		return new(slots).made()
	}
	l, _ := arenakit.Local[lives](a)
	if l.chunk < len(l.chunks) && l.next == len(l.chunks[l.chunk]) {
		l.chunk, l.next = l.chunk+1, 0
	}
	if l.chunk == len(l.chunks) {
		l.chunks = append(l.chunks, make([]slots, 4<<min(l.chunk, 4)))
	}
	l.next++
	return l.chunks[l.chunk][l.next-1].made()
}

// made returns s, which points to itself then.
func (s *slots) made() *slots {
	if s.all[0] == nil {
		for i := range s.headers {
			s.all[i] = &s.headers[i]
		}
		s.valid = s.all
		s.valid[0] = nil
	}
	return s
}

// of returns the slots of buffers, of which the first may be nil.
func (s *slots) of(bits []byte, buffers [][]byte) []*memory.Buffer {
	n := 1 + len(buffers)
	of := &s.valid
	if bits != nil {
		of = &s.all
		of[0].Reset(bits)
	}
	for i, b := range buffers[:min(len(buffers), len(of)-1)] {
		of[1+i].Reset(b)
	}
	if n <= len(of) {
		return of[:n:n]
	}
	more := append(make([]*memory.Buffer, 0, n), of[:]...)
	for _, b := range buffers[len(of)-1:] {
		more = append(more, memory.NewBufferBytes(b))
	}
	return more
}

// keptChunks is how many chunks of slots an arena keeps after a Reset: some 300 slots.
const keptChunks = 8

// resetSlots makes all slots free. If again is false, it drops them: arrays that are older than a
// Rewind have them, or arrays that are stale shall be found.
func (l *lives) resetSlots(again bool) {
	if !again {
		l.chunks, l.chunk, l.next = nil, 0, 0
		return
	}
	for i := range l.chunks[:min(l.chunk+1, len(l.chunks))] {
		for j := range l.chunks[i] {
			for k := range l.chunks[i][j].headers {
				l.chunks[i][j].headers[k].Reset(nil) // It held memory that the arena may free.
			}
		}
	}
	keep := min(len(l.chunks), keptChunks)
	clear(l.chunks[keep:])
	l.chunks, l.chunk, l.next = l.chunks[:keep], 0, 0
}

// nparts returns how many parts an array of b has. The parts of a dictionary's values are
// elsewhere.
func nparts(b Builder) int {
	n := 1
	switch b := b.(type) {
	case *List:
		n += nparts(b.values)
	case *Map:
		n += nparts(b.values)
	case *Struct:
		n += npartsOf(b.fields)
	case *Union:
		n += npartsOf(b.children)
	case *Runs:
		n += 1 + nparts(b.values)
	}
	return n
}

func npartsOf(all []Builder) (n int) {
	for _, b := range all {
		n += nparts(b)
	}
	return n
}

// newArray is NewArray of b.
func newArray(b Builder) arrow.Array {
	checkOpen(b)
	return newArrayIn(make([]part, nparts(b)), b)
}

func newArrayIn(all []part, b Builder) arrow.Array {
	d := b.newData(all)
	defer d.Release() // The array has the only reference to it then.
	return array.MakeFromData(d)
}

// newData returns the data of length values in the first part, which has one reference. It takes
// over the reference of each child.
func newData(all []part, a *arena.Arena, dtype arrow.DataType, length int, v *validity, children []arrow.ArrayData, buffers ...[]byte) *array.Data {
	d := &all[0].data
	var bits []byte
	if v.nulls > 0 {
		v.fill(a, length)
		bits = v.bits
	}
	d.Reset(dtype, length, newSlots(a).of(bits, buffers), children, v.nulls, 0)
	d.Retain()
	for _, c := range children {
		c.Release()
	}
	return d
}

// newChildren returns the data of builders, in the parts behind the first one.
func newChildren(all []part, builders ...Builder) []arrow.ArrayData {
	children := all[0].children[:]
	if len(builders) != 1 {
		children = make([]arrow.ArrayData, len(builders))
	}
	all = all[1:]
	for i, b := range builders {
		n := nparts(b)
		children[i], all = b.newData(all[:n]), all[n:]
	}
	return children
}
