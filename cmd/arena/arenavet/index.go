package arenavet

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// sameIndex numbers the elements of arrays and slices of arenas that the function only reads, and
// not in a loop. Elements with one number are the same: the index does not change in between.
func (f *flow) sameIndex(v *ssa.IndexAddr) (n int, ok bool) {
	if !handle(elementType(v.Type())) || f.repeats(v) {
		return 0, false
	}
	for i := range ssas.Instrs(f.fn) {
		w, ok := i.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		n++
		if w == v || f.sameValue(w.X, v.X, w, v) && f.sameValue(w.Index, v.Index, w, v) {
			return n, !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool { _, load := i.(*ssa.UnOp); return !load })
		}
	}
	return 0, false
}

// sameValue reports whether two values are computed in the same way from constants, from values
// that are computed once, and from fields that nothing changes between two instructions.
func (f *flow) sameValue(a, b ssa.Value, from, to ssa.Instruction) bool {
	if sameKey(a, b) {
		return true
	}
	switch a := a.(type) {
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && a.Op == b.Op && f.sameValue(a.X, b.X, from, to) && f.sameValue(a.Y, b.Y, from, to)
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && f.sameValue(a.X, b.X, from, to)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == token.MUL && b.Op == token.MUL && fieldOf(a.X) != nil && f.sameValue(a.X, b.X, from, to) && !f.changes(a, from, to)
	}
	return false
}

// changes reports whether a field may get another value between two instructions.
func (f *flow) changes(load *ssa.UnOp, from, to ssa.Instruction) bool {
	field := fieldOf(load.X)
	stores := func(i ssa.Instruction) bool {
		store, ok := i.(*ssa.Store)
		return ok && (fieldOf(store.Addr) == field || storesWhole(store, field))
	}
	between := func(i ssa.Instruction) bool { return behind(from, i) && behind(i, to) }
	changing := map[*ssa.Function]bool{}
	for fn, i := range f.c.instrs() {
		if stores(i) {
			changing[fn] = true
		}
	}
	for i := range ssas.Instrs(f.fn) {
		call, ok := i.(ssa.CallInstruction)
		if stores(i) && between(i) {
			return true
		}
		if !ok || !between(i) {
			continue
		}
		if _, builtin := call.Common().Value.(*ssa.Builtin); builtin || f.opOf(call) != opNone {
			continue
		}
		fn := call.Common().StaticCallee()
		if fn == nil || len(fn.Blocks) > 0 && f.mayChange(fn, changing) {
			return true
		}
	}
	return false
}

func (f *flow) mayChange(fn *ssa.Function, changing map[*ssa.Function]bool) bool {
	calls := f.c.mayCall(fn)
	if calls == nil {
		return true
	}
	for fn := range changing {
		if calls[fn] {
			return true
		}
	}
	return false
}
