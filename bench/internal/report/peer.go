package report

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A peer is an implementation as the plots show it.
type peer struct {
	name    string
	kind    string // Ours, base or other.
	style   int    // Which colour, dashes and marker, the same in all plots.
	unsound bool
	failed  string
}

const (
	markers = 6
	dashes  = 4
	colours = 3
)

// Ours says whether an implementation is one of this module. The experiment of the standard library
// is not, though its name begins in the same way.
func ours(name string) bool {
	if strings.HasPrefix(name, "arenas") {
		return false
	}
	for _, p := range []string{"arena", "slab", "group", "middleware", "ref", "Ref"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// styles gives each implementation of a run one of its own.
func styles(run *suite.Run) map[string]int {
	m := map[string]int{}
	next := map[bool]int{}
	for _, w := range run.Workloads {
		for _, c := range w.Cells {
			if _, ok := m[c.Implementation]; !ok {
				of := ours(c.Implementation)
				m[c.Implementation] = next[of]
				next[of]++
			}
		}
	}
	return m
}

func newPeer(m *suite.Measured, c *suite.Cell, styles map[string]int) peer {
	p := peer{c.Implementation, "other", styles[c.Implementation], c.Unsound, c.Failed}
	switch {
	case c == &m.Cells[0]:
		p.kind = "base"
	case ours(c.Implementation):
		p.kind = "ours"
	}
	return p
}

// warning is what follows the name of an unsound one.
func (p *peer) warning() string {
	if p.unsound {
		return " ⚠"
	}
	return ""
}

func (p *peer) label() string { return p.name + p.warning() }

func (p *peer) meaning() string {
	if p.unsound {
		return " – unsound: it may lose what its values refer to"
	}
	return ""
}

// bad is shown instead of a number.
func (p *peer) bad() string {
	if p.failed != "" {
		return "failed"
	}
	return ""
}

func (p *peer) class() string {
	s := fmt.Sprintf("%s o%d", p.kind, p.style%colours)
	if p.unsound {
		s += " unsound"
	}
	return s
}

// rank says who is drawn over whom.
func (p *peer) rank() int {
	switch p.kind {
	case "ours":
		return 2
	case "base":
		return 1
	}
	return 0
}
