// Package rounds runs measurements in processes of their own, which take turns: what disturbs the machine
// for a while disturbs all of them.
package rounds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Interleave calls measure for each name, in n rounds, and returns what it returned. Each round begins
// with another name.
func Interleave[T any](n int, names []string, measure func(name string) (T, error)) (map[string][]T, error) {
	results := map[string][]T{}
	for round := range n {
		for i := range names {
			name := names[(i+round)%len(names)]
			v, err := measure(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			results[name] = append(results[name], v)
		}
	}
	return results, nil
}

// Self runs this program again, with other arguments and more in the environment, and decodes what it writes to its
// standard output, by [Reply], into v.
func Self(v any, environment []string, arguments ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return Program(v, self, environment, arguments...)
}

// Program does what Self does with the program at path, which is this one, built in another way.
func Program(v any, path string, environment []string, arguments ...string) error {
	cmd := exec.Command(path, arguments...)
	cmd.Env = append(os.Environ(), environment...)
	out, err := Output(cmd)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, v)
}

// Output is that of a command. What it writes to its standard error is in the error, if there is one.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, errors.Bytes())
	}
	return out.Bytes(), nil
}

// Reply is what a process that Self has started does at its end.
func Reply(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// Names returns those of workloads.
func Names[W any](workloads []W, name func(W) string) (all []string) {
	for _, w := range workloads {
		all = append(all, name(w))
	}
	return all
}

// Chosen returns the workloads with the names in only, which have commas between them, or all if it is empty.
func Chosen[W any](workloads []W, name func(W) string, only string) ([]W, error) {
	if only == "" {
		return workloads, nil
	}
	var chosen []W
	for _, want := range strings.Split(only, ",") {
		i := slices.IndexFunc(workloads, func(w W) bool { return name(w) == want })
		if i < 0 {
			return nil, fmt.Errorf("there is no workload %q, only %s", want, strings.Join(Names(workloads, name), ", "))
		}
		chosen = append(chosen, workloads[i])
	}
	return chosen, nil
}

// Median returns the middle of what value is of the results, the upper one of two.
func Median[T any](results []T, value func(T) float64) float64 {
	var all []float64
	for _, r := range results {
		all = append(all, value(r))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
