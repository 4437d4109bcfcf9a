package fix

import (
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/escape"
)

// escapes are what the compiler says goes to the heap, by place.
type escapes map[place]string

type place struct {
	file         string
	line, column int
}

// escaping asks the compiler what goes to the heap in packages.
func escaping(dir string, patterns []string) (escapes, error) {
	lines, err := escape.Lines(context.Background(), dir, patterns)
	if err != nil {
		return nil, fmt.Errorf("arena fix: %w", err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("arena fix: %w", err)
	}
	all := escapes{}
	for _, l := range lines {
		if !filepath.IsAbs(l.File) {
			l.File = filepath.Join(abs, l.File)
		}
		all[place{l.File, l.Line, l.Column}] = l.Text
	}
	return all, nil
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
