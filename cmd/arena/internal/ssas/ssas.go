// Package ssas has what the analyses of this module ask of functions in SSA form.
package ssas

import (
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"
)

// Instrs yields the instructions of a function. It yields none for nil, which is the parent of what
// nobody has written, such as the function of a method value.
func Instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		if fn == nil {
			return
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// Operands yields the operands of an instruction of one type, such as functions and global
// variables.
func Operands[V ssa.Value](i ssa.Instruction) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, op := range i.Operands(nil) {
			if v, ok := (*op).(V); ok && !yield(v) {
				return
			}
		}
	}
}

// Declared returns the function that one of SSA was declared as, without type arguments, or nil.
func Declared(fn *ssa.Function) *types.Func {
	if fn == nil {
		return nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.Origin()
	}
	return nil
}

// Callee returns the function that a call calls, or the method of an interface, as it was declared.
// It is nil for a function value.
func Callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	return Declared(c.StaticCallee())
}

// Boxed returns what an instruction makes the value of an interface, or nil. In SSA form, a value
// of a type parameter without constraints only changes its type there.
func Boxed(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.MakeInterface:
		return i.X
	case *ssa.ChangeType:
		if IsTypeParam(i.X.Type()) && !IsTypeParam(i.Type()) && types.IsInterface(i.Type()) {
			return i.X
		}
	}
	return nil
}

// IsTypeParam tells whether a type is a type parameter.
func IsTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// IsString reports whether values of a type are text.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// PosOf returns a place for an instruction, also if it has none of its own.
func PosOf(at ssa.Instruction) token.Pos {
	if at == nil {
		return token.NoPos
	}
	if at.Pos().IsValid() {
		return at.Pos()
	}
	if _, ok := at.(*ssa.Return); ok && at.Parent().Syntax() != nil {
		return at.Parent().Syntax().End() - 1 // the brace at the end of the function
	}
	if call, ok := at.(*ssa.Call); ok && len(call.Call.Args) == 1 {
		// A loop over a sequence has a function literal for its body.
		if body, ok := call.Call.Args[0].(*ssa.MakeClosure); ok && body.Fn.Pos().IsValid() {
			return body.Fn.Pos()
		}
	}
	for _, op := range at.Operands(nil) {
		if *op != nil && (*op).Pos().IsValid() && (*op).Parent() == at.Parent() {
			return (*op).Pos()
		}
	}
	if at.Block() != nil {
		for _, i := range at.Block().Instrs {
			if i.Pos().IsValid() {
				return i.Pos()
			}
		}
	}
	return at.Parent().Pos()
}
