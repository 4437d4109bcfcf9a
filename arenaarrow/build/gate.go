package build

import "fmt"

// A gate is shut while a builder does what takes several steps: appends, or makes an array. A panic may end that in between: of a limit of the
// arena, or of a value that the builder refuses. Then a part of a row is missing, so the gate stays shut until Release, and the builder does not go on.
type gate struct{ shut bool }

const cut = "build: a panic, such as that of a limit, has ended an append, and a part of a row is missing; call Release, and append the rows again"

// enter shuts the gate. It panics if it is shut.
func (g *gate) enter() {
	if g.shut {
		panic(cut)
	}
	g.shut = true
}

// enterValues is enter for AppendValues. It panics unless there are as many bools as values, or none.
func (g *gate) enterValues(values, valid int) {
	g.enter()
	if valid != 0 && valid != values {
		panic(fmt.Sprintf("build: AppendValues of %d values with %d bools; want as many bools as values, or none", values, valid))
	}
}

func (g *gate) leave() { g.shut = false }

func (g *gate) isShut() bool { return g.shut }

// refuse panics with why a value cannot be appended, and leaves the gate shut.
func (g *gate) refuse(why string) {
	g.shut = true
	panic(why)
}

// anyShut tells whether one of the builders, or one below them, is shut.
func anyShut(all []Builder) bool {
	for _, b := range all {
		if b.isShut() {
			return true
		}
	}
	return false
}

// checkOpen panics if the builder, or one below it, is shut.
func checkOpen(b Builder) {
	if b.isShut() {
		panic(cut)
	}
}
