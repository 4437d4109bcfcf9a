package fix

import (
	"bufio"
	"bytes"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// escapes are what the compiler says goes to the heap, by place.
type escapes map[place]string

type place struct {
	file         string
	line, column int
}

var escapeLine = regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (.*?)( escapes to heap:?|)$`)

// escaping asks the compiler what goes to the heap in packages.
func escaping(dir string, patterns []string) (escapes, error) {
	cmd := exec.Command("go", append([]string{"build", "-o", os.DevNull, "-gcflags=-m"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("arena fix: %s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(out))
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("arena fix: %w", err)
	}
	all := escapes{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := escapeLine.FindStringSubmatch(lines.Text())
		if m == nil || m[5] == "" && !strings.HasPrefix(m[4], "moved to heap: ") {
			continue
		}
		name := m[1]
		if !filepath.IsAbs(name) {
			name = filepath.Join(abs, name)
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		all[place{name, line, column}] = m[4]
	}
	return all, lines.Err()
}

// at returns what the compiler says goes to the heap at a place of the sources.
func (p *program) at(pos token.Pos) (what string, ok bool) {
	q := p.fset.Position(pos)
	what, ok = p.heap[place{q.Filename, q.Line, q.Column}]
	return what, ok
}

// within is at for an expression whose place the compiler takes from its operand: it looks for what begins with one of these, on the line.
func (p *program) within(from, to token.Pos, prefixes ...string) bool {
	a, b := p.fset.Position(from), p.fset.Position(to)
	if a.Line != b.Line {
		return false
	}
	for column := a.Column; column < b.Column; column++ {
		what, ok := p.heap[place{a.Filename, a.Line, column}]
		for _, prefix := range prefixes {
			if ok && strings.HasPrefix(what, prefix) {
				return true
			}
		}
	}
	return false
}
