// Package escape asks the compiler what goes to the heap.
package escape

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// A Line is what the compiler says of a place: that an expression escapes to the heap, or that a variable is moved there.
type Line struct {
	File         string // as the compiler prints it: of packages in the module, relative to the directory
	Line, Column int
	Text         string // "&T{} escapes to heap", "moved to heap: x"
}

var pattern = regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (.* escapes to heap:?|moved to heap: .*)$`)

// Lines builds packages in dir, which may be empty, and returns what the compiler says about them.
func Lines(ctx context.Context, dir string, patterns []string) (all []Line, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", os.DevNull, "-gcflags=-m"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(out))
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := pattern.FindStringSubmatch(lines.Text()); m != nil {
			line, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			all = append(all, Line{m[1], line, column, m[4]})
		}
	}
	return all, lines.Err()
}
