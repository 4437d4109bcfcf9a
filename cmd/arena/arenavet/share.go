package arenavet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// others is the variable that stands for callers who wait until another one has computed something.
const others = "others callers"

// shares is for a store in a field that other callers wait for: they have it, too. What lies in an
// arena of the receiver is taken to end when nobody waits.
func (f *flow) shares(s *state, i *ssa.Store, v av) {
	addr, ok := i.Addr.(*ssa.FieldAddr)
	if !ok || f.c.pools || !f.c.isAwaited(fieldOf(addr)) {
		return
	}
	own := func(t tag) bool { return t.kind == inMemory && isReceiver(t.life.root) }
	if v.tagged() && !slices.ContainsFunc(v.tags, own) {
		f.assign(s, loc{f.c.global(others), stepElem}, v, i)
	}
}

// isReceiver reports whether a value is the receiver of a method, or a variable that has captured
// it.
func isReceiver(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter:
		fn := v.Parent()
		return fn.Signature.Recv() != nil && v == fn.Params[0]
	case *ssa.FreeVar:
		all, _ := stored(variable(v))
		return slices.ContainsFunc(all, isReceiver)
	}
	return false
}

// isAwaited reports whether a function of the package takes a struct out of a map, waits until
// another one says so by a field of it, and reads a field.
func (c *checker) isAwaited(field *types.Var) bool {
	if c.awaited == nil {
		c.awaited = map[*types.Var]bool{}
		for _, i := range c.instrs() {
			if x := waitsIn(i); x != nil && ofMap(x, 4) {
				for _, field := range readFields(x) {
					c.awaited[field] = true
				}
			}
		}
	}
	return c.awaited[field]
}

// waitsIn returns the struct for a field of which an instruction waits, or nil.
func waitsIn(i ssa.Instruction) ssa.Value {
	var on ssa.Value
	switch i := i.(type) {
	case *ssa.UnOp:
		if load, ok := i.X.(*ssa.UnOp); ok && i.Op.String() == "<-" {
			on = load.X
		}
	case *ssa.Call:
		switch names.Path(ssas.Callee(&i.Call)) {
		case "sync.WaitGroup.Wait", "sync.Once.Do":
			on = i.Call.Args[0]
		}
	}
	if addr, ok := on.(*ssa.FieldAddr); ok {
		return addr.X
	}
	return nil
}

// readFields returns the fields that a function reads of a struct.
func readFields(x ssa.Value) (all []*types.Var) {
	same := []ssa.Value{x}
	if load, ok := x.(*ssa.UnOp); ok { // of a variable, which is loaded each time
		for _, ref := range *load.X.Referrers() {
			if load, ok := ref.(*ssa.UnOp); ok {
				same = append(same, load)
			}
		}
	}
	for _, v := range same {
		for _, ref := range *v.Referrers() {
			if addr, ok := ref.(*ssa.FieldAddr); ok && isRead(addr) {
				all = append(all, fieldOf(addr))
			}
		}
	}
	return all
}

// ofMap reports whether a value may have been taken out of a map.
func ofMap(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Lookup:
		return true
	case *ssa.Extract:
		_, ok := v.Tuple.(*ssa.Lookup)
		return ok
	case *ssa.TypeAssert:
		return ofMap(v.X, depth)
	case *ssa.Call:
		return strings.HasPrefix(names.Path(ssas.Callee(&v.Call)), "sync.Map.Load")
	case *ssa.Phi:
		return depth > 0 && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return ofMap(e, depth-1) })
	case *ssa.UnOp:
		all, _ := stored(v.X)
		return depth > 0 && slices.ContainsFunc(all, func(e ssa.Value) bool { return ofMap(e, depth-1) })
	}
	return false
}

// isRead reports whether something is loaded from an address.
func isRead(addr *ssa.FieldAddr) bool {
	return slices.ContainsFunc(*addr.Referrers(), func(i ssa.Instruction) bool { _, ok := i.(*ssa.UnOp); return ok })
}
