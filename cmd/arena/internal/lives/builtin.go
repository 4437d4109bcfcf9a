package lives

import (
	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// builtin does what a built-in function does.
func (a *analysis) builtin(in *instance, c ssa.CallInstruction, name string) {
	args, v := c.Common().Args, c.Value()
	switch name {
	case "append":
		if v == nil {
			return
		}
		a.copy(in, v, args[0])
		id, _ := a.object(in, c, 0, elem(v.Type()))
		l := a.types.of(v.Type())[0]
		a.add(a.value(in, v, 0, l), id)
		if ssas.IsString(args[1].Type()) {
			return
		}
		for _, e := range a.types.of(elem(v.Type())) {
			what := &set{}
			for _, x := range args {
				a.look(what, a.all(a.operand(in, x)), e)
			}
			a.store(a.value(in, v, 0, l), e, what, c)
		}
	case "copy":
		if ssas.IsString(args[1].Type()) {
			return
		}
		for _, e := range a.types.of(elem(args[0].Type())) {
			what := &set{}
			a.look(what, a.all(a.operand(in, args[1])), e)
			a.store(a.all(a.operand(in, args[0])), e, what, c)
		}
	case "recover":
		if v != nil {
			a.add(a.value(in, v, 0, leafAny), old)
			a.union(a.value(in, v, 0, leafAny), &a.panics)
		}
	case "len", "cap", "delete", "clear", "close", "print", "println", "real", "imag", "complex":
	default: // of package unsafe, min, max, ssa:wrapnilchk
		if v == nil {
			return
		}
		for _, x := range args {
			a.copy(in, v, x)
		}
	}
}
