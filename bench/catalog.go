package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/arena-go/arena/bench/arrow"
	"github.com/arena-go/arena/bench/entries"
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
	return append(all, arrow.Workloads()...)
}

// chosen returns those with names that the pattern is for. The implementation that others are
// compared with is always among them.
func chosen(all []suite.Workload, pattern string) (some []suite.Workload, err error) {
	first, second, _ := strings.Cut(pattern, "/")
	workload, err := regexp.Compile(first)
	if err != nil {
		return nil, err
	}
	implementation, err := regexp.Compile(second)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if !workload.MatchString(w.Name) {
			continue
		}
		var kept []suite.Implementation
		for i, m := range w.Implementations {
			if i == 0 || implementation.MatchString(m.Name) {
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
