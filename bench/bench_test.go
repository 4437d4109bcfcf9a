package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
)

var full = flag.Bool("full", false, "benchmarks have all sizes, and not only those of a quick run")

// BenchmarkWork has the cells of the command, in one process, but for those that need another
// environment or program.
//
//	go test -run '^$' -bench /struct16 -count 6 ./bench > new.txt && benchstat -col /impl new.txt
func BenchmarkWork(b *testing.B) {
	for _, w := range workloads() {
		sizes := w.Quick
		if *full {
			sizes = w.Sizes
		}
		for _, n := range sizes {
			for _, i := range w.Implementations {
				if !i.Here() || i.Environment != nil {
					continue
				}
				b.Run(fmt.Sprintf("workload=%s/n=%d/impl=%s", w.Name, n, i.Name), func(b *testing.B) {
					b.ReportAllocs()
					if i.Open != nil {
						round := i.Open(n)
						want := round()
						for b.Loop() {
							if round() != want {
								b.Fatal("a round made something else than the first one")
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/unit")
						return
					}
					for b.Loop() {
						r := i.Measure(n, 20*time.Millisecond)
						for _, v := range w.Values {
							b.ReportMetric(r.Values[v.Name], strings.ReplaceAll(v.Name, " ", "-")+"-"+v.Unit)
						}
					}
				})
			}
		}
	}
}
