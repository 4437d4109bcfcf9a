package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena/bench/arrow"
	"github.com/arena-go/arena/bench/entries"
	"github.com/arena-go/arena/bench/foreign"
	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/json"
	"github.com/arena-go/arena/bench/objects"
	"github.com/arena-go/arena/bench/protobuf"
	"github.com/arena-go/arena/bench/small"
)

// workloads returns all there are.
func workloads() (all []suite.Workload) {
	all = append(all, objects.Workloads()...)
	all = append(all, small.Workloads()...)
	all = append(all, entries.Workloads()...)
	all = append(all, protobuf.Workloads()...)
	all = append(all, json.Workloads()...)
	all = append(all, arrow.Workloads()...)
	for i := range all {
		if w := &all[i]; slices.Contains(foreign.Workloads, w.Name) {
			w.Implementations = append(w.Implementations, foreign.Implementations...)
		}
	}
	return all
}

// chosen returns what a pattern is for: regular expressions for names of workloads, for
// implementations and for n, with slashes between them. The implementation that others are compared
// with is always included.
func chosen(all []suite.Workload, pattern string) (some []suite.Workload, err error) {
	parts := append(strings.Split(pattern, "/"), "", "")
	if len(parts) > 5 {
		return nil, fmt.Errorf("-run is workload/implementation/n, not %q", pattern)
	}
	var match [3]*regexp.Regexp
	for i := range match {
		if match[i], err = regexp.Compile(parts[i]); err != nil {
			return nil, err
		}
	}
	for _, w := range all {
		if !match[0].MatchString(w.Name) {
			continue
		}
		if parts[2] != "" {
			other := func(n int) bool { return !match[2].MatchString(strconv.Itoa(n)) }
			w.Sizes, w.Quick = slices.DeleteFunc(slices.Clone(w.Sizes), other), slices.DeleteFunc(slices.Clone(w.Quick), other)
			if len(w.Sizes) == 0 {
				continue
			}
		}
		var kept []suite.Implementation
		for i, m := range w.Implementations {
			if i == 0 || match[1].MatchString(m.Name) {
				kept = append(kept, m)
			}
		}
		w.Implementations = kept
		some = append(some, w)
	}
	if some == nil {
		var names []string
		for _, w := range all {
			names = append(names, w.Name)
		}
		return nil, fmt.Errorf("-run %s is for no workload: there are %s", pattern, strings.Join(names, ", "))
	}
	return some, nil
}
