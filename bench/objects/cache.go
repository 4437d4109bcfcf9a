package objects

import (
	"fmt"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/ref"
)

// A cache is what lives long.
type cache interface {
	set(key string, number int)
	add(key string, number int) (sum int) // 0 if there is no such key.
}

// A heapCache is a map with values that refer to others, as caches have them.
type heapCache map[string]*entry

type entry struct {
	key, value string
	number     int
}

func newHeapCache() cache { return heapCache{} }

func (c heapCache) set(key string, number int) {
	c[key] = &entry{key, fmt.Sprint("the value of ", number), number}
}

func (c heapCache) add(key string, number int) int {
	e := c[key]
	if e == nil {
		return 0
	}
	e.number += number
	return e.number
}

// A refCache is a map without pointers, in an arena.
type refCache struct {
	in ref.Space
	ref.TextMap[refEntry]
}

type refEntry struct {
	value  ref.String
	number int
}

func newRefCache() cache { return &refCache{in: ref.In(arena.NewArena())} }

func (c *refCache) set(key string, number int) {
	c.Set(c.in, key, refEntry{ref.NewString(c.in, fmt.Sprint("the value of ", number)), number})
}

func (c *refCache) add(key string, number int) int {
	e := c.Lookup(c.in, key)
	if e == nil {
		return 0
	}
	e.number += number
	return e.number
}

const (
	requestEvery   = 400 * time.Microsecond
	requestObjects = 400
	requestBytes   = 24 << 10
)

// besideCache is the workload of a service: what lives long beside what lives shortly.
func besideCache() suite.Workload {
	return suite.Workload{
		Name: "cache", Title: "Requests beside a cache that stays", Unit: "entries",
		About: fmt.Sprintf("A map with n entries stays. Each request decodes %d objects from %d kB, and looks each of them up in the map. Requests are due every %v, whether the one before has "+
			"been answered or not; their time counts from then. With ref the entries are in a map of references, which the collector does not look into, and the requests in an arena that is reset; with all others "+
			"the map is on the heap. CPU is for one request.", requestObjects, requestBytes>>10, requestEvery),
		Sizes: []int{1_000_000}, Quick: []int{10_000}, Rounds: 3,
		Values: []suite.Value{{Name: "p50", Unit: "s"}, {Name: "p99", Unit: "s"}, {Name: "p99.9", Unit: "s"}, {Name: "longest", Unit: "s"}},
		Implementations: implementations("cache", func(s *space) bool { return s.cache != nil && s.records != nil }, func(o *origin, i *suite.Implementation) {
			i.Measure = func(n int, d time.Duration) suite.Result { return serve(o.open(), n, 20*d) }
		}),
	}
}

// serve answers requests for so long.
func serve(s *space, n int, d time.Duration) suite.Result {
	m := suite.NewMeter()
	c := s.cache()
	batch := newBatch(requestObjects, requestBytes)
	for i := range n {
		c.set(fmt.Sprint("key ", i), i)
	}
	keys := make([]string, 1<<16)
	for i := range keys {
		keys[i] = fmt.Sprint("key ", uint(scattered(i))%uint(n))
	}
	request := func(i int) (found int) {
		for j, r := range s.records(batch, requestObjects) {
			if c.add(keys[(i*requestObjects+j)&(len(keys)-1)], r.number&1) != 0 {
				found++
			}
		}
		s.end()
		return found
	}
	for i := range 100 {
		request(i)
	}
	// The map is made in much less time than a service runs: the collector begins anew.
	found := 0
	all := paced(m, requestEvery, d, func(i int) { found += request(i) })
	if found < len(all)*requestObjects*9/10 {
		panic("keys are missing")
	}
	t := suite.NewTimes(all)
	m.Times = map[string]*suite.Times{"request": t}
	m.Values = map[string]float64{"p50": t.P50, "p99": t.P99, "p99.9": t.P999, "longest": t.Max}
	s.free()
	return m.Result
}
