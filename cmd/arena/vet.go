package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/load"
	"github.com/arena-go/arena/cmd/arena/internal/units"
)

// memoryLimit is where the collector begins to take more time so that vet needs less memory.
const memoryLimit = 1500 << 20

// gcPercent is for the collector below memoryLimit. What vet keeps is little and what it makes is
// much, so the usual value takes more time for little memory.
const gcPercent = 300

const vetUsage = `usage: arena vet [flags] [packages]

vet finds mistakes in the use of arenas and of sync.Pool: what is used when its arena has ended, and what is kept longer.
Packages are named as for the go command; without any it is the one in the current directory. A file stands for its package.
The exit code is 1 if something is found, and 2 if something goes wrong.

A comment //arena:keep, with a reason behind it, silences what is found in its line and in the next one.

With -prove it looks at each place where an arena ends, in the packages without their tests, and prints "proved" if nothing that
the arena made can be reached from there on, or the shortest path by which it may be. A comment //arena:trust, with a reason behind
it, accepts an end in its line or in the next one. The exit code is 1 if an end is neither proved nor trusted.

flags:
`

// vet is the command arena vet.
func vet(args []string, stdout, stderr io.Writer) (int, error) {
	flags := flag.NewFlagSet("arena vet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print findings as JSON")
	maybe := flags.Bool("maybe", false, "report also what depends on a path, or on a function that is not known")
	codes := flags.String("codes", "", "report only these `codes`, with commas between them: syncpool is the checker of sync.Pool")
	fix := flags.Bool("fix", false, "apply the fixes that are suggested")
	diff := flags.Bool("diff", false, "print the fixes, and change nothing")
	tests := flags.Bool("tests", true, "look at tests, too")
	tags := flags.String("tags", "", "build tags, with commas between them")
	proves := flags.Bool("prove", false, "prove for each end of an arena that nothing is left of what it made, or print how it may be")
	explain := flags.String("explain", "", "explain a `code`, such as stale")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), vetUsage)
		flags.PrintDefaults()
		fmt.Fprintf(flags.Output(), "\ncodes: %s\n", strings.Join(arenavet.Codes(), ", "))
	}
	if slices.Contains(args, "-h") || slices.Contains(args, "-help") || slices.Contains(args, "--help") {
		flags.SetOutput(stdout)
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0, err
		}
		return 2, nil // Parse has printed it
	}
	if *explain != "" {
		text, ok := arenavet.Explain(*explain)
		if !ok {
			return 2, fmt.Errorf("there is no code %q; the codes are %s", *explain, strings.Join(arenavet.Codes(), ", "))
		}
		fmt.Fprintln(stdout, text)
		return 0, nil
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var goFlags []string
	if *tags != "" {
		goFlags = append(goFlags, "-tags="+*tags)
	}
	if err := load.TooNew("", runtime.Version()); err != nil {
		return 2, err
	}
	var names []string
	if *codes != "" {
		names = strings.Split(strings.ReplaceAll(*codes, " ", ""), ",")
	}
	analyzers, err := arenavet.Select(names...)
	if err != nil {
		return 2, err
	}
	if *proves {
		if *fix || *diff || *maybe || names != nil {
			return 2, errors.New("-prove goes without -fix, -diff, -maybe and -codes")
		}
		return prove(*asJSON, goFlags, patterns, stdout, stderr)
	}
	if *fix || *diff {
		if *asJSON {
			return 2, errors.New("-json goes without -fix and -diff")
		}
		return goFix(*diff, *maybe, names, goFlags, patterns, stdout, stderr)
	}
	if *maybe {
		if err := arenavet.Analyzer.Flags.Set("maybe", "true"); err != nil {
			return 2, err
		}
	}
	tryFixes(*asJSON)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	config := load.Config{Tests: *tests, Flags: goFlags}
	found, err := vetUnits(config, patterns, analyzers)
	failed := false
	var broken []*packages.Package
	if errors.Is(err, errBroken) {
		found, broken, failed, err = vetParts(config, patterns, analyzers, stderr)
	}
	if err != nil {
		return 2, err
	}
	if writeErrors(stderr, broken) {
		failed = true
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.position.Filename, b.position.Filename), a.position.Offset-b.position.Offset)
	})
	if *asJSON {
		text, err := json.MarshalIndent(found, "", "\t")
		if err != nil {
			return 2, err
		}
		fmt.Fprintf(stdout, "%s\n", text)
	} else {
		for _, d := range found {
			fmt.Fprintf(stderr, "%s: %s\n", d.Pos, d.Message)
		}
	}
	switch {
	case failed:
		return 2, nil
	case len(found) > 0 && !*asJSON:
		return 1, nil
	}
	return 0, nil
}

// errBroken says that some packages cannot be analyzed.
var errBroken = errors.New("there are packages with errors")

// vetUnits analyzes packages one at a time. All of them must be without errors.
func vetUnits(config load.Config, patterns []string, analyzers []*analysis.Analyzer) ([]finding, error) {
	all, err := load.Units(config, patterns)
	if err != nil {
		return nil, err
	}
	if all == nil {
		return nil, errBroken
	}
	var paths, keepers []string
	for _, u := range all {
		if u.Wanted {
			paths = append(paths, u.PkgPath)
		}
		if u.Keeps {
			keepers = append(keepers, u.PkgPath)
		}
	}
	if err := only(paths); err != nil {
		return nil, err
	}
	if err := arenavet.Analyzer.Flags.Set("keepers", strings.Join(keepers, ",")); err != nil {
		return nil, err
	}
	found := findings{seen: map[string]bool{}}
	if err := units.Analyze(all, analyzers, func(u *load.Unit, fset *token.FileSet, all []analysis.Diagnostic) {
		found.add(fset, all)
	}); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return found.all, nil
}

// vetParts analyzes packages that may have errors, some at a time. It returns those that have, and
// reports whether others could not be analyzed.
func vetParts(config load.Config, patterns []string, analyzers []*analysis.Analyzer, stderr io.Writer) (all []finding, broken []*packages.Package, failed bool, err error) {
	found := findings{seen: map[string]bool{}}
	broken, err = load.Each(config, patterns, func(loaded []*packages.Package) error {
		var paths []string
		for _, p := range loaded {
			paths = append(paths, p.PkgPath)
		}
		if err := only(paths); err != nil {
			return err
		}
		graph, err := checker.Analyze(analyzers, loaded, nil)
		if err != nil {
			return err
		}
		for act := range graph.All() {
			if act.Err != nil {
				failed = true
				fmt.Fprintf(stderr, "%s: %v\n", act.Package.PkgPath, act.Err)
			}
			if act.IsRoot {
				found.add(act.Package.Fset, act.Diagnostics)
			}
		}
		return nil
	})
	return found.all, broken, failed, err
}

// only says of which packages findings are wanted.
func only(paths []string) error {
	return arenavet.Analyzer.Flags.Set("only", strings.Join(paths, ","))
}

// writeErrors writes the errors of packages, each cause once, and reports whether there are any.
func writeErrors(w io.Writer, loaded []*packages.Package) (failed bool) {
	others := map[string]int{} // places of a cause after the first one
	var first []packages.Error
	for _, p := range loaded {
		for _, e := range p.Errors {
			if n, ok := others[e.Msg]; ok {
				others[e.Msg] = n + 1
				continue
			}
			others[e.Msg] = 0
			first = append(first, e)
		}
	}
	for _, e := range first {
		text := e.Msg
		if e.Pos != "" {
			text = e.Error()
		}
		switch n := others[e.Msg]; {
		case e.Pos == "": // it names the packages
		case n == 1:
			text += " (and in one other place)"
		case n > 1:
			text += fmt.Sprintf(" (and in %d other places)", n)
		}
		fmt.Fprintln(w, text)
	}
	return len(first) > 0
}

// tryFixes says whether fixes are wanted. To try them takes longer than to look for mistakes.
func tryFixes(wanted bool) {
	if err := arenavet.Analyzer.Flags.Set("fixes", strconv.FormatBool(wanted)); err != nil {
		panic(err)
	}
}

// goFix applies or shows fixes by go fix, which has the packages analyzed one by one, and puts
// fixes of one file together.
func goFix(diff, maybe bool, codes, goFlags, patterns []string, stdout, stderr io.Writer) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 2, err
	}
	args := append([]string{"fix", "-fixtool=" + self}, goFlags...)
	if diff {
		args = append(args, "-diff")
	}
	if maybe {
		args = append(args, "-arena.maybe")
	}
	for _, code := range codes {
		args = append(args, "-"+code)
	}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	} else if err != nil {
		return 2, err
	}
	return 0, nil
}

// A finding is one line of the output, and an object of the JSON.
type finding struct {
	Pos     string    `json:"posn"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	URL     string    `json:"url"`
	Flow    []step    `json:"flow,omitempty"`
	Fixes   []fixText `json:"fixes,omitempty"`

	position token.Position
}

// A step is a place that a value has passed.
type step struct {
	Pos     string `json:"posn"`
	Message string `json:"message"`
}

// A fixText is a change that removes the finding.
type fixText struct {
	Message string     `json:"message"`
	Edits   []editText `json:"edits"`
}

// An editText replaces the bytes of a file from Start to End.
type editText struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// findings are what was found, each once.
type findings struct {
	all  []finding
	seen map[string]bool
}

// add adds what was found in a package.
func (l *findings) add(fset *token.FileSet, found []analysis.Diagnostic) {
	for _, d := range found {
		p := fset.Position(d.Pos)
		f := finding{Pos: short(p), Code: d.Category, Message: d.Message, URL: d.URL, position: p}
		key := f.Pos + f.Message
		if l.seen[key] {
			continue
		}
		l.seen[key] = true
		for _, r := range d.Related {
			f.Flow = append(f.Flow, step{short(fset.Position(r.Pos)), r.Message})
		}
		for _, s := range d.SuggestedFixes {
			text := fixText{Message: s.Message}
			for _, e := range s.TextEdits {
				if !e.End.IsValid() {
					e.End = e.Pos
				}
				start, end := fset.PositionFor(e.Pos, false), fset.PositionFor(e.End, false)
				text.Edits = append(text.Edits, editText{start.Filename, start.Offset, end.Offset, string(e.NewText)})
			}
			f.Fixes = append(f.Fixes, text)
		}
		l.all = append(l.all, f)
	}
}

// short returns a position with a path from the current directory, if that is shorter.
func short(p token.Position) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, p.Filename); err == nil && len(rel) < len(p.Filename) {
			p.Filename = rel
		}
	}
	return p.String()
}
