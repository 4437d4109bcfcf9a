package objects

import "unsafe"

// A bump makes nodes as Slab.New does, and looks for nothing: no slab that was freed, no other
// goroutine, no stale pointer. Nothing that the collector knows the types of can be made with less,
// so it is the bound for Slab.New in the workload trees.
type bump struct {
	chunks [][]node
	used   int
	at     unsafe.Pointer
	left   int
}

const bumpChunk = 10_000

func newBump() *space {
	b := new(bump)
	return &space{tree: func(depth int) int { return b.tree(depth).count() }, end: b.reset, free: b.reset}
}

func (b *bump) new() *node {
	if b.left == 0 {
		b.grow()
	}
	b.left--
	n := (*node)(b.at)
	// SAFETY: b.at is a node of the last chunk, or the one behind its last node, which is never
	// handed out; a chunk has one more for that.
	b.at = unsafe.Add(b.at, unsafe.Sizeof(node{}))
	return n
}

func (b *bump) grow() {
	if b.used == len(b.chunks) {
		b.chunks = append(b.chunks, make([]node, bumpChunk+1))
	}
	// SAFETY: the address of the first element of a slice that is not empty.
	b.at, b.left = unsafe.Pointer(unsafe.SliceData(b.chunks[b.used])), bumpChunk
	b.used++
}

func (b *bump) reset() {
	for i, chunk := range b.chunks[:b.used] {
		if i == b.used-1 {
			chunk = chunk[:bumpChunk-b.left]
		}
		clear(chunk)
	}
	b.used, b.at, b.left = 0, nil, 0
}

func (b *bump) tree(depth int) *node {
	n := b.new()
	if depth > 0 {
		n.left, n.right = b.tree(depth-1), b.tree(depth-1)
	}
	return n
}
