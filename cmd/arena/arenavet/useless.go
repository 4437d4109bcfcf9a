package arenavet

import "golang.org/x/tools/go/analysis"

// useless finds what an arena brings nothing for.
func (c *checker) useless() {}

func (c *checker) fixes(d *finding) []analysis.SuggestedFix { return nil }
