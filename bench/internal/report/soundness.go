package report

import (
	"slices"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A matrix has a row for each implementation, and in it the outcomes of each test.
type matrix struct {
	Tests []string
	Rows  []verdicts
}

type verdicts struct {
	Implementation string
	Sound          bool // In all tests.
	Outcomes       [][]suite.Verdict
}

func newMatrix(all []suite.Verdict) (m matrix) {
	for _, v := range all {
		if !slices.Contains(m.Tests, v.Test) {
			m.Tests = append(m.Tests, v.Test)
		}
	}
	for _, v := range all {
		i := slices.IndexFunc(m.Rows, func(r verdicts) bool { return r.Implementation == v.Implementation })
		if i < 0 {
			i = len(m.Rows)
			m.Rows = append(m.Rows, verdicts{v.Implementation, true, make([][]suite.Verdict, len(m.Tests))})
		}
		r := &m.Rows[i]
		k := slices.Index(m.Tests, v.Test)
		r.Outcomes[k] = append(r.Outcomes[k], v)
		r.Sound = r.Sound && v.Sound
	}
	return m
}
