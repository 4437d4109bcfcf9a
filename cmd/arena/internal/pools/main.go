// Pools looks for bugs of open projects with sync.Pool, in the versions before their repair, which
// it fetches.
//
//	go run ./cmd/arena/internal/pools [-tool command] [name ...]
//
// It prints a table of what arena vet finds. With -tool, another command looks, such as staticcheck
// or nilaway: it gets the directory of the package as its last argument, and has found a bug if it
// prints the line. A bug that arena vet finds and that the table of bugs says it does not, or the
// other way round, is a failure.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/load"
	"github.com/arena-go/arena/cmd/arena/internal/modules"
)

func main() {
	tool := flag.String("tool", "", "a `command` that looks in place of arena vet")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *tool, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pools:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, tool string, names []string) error {
	// What is fetched is another module, and not part of the workspace. C in what it imports is of
	// no interest.
	for key, value := range map[string]string{"GOWORK": "off", "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"} {
		if err := os.Setenv(key, value); err != nil {
			return err
		}
	}
	if err := arenavet.Analyzer.Flags.Set("fixes", "false"); err != nil {
		return err
	}
	t := table.NewWriter()
	t.SetOutputMirror(os.Stdout)
	t.AppendHeader(table.Row{"", "place", "found", "what is wrong"})
	var failed []error
	looked, found := 0, 0
	for _, b := range bugs {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		seen, err := b.look(ctx, tool)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", b.name, err))
			continue
		}
		looked++
		answer := "no"
		if seen {
			found++
			answer = "yes"
		}
		if tool == "" && seen != b.found {
			failed = append(failed, fmt.Errorf("%s: found: %t; the table of bugs says %t", b.name, seen, b.found))
		}
		t.AppendRow(table.Row{b.name, b.pkg + "/" + b.place, answer, b.what})
	}
	t.AppendFooter(table.Row{"", "", fmt.Sprintf("%d of %d", found, looked)})
	t.Render()
	return errors.Join(failed...)
}

// look fetches the module, and reports whether the bug is found in it.
func (b bug) look(ctx context.Context, tool string) (bool, error) {
	dir, err := os.MkdirTemp("", "arena-pools-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	src, err := modules.Fetch(ctx, b.module+"@"+b.commit, dir)
	if err != nil {
		return false, err
	}
	pattern := "./" + b.pkg
	if tool != "" {
		fields := strings.Fields(tool)
		cmd := exec.CommandContext(ctx, fields[0], append(fields[1:], pattern)...)
		cmd.Dir = src
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return false, err
		}
		// The line of a place has its column behind it.
		return bytes.Contains(out, []byte(b.place+":")), nil
	}
	syncpool, err := arenavet.Select("syncpool")
	if err != nil {
		return false, err
	}
	seen := false
	broken, err := load.Each(load.Config{Dir: src}, []string{pattern}, func(loaded []*packages.Package) error {
		graph, err := checker.Analyze(syncpool, loaded, nil)
		if err != nil {
			return err
		}
		for act := range graph.All() {
			if act.Err != nil {
				return act.Err
			}
			for _, d := range act.Diagnostics {
				seen = seen || act.IsRoot && b.at(act.Package.Fset.Position(d.Pos))
			}
		}
		return nil
	})
	if err == nil && len(broken) > 0 {
		err = broken[0].Errors[0]
	}
	return seen, err
}

// at reports whether a position is the place of the bug.
func (b bug) at(p token.Position) bool {
	return b.place == fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}
