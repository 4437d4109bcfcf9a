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

// A row is a benchmark of arrow-go: the times of an iteration in ns, in the order in which they were measured.
type row struct{ heap, arena []float64 }

// ratio returns how many times as fast the benchmark is with the allocator: the median of the times on the heap over that of the others.
func (r *row) ratio() float64 { return median(r.heap) / median(r.arena) }

func median(times []float64) float64 {
	if len(times) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// line is what a benchmark prints.
var line = regexp.MustCompile(`(?m)^(Benchmark\S+)\s+\d+\s+(\S+) ns/op`)

// times returns those that the output of a test binary has, by benchmark.
func times(output string) map[string]float64 {
	all := map[string]float64{}
	for _, m := range line.FindAllStringSubmatch(output, -1) {
		if t, err := strconv.ParseFloat(m[2], 64); err == nil && t > 0 {
			all[m[1]] = t
		}
	}
	return all
}

// measure runs the benchmarks of a package so many times in both settings, in turns.
func (s *suite) measure(ctx context.Context, pkg, binary string) error {
	rows := map[string]*row{}
	for i := range s.counts {
		for j := range 2 {
			setting := []string{"heap", s.setting}[(i+j)%2]
			res, err := s.src.test(ctx, pkg, binary, setting, "-test.run=^$", "-test.bench=.", "-test.benchtime="+s.benchtime, "-test.skip="+pattern(slowOf(pkg)...))
			if err != nil {
				return err
			}
			var output strings.Builder
			for _, name := range slices.Sorted(maps.Keys(res.output)) {
				output.Write(res.output[name])
			}
			for name, t := range times(output.String()) {
				r := rows[name]
				if r == nil {
					r = &row{}
					rows[name] = r
				}
				if setting == "heap" {
					r.heap = append(r.heap, t)
				} else {
					r.arena = append(r.arena, t)
				}
			}
		}
	}
	for name, r := range rows {
		if len(r.heap) > 0 && len(r.arena) > 0 {
			s.rows = append(s.rows, measured{pkg + " " + name, r.ratio(), median(r.heap), median(r.arena)})
		}
	}
	fmt.Printf("     %-30s %d benchmarks measured\n", pkg, len(rows))
	return nil
}

// A measured is a row with its ratio.
type measured struct {
	name               string
	ratio, heap, arena float64
}

// slower is the ratio below which a row is named.
const slower = 0.97

// explainRows prints the geometric mean of all rows, and those that are slower with the allocator.
func explainRows(rows []measured) string {
	var b strings.Builder
	slices.SortFunc(rows, func(x, y measured) int { return cmp.Or(cmp.Compare(x.ratio, y.ratio), strings.Compare(x.name, y.name)) })
	sum, n := 0.0, 0
	for _, r := range rows {
		sum += math.Log(r.ratio)
		if r.ratio < slower {
			fmt.Fprintf(&b, "%.2f %s: %.0f ns, on the heap %.0f\n", r.ratio, r.name, r.arena, r.heap)
			n++
		}
	}
	fmt.Fprintf(&b, "%d benchmarks, times as fast as on the heap: geometric mean %.2f, median %.2f, %d below %v\n",
		len(rows), math.Exp(sum/float64(max(len(rows), 1))), medianRatio(rows), n, slower)
	return b.String()
}

func medianRatio(rows []measured) float64 {
	all := make([]float64, len(rows))
	for i, r := range rows {
		all[i] = r.ratio
	}
	return median(all)
}
