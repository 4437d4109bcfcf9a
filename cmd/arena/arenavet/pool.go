package arenavet

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A release is a function that gives a parameter to a sync.Pool. What follows tells whether its
// callers have given the value away.

// releases reports whether each call of the function gives p away, by an instruction that puts it
// into a sync.Pool. A way around the instruction counts if p is nil on it, or if its size decides:
// who calls such a function does not know the size.
func releases(p ssa.Value, at ssa.Instruction) bool {
	fn := at.Parent()
	seen := map[*ssa.BasicBlock]bool{}
	var kept func(b *ssa.BasicBlock) bool // there is a way to a return
	kept = func(b *ssa.BasicBlock) bool {
		if b == at.Block() || seen[b] {
			return false
		}
		seen[b] = true
		last := b.Instrs[len(b.Instrs)-1]
		if _, ok := last.(*ssa.Return); ok {
			return true
		}
		branch, ok := last.(*ssa.If)
		for n, next := range b.Succs {
			if ok && (whenNil(branch.Cond, p) == n+1 || fn.Signature.Results().Len() == 0 && aboutSize(branch.Cond, p, 0)) {
				continue
			}
			if kept(next) {
				return true
			}
		}
		return false
	}
	return !kept(fn.Blocks[0])
}

// whenNil returns which successor of a branch is the one on which p is nil: 1 or 2, or 0 if the
// condition is another one.
func whenNil(cond, p ssa.Value) int {
	c, ok := cond.(*ssa.BinOp)
	if !ok || c.X != p {
		return 0
	}
	if k, ok := c.Y.(*ssa.Const); !ok || k.Value != nil {
		return 0
	}
	switch c.Op {
	case token.EQL:
		return 1
	case token.NEQ:
		return 2
	}
	return 0
}

// aboutSize reports whether a condition compares a length or a capacity of what p leads to with a
// number.
func aboutSize(v, p ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		size := func(v ssa.Value) bool { return aboutSize(v, p, depth+1) }
		number := func(v ssa.Value) bool {
			switch v := v.(type) {
			case *ssa.Const:
				return v.Value != nil
			case *ssa.UnOp:
				_, ok := v.X.(*ssa.Global)
				return ok
			}
			return false
		}
		return size(v.X) && number(v.Y) || size(v.Y) && number(v.X)
	case *ssa.Convert:
		return aboutSize(v.X, p, depth+1)
	case *ssa.Call:
		name := ""
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			name = b.Name()
		} else if fn := v.Call.StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
			name = fn.Name()
		}
		switch name {
		case "len", "cap", "Len", "Cap":
			return len(v.Call.Args) == 1 && within(v.Call.Args[0], p)
		}
	}
	return false
}

// within reports whether v is p, or was loaded through it.
func within(v, p ssa.Value) bool {
	for range 6 {
		if v == p {
			return true
		}
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return false
			}
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return false
		}
	}
	return false
}

// A pooledField is a field with a slice, of a type that the package declares.
type pooledField struct {
	t    *types.Named
	name string
}

// recycled reports whether the slice in a field stays with the struct when the struct is used
// again: the package cuts it to length zero in place, and never gives the field another slice than
// a longer one.
func (c *checker) recycled(from ssa.Value) bool {
	addr, ok := from.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	field, ok := fieldOf(addr)
	if !ok || field.t.Obj().Pkg() != c.pkg {
		return false
	}
	if c.fields == nil {
		c.fields = c.recycledFields()
	}
	return c.fields[field]
}

// poolsType reports whether the package puts values of the struct around a field into a sync.Pool.
func (c *checker) poolsType(from ssa.Value) bool {
	if c.pooledTypes == nil {
		c.pooledTypes = map[*types.Named]bool{}
		for _, fn := range c.functions() {
			for i := range ssas.Instrs(fn) {
				if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil && opOf(ssas.Declared(call.Common().StaticCallee())) == opSyncPut {
					if m, ok := call.Common().Args[1].(*ssa.MakeInterface); ok && names.Type(m.X.Type()) != nil {
						c.pooledTypes[names.Type(m.X.Type()).Origin()] = true
					}
				}
			}
		}
	}
	field, ok := fieldOf(from.(*ssa.FieldAddr))
	return ok && c.pooledTypes[field.t]
}

// fieldOf returns the field at an address.
func fieldOf(addr *ssa.FieldAddr) (pooledField, bool) {
	ptr, ok := addr.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return pooledField{}, false
	}
	t, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok {
		return pooledField{}, false
	}
	return pooledField{t.Origin(), fieldName(addr.X.Type(), addr.Field)}, true
}

// recycledFields looks at all stores of slices into fields.
func (c *checker) recycledFields() map[pooledField]bool {
	fields := map[pooledField]bool{}
	others := map[pooledField]bool{}
	for _, fn := range c.functions() {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				store, ok := i.(*ssa.Store)
				if !ok {
					continue
				}
				addr, ok := store.Addr.(*ssa.FieldAddr)
				if !ok {
					continue
				}
				if _, ok := store.Val.Type().Underlying().(*types.Slice); !ok {
					continue
				}
				field, ok := fieldOf(addr)
				if !ok {
					continue
				}
				val := store.Val
				if call, ok := val.(*ssa.Call); ok {
					if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
						val = call.Call.Args[0]
					}
				}
				switch v := val.(type) {
				case *ssa.Slice:
					if k, ok := v.High.(*ssa.Const); ok && k.Value != nil && k.Value.ExactString() == "0" && loads(v.X, field) {
						fields[field] = true
					}
				case *ssa.Const, *ssa.Parameter:
					others[field] = true // it gives the slice away, or takes one of somebody else
				}
			}
		}
	}
	for field := range others {
		delete(fields, field)
	}
	return fields
}

// loads reports whether v is loaded from a field.
func loads(v ssa.Value, field pooledField) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	addr, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	f, ok := fieldOf(addr)
	return ok && f == field
}
