package arenavet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A fix is a change of the source that mends a finding.
type fix struct {
	message string
	edits   []edit
}

type edit struct {
	pos, end token.Pos
	text     string
}

func (c *checker) fixEscape(d *finding, at ssa.Instruction, l loc) {}
func (c *checker) fixReturn(d *finding, ret *ssa.Return, n int)    {}
func (c *checker) fixLost(d *finding, made ssa.Instruction)        {}
