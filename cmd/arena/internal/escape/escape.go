// Package escape asks the compiler what goes to the heap.
package escape

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Line is what the compiler says of a place: that an expression escapes to the heap, that a
// variable is moved there, or that it inlines a call.
type Line struct {
	File         string // as the compiler prints it: of packages in the module, relative to the directory
	Line, Column int
	Text         string // "&T{} escapes to heap", "moved to heap: x", or the name of a function that is inlined
	Named        Named  // what a line directive calls the place; without one it is File and Line
}

// Named is a line of a file, as a profile has it.
type Named struct {
	File string
	Line int
}

// With -L the compiler prints both for a place behind a line directive:
// "sql.y:2757[/src/sql.go:3012:7]: ". The first one may lack the column.
var pattern = regexp.MustCompile(`^(?:(.+):(\d+)(?::\d+)?\[)?(.+\.go):(\d+):(\d+)\]?: (?:(.* escapes to heap:?|moved to heap: .*)|inlining call to (.*))$`)

// remark matches what the compiler says with -m, and is no error.
var remark = regexp.MustCompile(`: (can inline |inlining call to |devirtualizing |leaking param|moved to heap: |.* (escapes to heap:?|does not escape|ignoring self-assignment in .*)$)|^$`)

// Lines compiles packages in dir, which may be empty, and returns what the compiler says about
// them: what goes to the heap, and which calls it inlines. What an inlined function makes is at the
// call. The packages are not linked: a program among them need not have all that it calls.
//
// Of a generic function the compiler speaks only where it is instantiated. With tests, the tests of
// the packages are compiled as well, and what does not compile is left out.
func Lines(ctx context.Context, dir string, tests bool, patterns []string) (heap, inlined []Line, err error) {
	args := []string{"list", "-export", "-f", "", "-gcflags=-m -L"}
	if tests {
		args = append(args, "-test", "-e")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		said := slices.DeleteFunc(strings.Split(string(out), "\n"), remark.MatchString)
		var errs []string // without packages of which nothing is left
		for i, line := range said {
			if !strings.HasPrefix(line, "# ") || i+1 < len(said) && !strings.HasPrefix(said[i+1], "# ") {
				errs = append(errs, line)
			}
		}
		return nil, nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, strings.Join(errs, "\n"))
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := pattern.FindStringSubmatch(lines.Text()); m != nil {
			line, _ := strconv.Atoi(m[4])
			column, _ := strconv.Atoi(m[5])
			named := Named{m[3], line}
			if m[1] != "" {
				named.File = m[1]
				named.Line, _ = strconv.Atoi(m[2])
			}
			if m[6] != "" {
				heap = append(heap, Line{m[3], line, column, m[6], named})
			} else {
				inlined = append(inlined, Line{m[3], line, column, m[7], named})
			}
		}
	}
	return heap, inlined, lines.Err()
}
