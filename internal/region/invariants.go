package region

import (
	"bytes"
	"fmt"

	"github.com/arena-go/arena/internal/tools"
)

// Check checks what is said of the fields of s, and returns the memory of all chunks.
func Check(s Space) (chunks [][]byte, err error) {
	g := s.g
	if g == nil {
		return nil, nil
	}
	if g.begin > g.next || g.next > g.limit {
		return nil, fmt.Errorf("next is %d of [%d, %d)", g.next, g.begin, g.limit)
	}
	for _, r := range g.runs {
		if r.end == 0 && r.next != 0 || r.end != 0 && (r.next < r.first || r.next >= r.end || (r.end-r.first)%r.size != 0 || (r.next-r.first)%r.size != 0) {
			return nil, fmt.Errorf("a run of %v: next is %d of [%d, %d], %d done", r.elem, r.next, r.first, r.end, r.done)
		}
		if r.count()+r.inSlices > 0 && !r.isActive {
			return nil, fmt.Errorf("a run of %v is used but not active", r.elem)
		}
	}
	if g.ended != nil {
		return nil, nil // the memory is gone
	}
	size := int64(0)
	for k := range g.chunks {
		c := &g.chunks[k]
		switch {
		case c.at.isNil():
			continue
		case c.base != 1<<(k-1) || g.fixed == nil && c.size > uint64(c.base)*Granule:
			return nil, fmt.Errorf("the chunk for %d bits begins at %d and has %d bytes", k, c.base, c.size)
		case g.fixed == nil && c.base > g.begin:
			return nil, fmt.Errorf("there is a chunk behind the current one, which begins at %d", g.begin)
		case g.fixed == nil:
			size += int64(c.size)
			chunks = append(chunks, c.bytes())
		case k == 1:
			chunks = append(chunks, c.bytes())
		}
	}
	if g.fixed == nil && size != g.size {
		return nil, fmt.Errorf("size is %d, the chunks have %d bytes", g.size, size)
	}
	if free := max(g.next, g.dirty); free < g.limit && !tools.Sanitizing && len(bytes.Trim(g.granules(free, g.limit-free), "\x00")) != 0 {
		return nil, fmt.Errorf("the free part is not zero")
	}
	return chunks, nil
}
