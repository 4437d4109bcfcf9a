// Package arrow measures what programs do with Arrow (github.com/apache/arrow-go), with several
// allocators: Go's heap, the heap with GOGC=400, malloc by way of cgo, the arena allocator of a
// program of 2023, and arenaarrow; for some work there are arrays in an arena besides, by package
// arenaarrow/build.
//
// A process does its work again and again, as a service would, with one allocator. The input is on
// the Go heap, whatever the allocator. The memory of the allocator of 2023 grows with the rounds,
// since it never gives any back once an array has grown: its peak says how long it was measured.
package arrow

import (
	"runtime/debug"

	"github.com/arena-go/arena/bench/internal/suite"
)

const about = ` A round is one pass, in a process that has made some before, with an allocator that has the memory of those; ` +
	`what a pass makes is compared with what it makes on Go's heap. The input is on Go's heap, and part of the peak. ` +
	`The allocator of 2023 keeps what it has, so that its peak grows with the rounds.`

// Workloads returns the work that is measured.
func Workloads() (all []suite.Workload) {
	for _, w := range workloads {
		all = append(all, suite.Workload{
			Name: "arrow-" + w.name, Title: w.title, About: w.about + about,
			Unit: "rows", Sizes: []int{w.rows}, Quick: w.quick, Longer: 3,
			Implementations: w.implementations(),
		})
	}
	return all
}

// round returns what makes one pass, and the digest of what passes make: of the second one, in
// memory that others have used.
func round(pass func(*digest)) func() uint64 {
	debug.FreeOSMemory() // What it took to make the input is no part of the peak.
	suite.ResetPeak()
	var d digest
	pass(nil)
	pass(&d)
	return func() uint64 {
		pass(nil)
		return uint64(d)
	}
}
