// Suite runs arena fix -test on modules of others, which it fetches through the module proxy: their
// own tests, with arenas of all kinds.
//
//	go run ./cmd/arena/internal/suite [-short] [-twice] [-bench pattern] [-arena directory] [name ...]
//
// Without names it runs all parsers of package modules. Nothing is changed by hand. A test that
// fails with arenas and passes without is a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
	"github.com/arena-go/arena/cmd/arena/internal/modules"
)

func main() {
	short := flag.Bool("short", false, "only on the heap, and with arenas that are reset")
	twice := flag.Bool("twice", false, "keep the former functions, as arena fix does without -once")
	bench := flag.String("bench", "", "run these benchmarks, too")
	arena := flag.String("arena", ".", "the sources of package arena")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *bench, *arena, *short, *twice); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, bench, arena string, short, twice bool) error {
	chosen := slices.DeleteFunc(slices.Clone(modules.Parsers), func(p modules.Parser) bool {
		return len(names) > 0 && !slices.Contains(names, p.Name)
	})
	if len(chosen) < len(names) || len(chosen) == 0 {
		return fmt.Errorf("%s: not all are in the table", strings.Join(names, " "))
	}
	// What is fetched is another module, and not part of the workspace.
	os.Setenv("GOWORK", "off")
	os.Setenv("GOFLAGS", "-mod=mod")
	var all []error
	for _, p := range chosen {
		if err := test(ctx, p, bench, arena, short, twice); err != nil {
			all = append(all, fmt.Errorf("%s: %w", p.Name, err))
		}
	}
	return errors.Join(all...)
}

// test fetches the module, and runs its tests.
func test(ctx context.Context, p modules.Parser, bench, arena string, short, twice bool) error {
	dir, err := os.MkdirTemp("", "arena-fix-suite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	src, err := modules.Fetch(ctx, p.Module, dir)
	if err != nil {
		return err
	}
	arena, err = filepath.Abs(arena)
	if err != nil {
		return err
	}
	fmt.Printf("# %s: -root %s %s\n\n", p.Module, strings.Join(p.Roots, " -root "), strings.Join(p.Packages, " "))
	err = fix.Test(ctx, fix.TestOptions{
		Options: fix.Options{Dir: src, Roots: p.Roots, Patterns: p.Packages, Twice: twice},
		Bench:   bench, Count: 6, Arena: arena, Short: short, Skip: p.Skip,
	}, os.Stdout, os.Stderr)
	fmt.Println()
	return err
}
