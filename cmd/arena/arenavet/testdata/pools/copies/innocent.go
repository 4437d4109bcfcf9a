package copies

import "slices"

func (h *histogram) rotateCopied(at int) snapshot {
	old := h.cur
	h.cur = begin(at)
	defer snapshots.Put(old)
	done := *old
	done.buckets = slices.Clone(old.buckets)
	return done
}

func (h *histogram) rotateWhole(at int) *snapshot {
	old := h.cur
	h.cur = begin(at)
	return old
}

func (h *histogram) total() (n int64) {
	old := h.cur
	h.cur = begin(0)
	for _, b := range old.buckets {
		n += b
	}
	snapshots.Put(old)
	return n
}

func (l *logger) logCopied(s string) {
	x := lines.Get().(*line)
	defer lines.Put(x)
	x.b = append(x.b[:0], s...)
	select {
	case l.out <- slices.Clone(x.b):
	default:
	}
}
