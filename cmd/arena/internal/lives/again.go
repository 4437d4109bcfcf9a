package lives

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An answered is a Rewriting that was followed. Another one with the same answers has the same
// result.
type answered struct {
	roots, callers []*types.Func
	same           []func(r *Rewriting) bool
	result         Followed
	ok             bool
}

// is tells whether a Rewriting gives the answers that this one gave when it was asked.
func (f *answered) is(r *Rewriting) bool {
	return slices.Equal(f.roots, r.Roots) && slices.Equal(f.callers, r.Callers) && !slices.ContainsFunc(f.same, func(same func(*Rewriting) bool) bool { return !same(r) })
}

// noted returns a Rewriting that answers what r does, and has f note the answers.
func (f *answered) noted(r Rewriting) Rewriting {
	f.roots, f.callers = slices.Clone(r.Roots), slices.Clone(r.Callers)
	same := func(x, y bool) bool { return x == y }
	type call struct {
		recv types.Type
		m    *types.Func
	}
	type kept struct{ slice, elements bool }
	methods := noting(f, func(r *Rewriting) func(call) []*types.Func {
		return func(c call) []*types.Func { return r.Methods(c.recv, c.m) }
	}, &r, slices.Equal[[]*types.Func])
	reused := noting(f, func(r *Rewriting) func(*types.Var) kept {
		return func(v *types.Var) (k kept) {
			k.slice, k.elements = r.Reused(v)
			return k
		}
	}, &r, func(x, y kept) bool { return x == y })
	return Rewriting{
		Roots: r.Roots, Callers: r.Callers,
		Mine:       noting(f, func(r *Rewriting) func(*types.Package) bool { return r.Mine }, &r, same),
		Makes:      noting(f, func(r *Rewriting) func(ssa.Instruction) bool { return r.Makes }, &r, same),
		Dispatched: noting(f, func(r *Rewriting) func(ssa.CallInstruction) bool { return r.Dispatched }, &r, same),
		Methods:    func(recv types.Type, m *types.Func) []*types.Func { return methods(call{recv, m}) },
		Pooled:     noting(f, func(r *Rewriting) func(ssa.CallInstruction) types.Type { return r.Pooled }, &r, identical),
		Carried:    noting(f, func(r *Rewriting) func(*ssa.Function) bool { return r.Carried }, &r, same),
		Former:     noting(f, func(r *Rewriting) func(ssa.CallInstruction) bool { return r.Former }, &r, same),
		Guarded:    noting(f, func(r *Rewriting) func(types.Type) bool { return r.Guarded }, &r, same),
		Reused: func(v *types.Var) (slice, elements bool) {
			k := reused(v)
			return k.slice, k.elements
		},
		Older: noting(f, func(r *Rewriting) func(*types.Var) bool { return r.Older }, &r, same),
	}
}

// noting returns one of the functions of r, which f notes the answers of.
func noting[K comparable, V any](f *answered, of func(*Rewriting) func(K) V, r *Rewriting, equal func(x, y V) bool) func(K) V {
	known, ask := map[K]V{}, of(r)
	f.same = append(f.same, func(r *Rewriting) bool {
		ask := of(r)
		for k, v := range known {
			if !equal(ask(k), v) {
				return false
			}
		}
		return true
	})
	return func(k K) V {
		v, ok := known[k]
		if !ok {
			v = ask(k)
			known[k] = v
		}
		return v
	}
}

// identical is types.Identical of types that may be nil.
func identical(x, y types.Type) bool {
	return x == nil && y == nil || x != nil && y != nil && types.Identical(x, y)
}
