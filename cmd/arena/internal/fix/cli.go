package fix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/arena-go/arena/cmd/arena/internal/tables"
)

// Usage is the manual of the command.
const Usage = `usage: arena fix -root function [flags] [packages]

Fix rewrites the allocations of existing code so that they lie in an arena. The roots are the functions where an arena comes in,
as example.com/path.Func or example.com/path.Type.Method; the beginning of the path may be left out, also all of it, or the name of the package written for the path. arena advise finds them.

Each root, and each function on the way that allocates, gets a second form with an arena as its first parameter: FuncIn. The
former form stays, and calls the second one without an arena, which is the heap. Where a struct leads to many of these functions, such as a
parser, it gets the arena as a field instead. It may come from a sync.Pool that makes it by &T{}: one that had an arena is cleared when it is taken again. So APIs and tests stay as they are.

What is rewritten is what the compiler says goes to the heap: &T{}, new, make of slices, append, literals of slices, text that is concatenated, converted or
made by strings, strconv and fmt, values that become an interface, variables that are moved to the heap, maps, and builders of text that are local variables all of whose uses are in the function. What flows to
goroutines, channels, errors, panics and variables of packages stays there, as do closures, and what libraries allocate.
Calls through interfaces of the program are followed to the types that the package of the interface can name. A table says what stays, and why.

The packages are those that may be changed (default ./...). They are in one module. One in the module cache needs -copy.

  -root function    where an arena comes in; may be given several times
  -carrier type     a struct that gets the arena as a field, beside those that fix finds, and which goroutines do not share; may be given several times
  -nofind           no others
  -scope function   a function that calls a root gets an arena from a Pool for that, if it is proved that nothing of the arena is left when the
                    function returns; may be given several times
  -scopes           all of these functions for which that is proved; a table says what becomes of the others
  -closed           for these proofs: no other package calls or implements anything of the packages. Without it, function values and interfaces that
                    are given to the program may be anything. The program begins in its main functions then, or in what it exports
  -generated        files change, too, that say that a program has made them, such as goyacc; making them again takes the change back.
                    This is the default with -overlay and -copy; -generated=false turns it off
  -once             rewrite each function in place, so that it is there once: less code to maintain, and without an arena it may be slower.
                    Otherwise each function that allocates stays, beside its second form, and calls the former ones
  -profile file     only sites move that allocate in this profile of allocations (go test -memprofile, or /debug/pprof/allocs), and the
                    table says what part of its bytes they are
  -percent n        of the profile's bytes, at least, that a site has to allocate (default 0.1)
  -diff             print what would change, which is the default
  -w                change the files
  -overlay file     write the changed files beside that file, and it for go build -overlay; stack traces have the lines of the sources
  -copy dir         with -w: packages of a module that this one depends on, in the module cache or not: copy it there, and change the copy
  -modfile file     with -copy: write go.mod there with the replacement, for go build -modfile (default arena.mod); go.mod stays as it is
  -test             change a copy of the module, and run its tests there: on the heap, with new arenas that are dropped or freed, with
                    arenas that are reset, with the race detector, and in guard mode
  -bench pattern    with -test: run these benchmarks, too, and print how much CPU time they take for that of the former code
  -count n          of the benchmarks (default 6)
  -arena dir        the sources of package arena, for a replace directive in go.mod (default: what go get finds; with -test the checkout
                    that this command was built in, if there is one)
  -sites            list each site, and what becomes of it

-w changes go.mod, too, so that it requires package arena. -overlay has such a go.mod among its files.

The exit status is 0, or 1 if tests fail, 2 for an error, and 3 if nothing moves: then nothing is written.
`

// ErrNothing is the error when nothing moves. The report says why.
var ErrNothing = errors.New("arena fix: nothing moves, and nothing is written")

// Main is the command. It returns its exit status: 0, or 2 when there is an error, 1 when tests
// fail, or 3 when nothing moves.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fix", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var o Options
	flags.Func("root", "", func(s string) error { o.Roots = append(o.Roots, s); return nil })
	flags.Func("carrier", "", func(s string) error { o.Carriers = append(o.Carriers, s); return nil })
	flags.BoolVar(&o.NoFind, "nofind", false, "")
	flags.Func("scope", "", func(s string) error { o.Scopes = append(o.Scopes, s); return nil })
	flags.BoolVar(&o.AllScope, "scopes", false, "")
	flags.BoolVar(&o.Closed, "closed", false, "")
	generated := flags.Bool("generated", false, "")
	once := flags.Bool("once", false, "")
	flags.StringVar(&o.Profile, "profile", "", "")
	flags.Float64Var(&o.Percent, "percent", 0.1, "")
	flags.Bool("diff", true, "")
	write := flags.Bool("w", false, "")
	overlay := flags.String("overlay", "", "")
	test := flags.Bool("test", false, "")
	bench := flags.String("bench", "", "")
	count := flags.Int("count", 6, "")
	arenaDir := flags.String("arena", "", "")
	sites := flags.Bool("sites", false, "")
	copyTo := flags.String("copy", "", "")
	modFile := flags.String("modfile", "arena.mod", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, Usage)
			return 0
		}
		fmt.Fprintf(stderr, "arena fix: %v\n%s", err, Usage)
		return 2
	}
	o.Patterns = flags.Args()
	o.Lines = *overlay != "" && !*write && !*test // where the overlay is what is written
	maintained := *copyTo == "" && (*overlay == "" || *write)
	o.Twice, o.Generated = !*once, !maintained
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "generated" {
			o.Generated = *generated
		}
	})
	err := func() error {
		if *test {
			return Test(ctx, TestOptions{Options: o, Bench: *bench, Count: *count, Arena: *arenaDir}, stdout, stderr)
		}
		copied := Copied{}
		if *copyTo != "" {
			if !*write {
				return errors.New("arena fix: -copy goes with -w: it changes the copy")
			}
			var err error
			if copied, err = Copy(ctx, cmp.Or(o.Dir, "."), o.patterns(), *copyTo, *modFile, *arenaDir); err != nil {
				return err
			}
		}
		o.Ask = true
		r, err := Run(o)
		if err != nil {
			return errors.Join(err, copied.remove())
		}
		if len(r.Out) > 0 {
			o.Patterns = r.Packages
		}
		if r.Nothing() {
			return errors.Join(copied.remove(), r.WriteReport(stderr, *sites), ErrNothing)
		}
		switch {
		case copied.Dir != "":
			if err = r.Write(); err == nil {
				err = r.check(ctx, o)
			}
			copied.say(stderr)
		case *write:
			if err := require(ctx, cmp.Or(o.Dir, "."), "", *arenaDir); err != nil {
				return err
			}
			if err = r.Write(); err == nil {
				err = r.check(ctx, o)
			}
		case *overlay != "":
			err = r.WriteOverlay(ctx, *overlay, o, *arenaDir, stderr)
		default:
			_, err = stdout.Write(r.Diff())
		}
		if err != nil {
			return err
		}
		// The report does not go where a diff may go.
		return r.WriteReport(stderr, *sites)
	}()
	var failed *FailedError
	switch {
	case errors.As(err, &failed):
		fmt.Fprintln(stderr, err)
		return 1
	case err != nil:
		fmt.Fprintln(stderr, err)
		if errors.Is(err, ErrNothing) {
			return 3
		}
		return 2
	}
	return 0
}

// Moved returns how many sites lie in an arena.
func (r *Result) Moved() (n int) {
	for _, s := range r.Sites {
		if s.Why == "" && s.Kind != kindCarrier {
			n++
		}
	}
	return n
}

// Nothing tells whether nothing moves that counts: no site, or less than half a percent of the
// bytes of a profile.
func (r *Result) Nothing() bool { return r.Moved() == 0 || r.Share > 0 && r.part() < 0.005 }

// verdict returns the first sentence of the report.
func (r *Result) verdict() string {
	reached := 0
	for _, s := range r.Sites {
		if !s.Fails {
			reached++
		}
	}
	roots, allocate := strings.Join(r.Asked, " and "), "they allocate"
	if len(r.Asked) == 1 {
		allocate = "it allocates"
	}
	switch n := r.Moved(); {
	case n == 0 && len(r.Ends) > 0:
		return fmt.Sprintf("Nothing of %s moves: the way ends at %s.", roots, r.Ends[0])
	case n > 0 && r.Nothing():
		return fmt.Sprintf("Hardly anything of %s moves, %.1f %% of the bytes that %s in the profile: the table says what that is, and why it stays.", roots, 100*r.part(), allocate)
	case n == 0:
		return fmt.Sprintf("Nothing of %s moves: the table says what %s, and why that stays.", roots, allocate)
	case r.Share > 0:
		s := fmt.Sprintf("%.0f %% of the bytes that %s %s in the profile lie in an arena, by %d of %d sites, errors left out.",
			100*r.part(), roots, strings.Fields(allocate)[1], n, reached)
		if r.Share < 0.1 {
			s += fmt.Sprintf(" These are %.1f %% of the profile: the rest is allocated elsewhere, or by goroutines.", 100*r.Share)
		}
		return s
	default:
		return fmt.Sprintf("%d of %d sites that are reached lie in an arena.", n, reached)
	}
}

// more returns a sentence on where a way ends, or "".
func (r *Result) more() string {
	if i := slices.IndexFunc(r.Ends, func(e End) bool { return e.known() > 0 && (r.Share == 0 || e.part >= 0.05) }); i >= 0 && !r.Nothing() {
		return fmt.Sprintf("A way ends at %s.\n", r.Ends[i])
	}
	return ""
}

// keepers returns a sentence on the lines that keep most, or "".
func (r *Result) keepers() string {
	sites, bytes := map[string]int{}, map[string]float64{}
	for _, s := range r.Sites {
		if s.At != "" {
			sites[s.At]++
			bytes[s.At] += s.Bytes
		}
	}
	var parts []string
	for _, at := range slices.SortedFunc(maps.Keys(sites), func(a, b string) int {
		return cmp.Or(cmp.Compare(bytes[b], bytes[a]), cmp.Compare(sites[b], sites[a]), cmp.Compare(a, b))
	}) {
		if len(parts) < 4 && (r.Share == 0 || bytes[at] >= 0.001) {
			parts = append(parts, fmt.Sprintf("%s (%d)", at, sites[at]))
			if r.Share > 0 {
				parts[len(parts)-1] = fmt.Sprintf("%s (%.1f %%)", at, 100*bytes[at])
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("What stays is kept at %s.\n", strings.Join(parts, ", "))
}

// rest returns sentences on what the profile has on lines without sites, in functions without an
// arena, and below calls without one, or "".
func (r *Result) rest() string {
	return most(r.elsewhere, "%.0f %% are allocated on lines without sites: by %s.\n") +
		most(r.unreached, "%.0f %% are allocated in functions that no way reaches: %s.\n") +
		most(r.former, "%.0f %% are allocated below calls without an arena, some of them on lines without sites: %s.\n")
}

// most returns a sentence on the largest parts of something, or "".
func most(of map[string]float64, sentence string) string {
	all, parts := 0.0, []string{}
	for _, name := range slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	}) {
		if all += of[name]; of[name] >= 0.02 && len(parts) < 4 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", name, 100*of[name]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(sentence, 100*all, strings.Join(parts, ", "))
}

// Write writes the files.
func (r *Result) Write() error {
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		mode := os.FileMode(0o666)
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode()
		}
		if err := os.WriteFile(name, r.Files[name], mode); err != nil {
			return fmt.Errorf("arena fix: %w; were these sources copied out of the module cache?", err)
		}
	}
	return nil
}

// check builds what was written. If that fails the files are as before.
func (r *Result) check(ctx context.Context, o Options) error {
	_, err := command(ctx, cmp.Or(o.Dir, "."), "go", append([]string{"build", "-o", os.DevNull}, o.patterns()...)...)
	if err == nil {
		return nil
	}
	for name := range r.Files {
		old, ok := r.Old[name]
		if !ok {
			err = errors.Join(err, os.Remove(name))
			continue
		}
		err = errors.Join(err, os.WriteFile(name, old, 0o666))
	}
	return fmt.Errorf("arena fix: the result does not build, and the files are as they were; please report it, with the source: %w", err)
}

// Diff returns what changes, as a diff.
func (r *Result) Diff() []byte {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		shown := name
		if wd, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(wd, name); err == nil {
				shown = filepath.ToSlash(rel)
			}
		}
		out.Write(diff.Diff("a/"+shown, r.Old[name], "b/"+shown, r.Files[name]))
	}
	return out.Bytes()
}

// WriteReport writes what moves, and what does not and why.
func (r *Result) WriteReport(w io.Writer, sites bool) error {
	var out bytes.Buffer
	if sites {
		t := tables.New(&out, table.Row{"at", "what", "in", "stays, because it is"})
		for _, s := range r.Sites {
			t.AppendRow(table.Row{fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line), s.Kind, s.Function, strings.TrimSpace(s.Why + " " + s.At)})
		}
		t.Render()
		out.WriteByte('\n')
	}
	type line struct{ kind, why string }
	counts, shares := map[line]int{}, map[line]float64{}
	all := 0.0
	for _, s := range r.Sites {
		counts[line{s.Kind, s.Why}]++
		shares[line{s.Kind, s.Why}] += s.Bytes
		all += s.Bytes
	}
	fmt.Fprintln(&out, r.verdict())
	out.WriteString(r.more())
	if !r.Nothing() {
		fmt.Fprintf(&out, "With an arena: %s\n", strings.Join(r.Roots, ", "))
	}
	if len(r.Carriers) > 0 {
		fmt.Fprintf(&out, "With a field for it: %s\n", strings.Join(r.Carriers, ", "))
	}
	if len(r.Out) > 0 {
		fmt.Fprintf(&out, "Left out, because it does not compile: %s\n", strings.Join(r.Out, ", "))
	}
	if len(r.Generated) > 0 && (r.Share == 0 || r.generated >= 0.01) {
		var names []string
		for _, name := range r.Generated {
			names = append(names, filepath.Base(name))
		}
		part := ""
		if r.generated >= 0.01 {
			part = fmt.Sprintf(", which allocate %.0f %% of the bytes", 100*r.generated)
		}
		fmt.Fprintf(&out, "Unchanged, because a program has made them%s (try -generated): %s\n", part, strings.Join(names, ", "))
	}
	out.WriteByte('\n')
	r.scopeTable(&out)
	head := table.Row{"sites", "what", "stays, because it is"}
	if all > 0 {
		head = append(head, "of the bytes")
	}
	t := tables.New(&out, head)
	few := 0
	for _, l := range slices.SortedFunc(maps.Keys(counts), func(a, b line) int {
		return cmp.Or(cmp.Compare(min(len(a.why), 1), min(len(b.why), 1)), cmp.Compare(shares[b], shares[a]), cmp.Compare(counts[b], counts[a]), cmp.Compare(a.kind, b.kind), cmp.Compare(a.why, b.why))
	}) {
		moves := "— it moves"
		if l.kind == kindCarrier {
			moves = "on the heap, with the arena"
		}
		row := table.Row{counts[l], l.kind, cmp.Or(l.why, moves)}
		if all > 0 {
			if l.why != "" && shares[l] < 0.0005 {
				few += counts[l]
				continue
			}
			row = append(row, fmt.Sprintf("%.1f %%", 100*shares[l]))
		}
		t.AppendRow(row)
	}
	if few > 0 {
		t.AppendRow(table.Row{few, "others", "", "0.0 %"})
	}
	t.Render()
	out.WriteString(r.keepers())
	out.WriteString(r.rest())
	_, err := w.Write(out.Bytes())
	return err
}
