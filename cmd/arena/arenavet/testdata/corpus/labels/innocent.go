package labels

import (
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"github.com/prometheus/client_golang/prometheus"
)

var tags = sync.Pool{New: func() any { return new([]string) }}

func okCloned(vec *prometheus.CounterVec, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	vec.WithLabelValues(strings.Clone(arena.String(a, line))).Inc()
}

// okSlice reuses the slice of labels, and not the labels.
func okSlice(vec *prometheus.CounterVec, tenant string) {
	all := tags.Get().(*[]string)
	defer tags.Put(all)
	*all = append((*all)[:0], tenant, "read")
	vec.WithLabelValues(*all...).Inc()
}

func okInArena(vec *prometheus.CounterVec, tenant string) {
	a := pool.Get()
	defer pool.Put(a)
	all := arena.MakeSlice[string](a, 2, 2)
	all[0], all[1] = tenant, "read"
	vec.WithLabelValues(all...).Add(1)
}

func okTagged(s *scope, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	key := arena.String(a, line)
	s.tag(text("line", strings.Clone(key)), number("len", len(key)))
}

func okLocal(line []byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	var s scope
	s.tag(text("line", arena.String(a, line)), number("len", len(line)))
	for _, f := range s.fields {
		n += len(f.text)
	}
	return n
}

func okNumbers(s *scope, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	all := []field{text("line", arena.String(a, line)), number("len", len(line))}
	s.tag(all[1])
}
