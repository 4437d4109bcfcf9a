package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A row is a benchmark of arrow-go in both settings.
type row struct {
	name        string
	heap, arena []sample
}

// A sample is the time of an iteration in ns, and how many bytes it takes from Go's heap.
type sample struct{ time, bytes float64 }

// ratio returns how many times as fast the benchmark is with the allocator: the median of the times
// on the heap divided by the median of the others.
func (r *row) ratio() float64 { return timeOf(r.heap) / timeOf(r.arena) }

func timeOf(samples []sample) float64 {
	return median(samples, func(s sample) float64 { return s.time })
}

// allocates reports whether the benchmark takes blocks from the allocator: on the heap it takes
// more than with the allocator then.
func (r *row) allocates() bool {
	bytes := func(s sample) float64 { return s.bytes }
	return median(r.heap, bytes)-median(r.arena, bytes) >= 64
}

func median[T any](all []T, of func(T) float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	var sorted []float64
	for _, v := range all {
		sorted = append(sorted, of(v))
	}
	slices.Sort(sorted)
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// line is what a benchmark prints.
var line = regexp.MustCompile(`(?m)^(Benchmark\S+)\s+\d+\s+(\S+) ns/op(?:.*\s(\d+) B/op)?`)

// samples returns those that the output of a test binary has, by benchmark.
func samples(output string) map[string]sample {
	all := map[string]sample{}
	for _, m := range line.FindAllStringSubmatch(output, -1) {
		if t, err := strconv.ParseFloat(m[2], 64); err == nil && t > 0 {
			bytes, _ := strconv.ParseFloat(m[3], 64)
			all[m[1]] = sample{t, bytes}
		}
	}
	return all
}

// measure runs the benchmarks of a package several times in both settings, in turns.
func (s *suite) measure(ctx context.Context, pkg, binary string) error {
	rows := map[string]*row{}
	for i := range s.counts {
		for j := range 2 {
			setting := []string{"heap", s.setting}[(i+j)%2]
			res, err := s.src.test(ctx, pkg, binary, setting, "-test.run=^$", "-test.bench=.", "-test.benchmem", "-test.benchtime="+s.benchtime, "-test.skip="+pattern(slowOf(pkg)...))
			if err != nil {
				return err
			}
			var output strings.Builder
			for _, name := range slices.Sorted(maps.Keys(res.output)) {
				output.Write(res.output[name])
			}
			for name, one := range samples(output.String()) {
				r := rows[name]
				if r == nil {
					r = &row{name: pkg + " " + name}
					rows[name] = r
				}
				if setting == "heap" {
					r.heap = append(r.heap, one)
				} else {
					r.arena = append(r.arena, one)
				}
			}
		}
	}
	for _, r := range rows {
		if len(r.heap) > 0 && len(r.arena) > 0 {
			s.rows = append(s.rows, r)
		}
	}
	fmt.Printf("     %-30s %d benchmarks measured\n", pkg, len(rows))
	return nil
}

// slower is the ratio below which a row is named.
const slower = 0.97

// explainRows returns the rows that allocate and are slower with the allocator, and the means of
// those that allocate, and of the others: what these differ from 1 is what the measurement is
// worth.
func explainRows(rows []*row) string {
	var b strings.Builder
	slices.SortFunc(rows, func(x, y *row) int { return cmp.Or(cmp.Compare(x.ratio(), y.ratio()), strings.Compare(x.name, y.name)) })
	for _, allocates := range []bool{true, false} {
		sum, n := 0.0, 0
		var of []*row
		for _, r := range rows {
			if r.allocates() != allocates {
				continue
			}
			of = append(of, r)
			sum += math.Log(r.ratio())
			if r.ratio() < slower {
				n++
				if allocates {
					fmt.Fprintf(&b, "%.2f %s: %.0f ns, on the heap %.0f\n", r.ratio(), r.name, timeOf(r.arena), timeOf(r.heap))
				}
			}
		}
		what := map[bool]string{true: "with blocks", false: "without blocks"}[allocates]
		fmt.Fprintf(&b, "%d benchmarks %s, times as fast as on the heap: geometric mean %.2f, median %.2f, %d below %v\n",
			len(of), what, math.Exp(sum/float64(max(len(of), 1))), median(of, (*row).ratio), n, slower)
	}
	return b.String()
}
