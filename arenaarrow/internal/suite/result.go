package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A result is what one run of a test binary came to.
type result struct {
	tests  map[string]string // name of a test or benchmark: "pass", "fail", "skip", or "run" when it did not end
	output map[string][]byte // the output of each; the output of "" belongs to no test
	last   string            // the test that printed last
	ended  string            // how the process ended, if it did not run all its tests to their ends
}

// parse reads what `go tool test2json` made of the output of a test binary.
func parse(r io.Reader) (result, error) {
	res := result{tests: map[string]string{}, output: map[string][]byte{}}
	for dec := json.NewDecoder(r); ; {
		var event struct{ Action, Test, Output string }
		if err := dec.Decode(&event); err == io.EOF {
			maps.DeleteFunc(res.tests, func(name, state string) bool {
				return state == "run" && strings.HasPrefix(name, "Benchmark") && res.hasParts(name) // which do not end, either
			})
			return res, nil
		} else if err != nil {
			return res, fmt.Errorf("reading the output of test2json: %w", err)
		}
		switch event.Action {
		case "output":
			if strings.HasPrefix(event.Test, "Benchmark") && strings.Contains(event.Output, " ns/op") {
				res.tests[event.Test] = "pass" // There is no event for that.
			}
			res.output[event.Test] = append(res.output[event.Test], event.Output...)
			if event.Test != "" {
				res.last = event.Test
			}
		case "run", "pass", "fail", "skip":
			if event.Test != "" {
				res.tests[event.Test] = event.Action
			}
		}
	}
}

// hasParts reports whether parts of a test or benchmark were run.
func (res result) hasParts(name string) bool {
	for part := range res.tests {
		if strings.HasPrefix(part, name+"/") {
			return true
		}
	}
	return false
}

// with returns the sorted names of the tests that have one of the states.
func (res result) with(states ...string) []string {
	var names []string
	for name, state := range res.tests {
		if slices.Contains(states, state) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// head returns the first lines of what a test printed.
func (res result) head(test string, lines int) string {
	all := bytes.SplitAfter(bytes.TrimSpace(res.output[test]), []byte("\n"))
	return string(bytes.TrimSpace(bytes.Join(all[:min(lines, len(all))], nil)))
}

// A comparison sorts the tests of two runs of the same binary.
type comparison struct {
	passed int      // tests that passed in both
	failed []string // tests that failed, or did not end, in both
	differ []string // tests that came to a different end in the second run, or were not in it
}

// compare sorts the tests of base by their results in other, a run without the tests for which
// skipped is true.
func compare(base, other result, skipped func(string) bool) (c comparison) {
	for _, name := range slices.Sorted(maps.Keys(base.tests)) {
		state, before := other.tests[name], base.tests[name]
		switch {
		case skipped(name):
		case before == "fail" || before == "run":
			if state != "pass" {
				c.failed = append(c.failed, name)
			}
		case state != before:
			c.differ = append(c.differ, name)
		case state == "pass":
			c.passed++
		}
	}
	return c
}

// leaves returns the sorted names without those that have a subtest among them.
func leaves(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
}

// tops returns the sorted names of the top-level tests that the names belong to.
func tops(names []string) []string {
	tops := make([]string, len(names))
	for i, name := range names {
		tops[i], _, _ = strings.Cut(name, "/")
	}
	return slices.Compact(slices.Sorted(slices.Values(tops)))
}
