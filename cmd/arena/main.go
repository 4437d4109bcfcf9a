// Command arena tells where an arena pays, rewrites code to use one, and checks programs that do.
//
//	arena advise -bench . ./pkg                # whether an arena pays, where, and how much
//	arena advise http://localhost:6060         # the same of a server with net/http/pprof
//	arena fix -root example.com/p.Parse ./...  # what Parse allocates goes into an arena
//	arena vet ./...                            # find mistakes in the use of arenas and of sync.Pool
//	arena vet -explain stale                   # what a code means, and what to do
//	go vet -vettool=$(which arena) ./...       # the same by go vet, which caches what it has found out
//	go fix -fixtool=$(which arena) ./...       # apply the fixes that are suggested
//
// See https://github.com/arena-go/arena/blob/main/docs/does-it-pay.md and vet.md beside it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/advise"
	"github.com/arena-go/arena/cmd/arena/internal/fix"
	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// A command is a subcommand.
type command struct {
	name, what string
	run        func(args []string, stdout, stderr io.Writer) (int, error)
}

// commands are all subcommands, in the order of the help.
var commands = []command{
	{"advise", "say whether an arena pays, where, and how much", advised},
	{"fix", "rewrite allocations so that they lie in an arena", fixed},
	{"vet", "find mistakes in the use of arenas and of sync.Pool", vet},
}

func main() {
	if byGo(os.Args[1:]) {
		if silent, err := tooOld(os.Args[len(os.Args)-1]); silent {
			os.Exit(0) // without facts
		} else if err != nil {
			fmt.Fprintln(os.Stderr, "arena:", err)
			os.Exit(2)
		}
		tryFixes(!printsText(os.Args[1:]))
		unitchecker.Main(append(arenavet.Analyzers, arenavet.Analyzer)...) // ends the program
	}
	code, err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "arena:", err)
	}
	os.Exit(code)
}

// byGo reports whether go vet or go fix has started the program: with -V=full, -flags, or the
// description of a package, behind flags.
func byGo(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return last == "-V=full" || last == "-flags" || strings.HasSuffix(last, ".cfg")
}

// printsText reports whether the go command wants the findings only, and no fixes.
func printsText(args []string) bool {
	return strings.HasSuffix(args[len(args)-1], ".cfg") && !slices.ContainsFunc(args, func(arg string) bool {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return (name == "json" || name == "fix" || name == "diff") && value != "false"
	})
}

// tooOld says that a package, whose description go vet has written, is for a newer Go than this
// program's, or imports a package that is. Packages that import it say so, because they find no
// facts of it: silent is true.
func tooOld(name string) (silent bool, err error) {
	text, err := os.ReadFile(name)
	var config struct {
		ImportPath, GoVersion    string
		VetxOnly                 bool
		PackageFile, PackageVetx map[string]string
	}
	if err != nil || json.Unmarshal(text, &config) != nil { // another argument, or an error that unitchecker reports
		return false, nil
	}
	mine := runtime.Version()
	if load.Newer(config.GoVersion, mine) {
		return config.VetxOnly, fmt.Errorf("%s needs %s, and this command was built with %s, which cannot read it: install it again with the newer one", config.ImportPath, config.GoVersion, mine)
	}
	for _, path := range slices.Sorted(maps.Keys(config.PackageFile)) {
		if config.PackageVetx[path] == "" && path != "unsafe" {
			return config.VetxOnly, fmt.Errorf("%s is not looked at, because %s could not be read. This command was built with %s: if the go command is newer, install it again with that one",
				config.ImportPath, path, mine)
		}
	}
	return false, nil
}

// advised is the command arena advise.
func advised(args []string, stdout, stderr io.Writer) (int, error) {
	ctx, stop := untilSignal()
	defer stop()
	return advise.Main(ctx, args, stdout, stderr), nil
}

// fixed is the command arena fix.
func fixed(args []string, stdout, stderr io.Writer) (int, error) {
	ctx, stop := untilSignal()
	defer stop()
	return fix.Main(ctx, args, stdout, stderr), nil
}

// untilSignal returns a context that ends when the program is to end, so that what it has started
// ends, too, and its temporary files go. An analysis does not look at the context, so the program
// ends some seconds later in any case.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		select {
		case <-done:
		case <-time.After(patience):
			fmt.Fprintln(os.Stderr, "arena: stopped by a signal")
			os.Exit(2)
		}
	}()
	return ctx, func() {
		close(done)
		stop()
	}
}

// patience is how long the program waits after a signal for what it has started to end.
const patience = 5 * time.Second

// run runs a subcommand, and returns the exit code: 0 if there is nothing to report, 1 if there are
// findings, 2 for what went wrong.
func run(args []string, stdout, stderr io.Writer) (int, error) {
	if len(args) > 1 && args[0] == "help" { // as with the go command
		args = []string{args[1], "-h"}
	}
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				code, err := c.run(args[1:], stdout, stderr)
				if errors.Is(err, flag.ErrHelp) {
					return 0, nil
				}
				return code, err
			}
		}
	}
	help := "usage: arena command [arguments]\n\ncommands:\n"
	for _, c := range commands {
		help += fmt.Sprintf("\t%-8s %s\n", c.name, c.what)
	}
	help += "\narena command -h tells more. As a tool of the go command: go vet -vettool=$(which arena) ./...\n"
	if len(args) > 0 && (args[0] == "help" || strings.TrimLeft(args[0], "-") == "h" || strings.TrimLeft(args[0], "-") == "help") {
		fmt.Fprint(stdout, help)
		return 0, nil
	}
	fmt.Fprint(stderr, help)
	if len(args) > 0 {
		return 2, fmt.Errorf("there is no command %q", args[0])
	}
	return 2, nil
}
