package heapdump

import "slices"

// A search finds the shortest paths from the roots, one round after another: each round may pass
// through fewer nodes.
type search struct {
	*graph
	from    []uint32 // the origin of each node
	queue   []uint32
	blocked map[uint32]bool // nodes that the search does not go through
	barred  map[int]bool    // roots that the search does not begin with
	missing int
}

func (g *graph) search() *search {
	return &search{graph: g, from: make([]uint32, len(g.objects)+len(g.targets)), queue: make([]uint32, 0, 1024), blocked: map[uint32]bool{}, barred: map[int]bool{}}
}

func (s *search) reach(to, origin uint32) {
	if s.from[to] == none {
		s.from[to] = origin
		if int(to) >= len(s.objects) {
			s.missing--
		} else if !s.blocked[to] {
			s.queue = append(s.queue, to)
		}
	}
}

// run searches from the roots, first those that are certain.
func (s *search) run() {
	for i := range s.from {
		s.from[i] = none
	}
	s.missing = len(s.targets)
	i := 0
	for _, last := range []int{rootQueued, rootFinalized, rootMaybe} {
		s.queue = s.queue[:0]
		for ; i < len(s.roots) && s.roots[i].kind <= last; i++ {
			if r := s.roots[i]; !s.barred[i] {
				s.begin(r, uint32(i)|rootBit)
			}
		}
		s.spread()
	}
}

func (s *search) begin(r root, origin uint32) {
	if r.kind == rootFinalized { // what it points to, but not the object itself
		if r.to != none && !s.blocked[r.to] {
			s.out(r.to, origin)
		}
		return
	}
	if r.to != none {
		s.reach(r.to, origin)
	}
	if s.aimed(r.to, r.value) {
		s.hits(r.value, func(t uint32) { s.reach(t, origin) })
	}
}

func (s *search) out(n, origin uint32) {
	if e := s.objects[n].edges; e != 0 {
		for e--; s.edges[e] != none; e++ {
			s.reach(s.edges[e], origin)
		}
	}
}

func (s *search) spread() {
	for i := 0; i < len(s.queue) && s.missing > 0; i++ {
		s.out(s.queue[i], s.queue[i])
	}
}

// path returns the root, its place in roots, and the objects on the way to a node, without the
// node.
func (s *search) path(n uint32) (root, int, []uint32) {
	var nodes []uint32
	at := s.from[n]
	for at&rootBit == 0 {
		nodes = append(nodes, at)
		at = s.from[at]
	}
	r := s.roots[at&^rootBit]
	if r.kind == rootFinalized {
		nodes = append(nodes, r.to)
	}
	slices.Reverse(nodes)
	return r, int(at &^ rootBit), nodes
}
