// Suite runs the tests and benchmarks of arrow-go with the allocator of this module instead of
// arrow-go's own.
//
//	go run ./arenaarrow/internal/suite [-debug] [-measure counts] [-benchtime time] [-dir directory] [package ...]
//
// It copies the version of arrow-go that arenaarrow requires, lets GoAllocator in the copy delegate
// to one arenaarrow.Allocator for the whole process, builds each package's tests once, and runs
// them twice: on the heap as arrow-go has it, then on the allocator. A test that comes to another
// end the second time is a failure, and so is a process that crashes or hangs. Tests that fail both
// times, most of them for want of files that are not part of the module, are counted and named.
//
// Tests known to use memory after they released it are run separately, see cases.go. With -debug
// the allocator looks for such use, and each of them must be found.
//
// Then it runs each benchmark once in both settings, and compares how they end. With -debug it does
// not, because blocks cost microseconds, and benchmarks allocate many.
//
// With -measure it runs no tests, but the benchmarks this number of times in both settings, in
// turns. It prints the geometric means of the ratios of medians, of the benchmarks that allocate
// blocks and of the others. It also prints which benchmarks with blocks are slower with the
// allocator.
//
// The packages are directories of arrow-go, such as arrow/array; without any, all packages in
// cases.go that accept an allocator.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"
)

// timeout is for one run of one package's tests.
const timeout = 15 * time.Minute

func main() {
	debug := flag.Bool("debug", false, "let the allocator look for mistakes")
	counts := flag.Int("measure", 0, "measure the benchmarks so many `times` in both settings, and run no tests")
	benchtime := flag.String("benchtime", "10ms", "measure each for so long, as `time` or as 20x")
	dir := flag.String("dir", "", "work in this `directory`, leave everything there, and use what is there (default a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := suite{setting: "arena", counts: *counts, benchtime: *benchtime, packages: flag.Args()}
	if *debug {
		s.setting = "debug"
	}
	if len(s.packages) == 0 {
		s.packages = packages
	}
	ok, err := s.runIn(ctx, *dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// A suite is one run of this program.
type suite struct {
	setting  string
	packages []string
	src      source

	counts    int // of measurements; 0 for tests
	benchtime string
	rows      []*row

	passed, differ int
	failed         []string // a line for each package that has some
	known          []string // a line for each known case
	bad            []string // packages with a difference, or without tests that can be run
	building       time.Duration
}

// runIn runs all in a directory, or in a temporary one, and says whether nothing is amiss.
func (s *suite) runIn(ctx context.Context, dir string) (ok bool, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "arenaarrow-suite-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	}
	start := time.Now()
	if s.src, err = newSource(ctx, dir); err != nil {
		return false, err
	}
	fmt.Printf("arrow-go %s, setting %s\n", s.src.version, s.setting)

	// One package is built while another is tested, which keeps two processors busy.
	type binary struct {
		pkg, name string
		took      time.Duration
		err       error
	}
	binaries := make(chan binary, len(s.packages))
	go func() {
		defer close(binaries)
		for _, pkg := range s.packages {
			start := time.Now()
			name, err := s.src.build(ctx, pkg)
			binaries <- binary{pkg, name, time.Since(start), err}
		}
	}()
	for b := range binaries {
		s.building += b.took
		if b.err == nil && s.counts > 0 {
			b.err = s.measure(ctx, b.pkg, b.name)
		} else if b.err == nil {
			b.err = s.pkg(ctx, b.pkg, b.name, b.took)
		}
		if b.err != nil {
			fmt.Printf("FAIL %-30s %v\n", b.pkg, b.err)
			s.bad = append(s.bad, b.pkg)
		}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if s.counts > 0 {
		fmt.Print(explainRows(s.rows))
		return len(s.bad) == 0, nil
	}
	for _, line := range s.known {
		fmt.Println(line)
	}
	if len(s.failed) > 0 {
		fmt.Println("fail with both:", strings.Join(s.failed, "; "))
	}
	fmt.Printf("%d packages, %d tests passed, %d differ, %s, of which building %s\n", len(s.packages), s.passed, s.differ, seconds(time.Since(start)), seconds(s.building))
	if len(s.bad) > 0 {
		fmt.Println("FAIL", strings.Join(s.bad, " "))
	}
	return len(s.bad) == 0, nil
}

// pkg runs the tests and the benchmarks of one package in both settings.
func (s *suite) pkg(ctx context.Context, pkg, binary string, building time.Duration) error {
	fmt.Printf("     %-30s built in %s\n", pkg, seconds(building))
	base, err := s.run(ctx, pkg, binary, "tests", nil, nil)
	if err != nil {
		return err
	}
	if len(base.tests) == 0 {
		return errors.New("has no tests")
	}
	if s.setting == "debug" {
		return nil
	}
	_, err = s.run(ctx, pkg, binary, "benchmarks", []string{"-test.run=^$", "-test.bench=.", "-test.benchtime=1x"}, slowOf(pkg))
	return err
}

// run runs the tests or benchmarks that the arguments choose in both settings, without those to
// skip, and returns the first result.
func (s *suite) run(ctx context.Context, pkg, binary, what string, args, skip []string) (base result, err error) {
	start := time.Now()
	base, skip, err = s.baseline(ctx, pkg, binary, args, skip)
	if err != nil || len(base.tests) == 0 {
		return base, err
	}
	heap := time.Since(start)

	start = time.Now()
	for _, k := range known {
		if k.pkg != pkg || base.tests[k.test] == "" && len(args) > 0 {
			continue
		}
		res, err := s.src.test(ctx, pkg, binary, s.setting, only(args, k.test)...)
		if err != nil {
			return base, err
		}
		s.judge(pkg, k.test, k.why, base, res)
		skip = append(skip, k.test)
	}
	other, err := s.src.test(ctx, pkg, binary, s.setting, append(slices.Clone(args), "-test.skip="+pattern(skip...))...)
	if err != nil {
		return base, err
	}
	arena := time.Since(start)

	c := compare(base, other, func(name string) bool { return isKnown(pkg, name) })
	s.passed += c.passed
	s.differ += len(c.differ)
	if len(c.failed) > 0 {
		s.failed = append(s.failed, pkg+" "+strings.Join(tops(c.failed), " "))
	}
	verdict := "ok  "
	if len(c.differ) > 0 || other.ended != "" {
		verdict = "FAIL"
		s.bad = append(s.bad, pkg)
	}
	fmt.Printf("%s %-30s %5d %s passed, %d fail with both, %d differ, %s (heap %s, %s %s)\n", verdict, pkg, c.passed, what, len(c.failed), len(c.differ),
		seconds(heap+arena), seconds(heap), s.setting, seconds(arena))
	s.explain(other, c.differ)
	return base, nil
}

// only returns the arguments that choose one test, or one benchmark if the arguments choose some.
func only(args []string, name string) []string {
	if len(args) == 0 {
		return []string{"-test.run=" + pattern(name)}
	}
	return append(slices.Clone(args), "-test.bench="+pattern(name))
}

// baseline runs tests or benchmarks of a package on the heap, without those to skip. Those that end
// the process, as some do that miss their files, count as failed; they are returned with those to
// skip, and the others run without them.
func (s *suite) baseline(ctx context.Context, pkg, binary string, args, skip []string) (base result, without []string, err error) {
	var broken []string
	for {
		without = append(slices.Clone(skip), broken...)
		if base, err = s.src.test(ctx, pkg, binary, "heap", append(slices.Clone(args), "-test.skip="+pattern(without...))...); err != nil {
			return base, nil, err
		}
		if base.ended == "" {
			break
		}
		if base.last == "" || slices.Contains(broken, base.last) || ctx.Err() != nil {
			return base, nil, fmt.Errorf("on the heap: %s\n%s", base.ended, indent(base.head("", 30)))
		}
		broken = append(broken, base.last)
	}
	for _, name := range broken {
		base.tests[name] = "fail"
	}
	return base, without, nil
}

// explain prints how the second run ended early, and the first of the tests that differ.
func (s *suite) explain(other result, differ []string) {
	if other.ended != "" {
		fmt.Printf("     %s in %s\n%s\n", other.ended, other.last, indent(other.head(other.last, 40)))
	}
	differ = leaves(differ)
	for i, name := range differ {
		if i == 20 {
			fmt.Printf("     and %d more\n", len(differ)-i)
			break
		}
		state := other.tests[name]
		if state == "" {
			state = "not run"
		}
		fmt.Printf("     %s: %s\n", name, state)
		if i < 3 {
			fmt.Println(indent(other.head(name, 15)))
		}
	}
}

// judge notes what became of a known case. It is bad if the case is none, or was not found with
// debug.
func (s *suite) judge(pkg, test, why string, base, res result) {
	failed := leaves(res.with("fail"))
	var verdict string
	switch {
	case base.tests[test] != "pass":
		verdict = "FAIL: does not pass on the heap"
	case res.ended != "":
		verdict = "ends the process, " + res.ended
	case len(failed) > 0:
		verdict = fmt.Sprintf("fails in %d of %d", len(failed), len(leaves(res.with("fail", "pass"))))
	case res.tests[test] != "pass":
		verdict = "FAIL: was not run"
	case s.setting == "debug":
		verdict = "FAIL: was not found"
	default:
		verdict = "passes"
	}
	if strings.HasPrefix(verdict, "FAIL") {
		s.bad = append(s.bad, pkg)
	}
	s.known = append(s.known, fmt.Sprintf("known: %s %s %s: %s", pkg, test, why, verdict))
}

// isKnown reports whether the test is a known case or a part of one.
func isKnown(pkg, test string) bool {
	for _, k := range known {
		if k.pkg == pkg && (test == k.test || strings.HasPrefix(test, k.test+"/")) {
			return true
		}
	}
	return false
}

// pattern returns what the flags run and skip of a test binary take for some tests.
func pattern(tests ...string) string {
	patterns := make([]string, len(tests))
	for i, test := range tests {
		parts := strings.Split(test, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		patterns[i] = strings.Join(parts, "/")
	}
	return strings.Join(patterns, "|")
}

func indent(s string) string { return "\t" + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n\t") }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
