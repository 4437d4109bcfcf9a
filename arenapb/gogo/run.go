package gogo

// run decodes the messages that follow each other in b as elements of the list at h, which is the
// field f of m. The first has its tag before b[i:]. It returns where they end, -1 for an error.
func (d *decoder) run(h *header, m *plan, f *field, b []byte, tag uint64, i int, counts *int, depth int) int {
	slab := d.slab(f.slab)
	sub, leaf := f.sub, f.sub.leaf
	guessed := false
	for {
		var s []byte
		if i < len(b) && int(b[i]) < min(0x80, len(b)-i) {
			end := i + 1 + int(b[i])
			s = b[i+1 : end : end]
			i = end
		} else if s, i = bytesOf(b, i); i < 0 {
			return -1
		}
		if h.len == h.cap {
			// The list is thought to be as long as the one before it, unless b is too short for as
			// many. It is counted where that is not enough.
			n := 0
			if h.len == 0 && tag < 0x80 && !d.exact {
				n = min(slab.Length, 1+2*(len(b)-i)/(len(s)+2))
			}
			if guessed = n > 0; guessed {
				h.data, h.cap = slab.Slice(n), n
			} else if n = d.expected(counts, m, f, b[i:]); h.len > 0 && slab.Extend(h.data, h.cap, n) {
				h.cap += n
			} else {
				d.grow(h, f, n)
			}
		}
		p := at(h.data, uintptr(h.len)*f.size)
		h.len++
		if (leaf == nil || !leaf.decode(p, s)) && !d.message(p, sub, s, depth) {
			return -1
		}
		if i == len(b) || uint64(b[i]) != tag || tag >= 0x80 {
			break
		}
		i++
	}
	slab.Length = h.len
	if guessed {
		slab.Shrink(h.data, h.cap, h.len)
		h.cap = h.len
	}
	return i
}
