package offheap

// pieces divide the addresses of extents into blocks. An extent is a range of addresses with
// offsets of its own. Its pieces are in a list, in the order of the addresses, without gaps. A
// piece is free, used, or in quarantine. A free piece has no free neighbour: release joins them.
// Pieces are identified by their index; 0 is none. The records are outside the memory that they
// describe, so that no write to it can spoil them.
//
// Free pieces are in a tree (Adelson-Velsky and Landis, 1962) in the order of extents and offsets.
// Each piece stores the room of the largest piece below it. So take finds the first piece with
// enough room, and the time of all methods grows with the logarithm of the number of free pieces.
// First fit needs at most log2(largest/smallest) times the addresses in use at a time, for the
// worst of all programs (Robson, "Bounds for some functions concerning dynamic storage allocation",
// 1974), and far less for others.
//
// Invariants: the heights of the two subtrees of a piece differ by 1 at most; height and room are
// as measure sets them; all[0] is zero.
type pieces struct {
	all   []piece
	spare int32 // Unused records, linked by after.
	root  int32 // Of the tree.
	align int   // Another alignment that take may ask for, next to the unit of all sizes. 0 is none.
}

type state uint8

const (
	unused state = iota // No piece, just a record.
	free
	used
	quarantined
)

type piece struct {
	offset, size  int // Bytes, from the start of the extent.
	asked         int // Of a used one: the length that the caller has.
	extent        int32
	before, after int32 // In the extent: neighbours.
	next          int32 // In the quarantine.
	kids          [2]int32
	room          [2]int // The most that a free piece of the subtree has room for, and at a multiple of align.
	height        int8   // Of the subtree.
	state         state
	huge          bool // It is on pages of the pool.
	locked        bool
	open          bool // It is in quarantine, but could not be made inaccessible.
}

// grow makes room for n records.
func (s *pieces) grow(n int) {
	all := make([]piece, len(s.all), n+1) // all[0] is none.
	copy(all, s.all)
	s.all = all
}

// record returns an unused record.
func (s *pieces) record() int32 {
	if i := s.spare; i != 0 {
		s.spare = s.all[i].after
		return i
	}
	if len(s.all) == 0 {
		s.all = append(s.all, piece{})
	}
	s.all = append(s.all, piece{})
	return int32(len(s.all) - 1)
}

// add makes all of an extent a free piece and returns it.
func (s *pieces) add(extent int32, size int) int32 {
	i := s.record()
	s.all[i] = piece{extent: extent, size: size}
	s.file(i)
	return i
}

// take returns the first piece of this size, which is used from now on, or 0. Its offset is a
// multiple of align, which is s.align or the unit. size is a multiple of the unit.
func (s *pieces) take(size, align int) int32 {
	by := 0
	if align == s.align {
		by = 1
	}
	i := s.root
	if len(s.all) == 0 || s.all[i].room[by] < size {
		return 0
	}
	for {
		p := &s.all[i]
		if s.all[p.kids[0]].room[by] >= size {
			i = p.kids[0]
		} else if p.fits(s.align)[by] >= size {
			break
		} else {
			i = p.kids[1]
		}
	}
	s.unfile(i)
	if lead := -s.all[i].offset & (align - 1); lead > 0 {
		rest := s.split(i, lead)
		s.file(i)
		i = rest
	}
	if s.all[i].size > size {
		s.file(s.split(i, size))
	}
	s.all[i].state = used
	return i
}

// fits returns the largest sizes for which p has room: anywhere, and at a multiple of align.
func (p *piece) fits(align int) [2]int {
	return [2]int{p.size, p.size - -p.offset&(max(align, 1)-1)}
}

// largest returns the size of the largest free piece.
func (s *pieces) largest() int {
	if len(s.all) == 0 {
		return 0
	}
	return s.all[s.root].room[0]
}

// release makes a piece free. The piece is in no list.
func (s *pieces) release(i int32) {
	p := &s.all[i]
	if n := p.after; n != 0 && s.all[n].state == free {
		s.unfile(n)
		s.join(i, n)
	}
	if b := p.before; b != 0 && s.all[b].state == free {
		s.unfile(b)
		s.join(b, i)
		i = b
	}
	s.file(i)
}

// split cuts a piece, which is in no list, and returns the part from size on.
func (s *pieces) split(i int32, size int) int32 {
	rest := s.record()
	p := &s.all[i]
	s.all[rest] = piece{
		extent: p.extent, offset: p.offset + size, size: p.size - size,
		before: i, after: p.after,
	}
	if p.after != 0 {
		s.all[p.after].before = rest
	}
	p.after, p.size = rest, size
	return rest
}

// join adds n, the neighbour after i, to i. Both are in no list.
func (s *pieces) join(i, n int32) {
	p, q := &s.all[i], &s.all[n]
	p.size += q.size
	p.after = q.after
	if p.after != 0 {
		s.all[p.after].before = i
	}
	*q = piece{after: s.spare}
	s.spare = n
}

// file makes a piece free, and puts it into the tree.
func (s *pieces) file(i int32) {
	p := &s.all[i]
	*p = piece{extent: p.extent, offset: p.offset, size: p.size, before: p.before, after: p.after, state: free}
	s.root = s.insert(s.root, i)
}

// unfile removes the piece from the tree.
func (s *pieces) unfile(i int32) {
	s.root = s.remove(s.root, i)
	s.all[i].kids = [2]int32{}
}

// insert puts i into the tree below root, and returns the new root.
func (s *pieces) insert(root, i int32) int32 {
	if root == 0 {
		s.measure(i)
		return i
	}
	kid := &s.all[root].kids[s.side(root, i)]
	*kid = s.insert(*kid, i)
	return s.balance(root)
}

// remove removes i from the tree below root, and returns the new root.
func (s *pieces) remove(root, i int32) int32 {
	r := &s.all[root]
	switch {
	case root != i:
		kid := &r.kids[s.side(root, i)]
		*kid = s.remove(*kid, i)
	case r.kids[0] == 0:
		return r.kids[1]
	case r.kids[1] == 0:
		return r.kids[0]
	default:
		next := r.kids[1]
		for s.all[next].kids[0] != 0 {
			next = s.all[next].kids[0]
		}
		s.all[next].kids = [2]int32{r.kids[0], s.remove(r.kids[1], next)}
		root = next
	}
	return s.balance(root)
}

// side returns the subtree of root to which the piece i belongs: 0 before root, 1 after root.
func (s *pieces) side(root, i int32) int {
	r, p := &s.all[root], &s.all[i]
	if p.extent < r.extent || p.extent == r.extent && p.offset < r.offset {
		return 0
	}
	return 1
}

// balance restores the invariants of the tree below root, one subtree of which may be too high. It
// returns the new root.
func (s *pieces) balance(root int32) int32 {
	for side, kid := range s.all[root].kids {
		if k := &s.all[kid]; k.height > s.all[s.all[root].kids[1-side]].height+1 {
			if s.all[k.kids[1-side]].height > s.all[k.kids[side]].height {
				s.all[root].kids[side] = s.rotate(kid, 1-side)
			}
			return s.rotate(root, side)
		}
	}
	s.measure(root)
	return root
}

// rotate makes the kid of root on that side the root, and returns it.
func (s *pieces) rotate(root int32, side int) int32 {
	kid := s.all[root].kids[side]
	s.all[root].kids[side] = s.all[kid].kids[1-side]
	s.all[kid].kids[1-side] = root
	s.measure(root)
	s.measure(kid)
	return kid
}

// measure sets the height and the room of a piece's subtree.
func (s *pieces) measure(i int32) {
	p := &s.all[i]
	p.room, p.height = p.fits(s.align), 1
	for _, kid := range p.kids {
		k := &s.all[kid]
		p.room[0], p.room[1] = max(p.room[0], k.room[0]), max(p.room[1], k.room[1])
		p.height = max(p.height, k.height+1)
	}
}
