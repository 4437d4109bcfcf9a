package offheap

import "math/bits"

// pieces divide the addresses of extents into blocks. An extent is a range of addresses, an offset of its own
// each; its pieces are in a list, in the order of the addresses, without gaps. A piece is free, used, or in
// quarantine. A free one has no free neighbour: release makes one of them. Pieces are known by their index; 0
// is none. The records lie outside of the memory they are about, so that nothing that is written there can
// spoil them.
//
// Free pieces are in one list for each power of two, and the first that fits is taken, of its own class or
// the next. The addresses that this needs are at most log2(largest/smallest) times what is in use at a time,
// for the worst of all programs (Robson, "Bounds for some functions concerning dynamic storage allocation",
// 1974, of first fit), and far less for others.
type pieces struct {
	all   []piece
	spare int32 // Unused records, linked by after.
	bins  [bits.UintSize + 1]int32
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
	up, down      int32 // In the list of the bin, or of the quarantine: up is nearer to the head.
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

// take returns a piece of this size that is used from now on, or 0. Its offset is a multiple of align, a
// power of two. size is a multiple of the smallest one.
func (s *pieces) take(size, align int) int32 {
	for bin := bits.Len(uint(size)); bin < len(s.bins); bin++ {
		for i := s.bins[bin]; i != 0; i = s.all[i].down {
			p := &s.all[i]
			lead := -p.offset & (align - 1)
			if p.size-lead < size {
				continue
			}
			s.unfile(i)
			if lead > 0 {
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
	}
	return 0
}

// release makes a piece free, which is in no list.
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

// file puts a piece into the list of free pieces of its size.
func (s *pieces) file(i int32) {
	p := &s.all[i]
	head := &s.bins[bits.Len(uint(p.size))]
	*p = piece{extent: p.extent, offset: p.offset, size: p.size, before: p.before, after: p.after, state: free, down: *head}
	s.all[*head].up = i // Of none, if there is none.
	*head = i
}

// unfile takes it out of there.
func (s *pieces) unfile(i int32) {
	p := &s.all[i]
	if p.up == 0 {
		s.bins[bits.Len(uint(p.size))] = p.down
	} else {
		s.all[p.up].down = p.down
	}
	s.all[p.down].up = p.up
	p.up, p.down = 0, 0
}
