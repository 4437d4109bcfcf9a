package main

import (
	"fmt"
	"os"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// progress says on the standard error how far a run is: in one line of a terminal, or elsewhere in
// a line for each workload and round.
type progress struct {
	terminal     bool
	begin, began time.Time // Of the run, and of the cell that is measured.
	done, all    int       // Cells.
	took         map[*suite.Cell]time.Duration
	current      *suite.Cell
	left         map[*suite.Cell]int // How often a cell is still to be measured.
	plan         *plan
	round        int
}

func newProgress(plans []*plan, rounds int) *progress {
	p := &progress{begin: time.Now(), took: map[*suite.Cell]time.Duration{}, left: map[*suite.Cell]int{}}
	if info, err := os.Stderr.Stat(); err == nil {
		p.terminal = info.Mode()&os.ModeCharDevice != 0
	}
	for _, plan := range plans {
		n := plan.rounds(rounds)
		for k := range plan.Cells {
			p.left[&plan.Cells[k]] = n
			p.all += n
		}
	}
	return p
}

// next says that a cell is measured now.
func (p *progress) next(plan *plan, c *suite.Cell, round int) {
	now := time.Now()
	if p.current != nil {
		p.took[p.current] = now.Sub(p.began)
	}
	p.current, p.began = c, now
	text := fmt.Sprintf("round %d, %s, n = %d", round+1, plan.Name, plan.N)
	switch {
	case p.terminal:
		p.say(text + ": " + c.Implementation)
	case p.plan != plan || p.round != round:
		p.say(text)
	}
	p.plan, p.round = plan, round
	p.left[c]--
	p.done++
}

// say prints what is done now, how far that is, and how long it may still take.
func (p *progress) say(text string) {
	line := fmt.Sprintf("%3d%% %s", 100*p.done/max(p.all, 1), text)
	if left := p.remaining(); left > 0 {
		line += fmt.Sprintf(" (%v left)", left.Round(time.Second))
	}
	if p.terminal {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%.100s", line)
	} else {
		fmt.Fprintln(os.Stderr, line)
	}
}

// remaining returns what all cells that are left will take, if each takes what it took, and those
// that were not measured what others took.
func (p *progress) remaining() (sum time.Duration) {
	unknown, known := 0, time.Duration(0)
	for c, n := range p.left {
		took, ok := p.took[c]
		known += took
		if !ok {
			unknown += n
		}
		sum += time.Duration(n) * took
	}
	if len(p.took) > 0 {
		sum += time.Duration(unknown) * known / time.Duration(len(p.took))
	}
	return sum
}

// end clears the line.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	fmt.Fprintf(os.Stderr, "measured %d cells in %v\n", p.done, time.Since(p.begin).Round(time.Second))
}
