// Package copies has mistakes with copies of values of a sync.Pool that share their slices.
package copies

import (
	"strconv"
	"sync"
	"time"
)

type snapshot struct {
	at      int
	buckets []int64
}

var snapshots = sync.Pool{New: func() any { return &snapshot{buckets: make([]int64, 64)} }}

func begin(at int) *snapshot {
	s := snapshots.Get().(*snapshot)
	clear(s.buckets)
	*s = snapshot{at: at, buckets: s.buckets}
	return s
}

type histogram struct{ cur *snapshot }

func (h *histogram) rotate(at int) snapshot {
	old := h.cur
	h.cur = begin(at)
	defer snapshots.Put(old)
	done := *old
	done.at = at
	return done // want `syncpool: `
}

type line struct{ b []byte }

var lines = sync.Pool{New: func() any { return &line{b: make([]byte, 0, 512)} }}

type logger struct{ out chan []byte }

func (l *logger) log(at time.Time, each func(func(string)), n int) {
	x := lines.Get().(*line)
	defer lines.Put(x)
	b := at.AppendFormat(x.b[:0], time.RFC3339)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(n), 10)
	each(func(s string) {
		b = append(b, ' ')
		b = append(b, s...)
	})
	x.b = b
	select {
	case l.out <- b: // want `syncpool: `
	default:
	}
}
