package build

import "fmt"

// A gate is shut while a builder does what takes several steps: appends, or makes an array. A panic
// may end that in between: of a limit of the arena, or of a value that the builder refuses. Then a
// part of a row is missing, so the gate stays shut until Release, and the builder does not go on.
type gate struct {
	life *life
	used bool // There are values, or room for some.
	shut bool
}

const (
	cut   = "build: a panic, such as that of a limit, has ended an append, and a part of a row is missing; call Release, and append the rows again"
	stale = "build: the arena was Reset, or rewound, while a builder had values that are in no array, and they are gone; call Release, and append the rows again"
)

// enter shuts the gate. It panics if it is shut.
func (g *gate) enter() {
	if g.shut {
		panic(cut)
	}
	g.use()
	g.shut = true
}

// use comes before the first memory.
func (g *gate) use() {
	if !g.used {
		g.life.use()
		g.used = true
	}
}

// enterValues is enter for AppendValues. It panics unless there are as many bools as values, or
// none.
func (g *gate) enterValues(values, valid int) {
	g.enter()
	if valid != 0 && valid != values {
		panic(fmt.Sprintf("build: AppendValues of %d values with %d bools; want as many bools as values, or none", values, valid))
	}
}

func (g *gate) leave() { g.shut = false }

// empty opens the gate of a builder without values.
func (g *gate) empty() { g.used, g.shut = false, false }

// broken returns why the builder does not go on, or "".
func (g *gate) broken() string {
	switch {
	case g.life.lost:
		return stale
	case g.shut:
		return cut
	}
	return ""
}

// refuse panics with why a value cannot be appended, and leaves the gate shut.
func (g *gate) refuse(why string) {
	g.shut = true
	panic(why)
}

// anyBroken returns why one of the builders, or one below them, does not go on, or "".
func anyBroken(all []Builder) string {
	for _, b := range all {
		if why := b.broken(); why != "" {
			return why
		}
	}
	return ""
}

// checkOpen panics if the builder, or one below it, does not go on.
func checkOpen(b Builder) {
	if why := b.broken(); why != "" {
		panic(why)
	}
}
