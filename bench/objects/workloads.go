package objects

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/arena-go/arena/bench/internal/suite"
)

// Workloads returns those that make values.
func Workloads() []suite.Workload {
	all := []suite.Workload{
		{
			Name: "struct16", Title: "A struct of 16 bytes, and a slice of pointers", Unit: "values",
			About: "n structs of two integers and a slice with a pointer to each; all are filled and read, then they end together. " +
				"What ends in -free is a new arena for each round, -reset is one that is used again.",
			Sizes: []int{10, 100, 1000, 10_000, 100_000, 256_000, 1_000_000}, Quick: []int{10, 100_000},
			Implementations: implementations("struct16", func(s *space) bool { return s.small != nil }, inOne(smalls)),
		},
		{
			Name: "person", Title: "A struct with three strings", Unit: "values",
			About: "n structs with three strings and two integers in each, which refer to text that is constant. All are filled and read; nothing keeps them but a thousand pointers, which the next thousand overwrite.",
			Sizes: []int{1000, 1_000_000}, Quick: []int{1000},
			Implementations: implementations("person", func(s *space) bool { return s.crowd != nil }, inOne(people)),
		},
		{
			Name: "person-parallel", Title: "A struct with three strings, in parallel", Unit: "values",
			About: "As person, in as many goroutines as there are processors. Each makes n values in a space of its own.",
			Sizes: []int{2_000_000}, Rounds: 3,
			Implementations: implementations("person-parallel", func(s *space) bool { return s.crowd != nil }, func(o *origin, i *suite.Implementation) {
				i.Open = func(n int) func() uint64 { return crowds(o, n) }
			}),
		},
		{
			Name: "texts", Title: "Strings of 1 to 256 bytes", Unit: "strings",
			About: "n strings are copied, and a slice of them is made.",
			Sizes: []int{10, 1000, 100_000}, Quick: []int{1000},
			Implementations: implementations("texts", func(s *space) bool { return s.texts != nil }, inOne(texts)),
		},
		{
			Name: "holders", Title: "A struct that holds a slice", Unit: "values",
			About: "n structs, each with a slice of one integer that lies where the struct does. In sync.Pool the structs keep the memory of their slices; those of " +
				"node-slice are on the heap.",
			Sizes: []int{1000, 1_000_000}, Quick: []int{1000},
			Implementations: implementations("holders", func(s *space) bool { return s.holders != nil }, inOne(holders)),
		},
		{
			Name: "append", Title: "Slices that grow", Unit: "elements",
			About: "n integers are appended one by one, to eight slices in turn.",
			Sizes: []int{100, 10_000, 1_000_000}, Quick: []int{10_000},
			Implementations: implementations("append", func(s *space) bool { return s.appends != nil }, inOne(appends)),
		},
		{
			Name: "map-int", Title: "A map of integers is built", Unit: "entries",
			About: "n integers with integers as keys, without a hint of how many there will be.",
			Sizes: []int{10, 1000, 100_000, 1_000_000}, Quick: []int{1000},
			Implementations: implementations("map-int", func(s *space) bool { return s.ints != nil }, inOne(func(s *space, n int) func() uint64 {
				return func() uint64 {
					length := s.ints(n)
					s.end()
					return uint64(length)
				}
			})),
		},
		{
			Name: "map-text", Title: "A map with text as keys is built", Unit: "entries",
			About: "n integers with strings as keys, without a hint of how many there will be. A RefTextMap copies its keys, others do not.",
			Sizes: []int{10, 1000, 100_000, 1_000_000}, Quick: []int{1000},
			Implementations: implementations("map-text", func(s *space) bool { return s.words != nil }, inOne(words)),
		},
		{
			Name: "batch", Title: "Batches from a message queue", Unit: "objects",
			About: "A batch of 6 MB is decoded into n objects with two strings each, and every object is read: few large ones or many small ones.",
			Sizes: []int{1000, 10_000, 100_000, 1_000_000}, Quick: []int{100_000},
			Implementations: implementations("batch", func(s *space) bool { return s.records != nil && s.people != nil }, inOne(batches)),
		},
		trees(),
	}
	all = append(all, live()...)
	return append(all, besideCache(), frames())
}

// scattered returns a number for i, another one for each, in no order.
func scattered(i int) int {
	k := uint64(i) * 0x9e3779b97f4a7c15
	return int(k ^ k>>32)
}

func smalls(s *space, n int) func() uint64 {
	return func() (sum uint64) {
		all := s.small(n)
		for i, v := range all {
			v.a += i
			v.b++
		}
		for _, v := range all {
			sum += uint64(v.a + v.b)
		}
		s.end()
		return sum
	}
}

func people(s *space, n int) func() uint64 {
	keep := make([]*person, min(n, 1000))
	return func() uint64 {
		sum := crowd(s, n, keep)
		s.end()
		return sum
	}
}

// crowd makes n persons, as many at a time as keep has room for.
func crowd(s *space, n int, keep []*person) (sum uint64) {
	for first := 0; first < n; first += len(keep) {
		some := keep[:min(len(keep), n-first)]
		s.crowd(some)
		for i, p := range some {
			p.Name, p.Address, p.uuid = "Ada Lovelace", "12 St James's Square, London", "00112233-4455-6677-8899-aabbccddeeff"
			p.Age += i
			p.number++
		}
		for _, p := range some {
			sum += uint64(p.Age + p.number + len(p.Name) + len(p.Address) + len(p.uuid))
		}
	}
	return sum
}

func crowds(o *origin, n int) func() uint64 {
	workers := runtime.GOMAXPROCS(0)
	var spaces []*space
	end := func() {}
	if o.workers != nil {
		spaces, end = o.workers(workers)
	} else {
		for range workers {
			spaces = append(spaces, o.open())
		}
	}
	return func() (sum uint64) {
		sums := make([]uint64, workers)
		var all sync.WaitGroup
		for i, s := range spaces {
			all.Go(func() {
				sums[i] = crowd(s, n, make([]*person, 1000))
				if s.end != nil {
					s.end()
				}
			})
		}
		all.Wait()
		end()
		for _, s := range sums {
			sum += s
		}
		return sum
	}
}

func texts(s *space, n int) func() uint64 {
	source := strings.Repeat("0123456789abcdef", 16)
	of := make([]string, n)
	for i := range of {
		of[i] = source[:(i*167+13)%256+1]
	}
	return func() (sum uint64) {
		for _, text := range s.texts(of) {
			sum += uint64(len(text)) + uint64(text[len(text)-1])
		}
		s.end()
		return sum
	}
}

func holders(s *space, n int) func() uint64 {
	return func() (sum uint64) {
		for i, h := range s.holders(n) {
			h.id += i
			sum += uint64(h.id + h.elements[0])
		}
		s.end()
		return sum
	}
}

func appends(s *space, n int) func() uint64 {
	return func() (sum uint64) {
		for _, all := range s.appends(n) {
			for _, v := range all {
				sum += uint64(v)
			}
		}
		s.end()
		return sum
	}
}

func words(s *space, n int) func() uint64 {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%016x", uint(scattered(i)))
	}
	return func() uint64 {
		length := s.words(keys)
		s.end()
		return uint64(length)
	}
}
