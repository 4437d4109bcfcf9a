package arenavet

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A need is what a condition asks of a parameter on a way to an instruction. The parameter, or a
// field of it, or its length compares with a constant in some way. An argument that is a constant
// may show that a call does not take the way.
type sumNeed struct {
	Param int
	Field string // or the parameter itself
	Len   bool
	Op    token.Token // a comparison, or TYPE for an interface with a value of a type, or FUNC without
	Value string      // a number, text in quotes, true, false, nil, or a type
}

// A sumStart says on which ways a function starts a goroutine that has something, by what each way
// asks of the parameters.
type sumStart struct {
	Of   place
	Ways [][]sumNeed
}

// maxNeeds is how many ways are kept.
const maxNeeds = 16

// waysTo returns what the ways to the start of a goroutine ask of the parameters, or nil if one of
// them asks for nothing.
func (f *flow) waysTo(g *goroutine) (all [][]sumNeed) {
	inside := g.ways // of a called function that starts it
	if len(inside) == 0 {
		inside = [][]sumNeed{nil}
	}
	for _, way := range f.waysToBlock(g.at.Block(), map[*ssa.BasicBlock][][]sumNeed{}) {
		for _, more := range inside {
			way := slices.Concat(way, more)
			if len(way) == 0 || len(all) == maxNeeds {
				return nil
			}
			all = append(all, way)
		}
	}
	return all
}

// startedBy notes which goroutines have what lies at a place.
func (s *summary) startedBy(p place, g *goroutine) {
	if !slices.Contains(s.by[p], g) {
		s.by[p] = append(s.by[p], g)
	}
}

// needs finds out what the function asks of its parameters if it starts goroutines.
func (s *summary) needs(f *flow) {
	for _, p := range slices.SortedFunc(maps.Keys(s.by), byPlace) {
		start := sumStart{Of: p}
		for _, g := range s.by[p] {
			ways := f.waysTo(g)
			if start.Ways = append(start.Ways, ways...); len(ways) == 0 || len(start.Ways) > maxNeeds {
				start.Ways = nil
				break
			}
		}
		if len(start.Ways) > 0 {
			s.Starts = append(s.Starts, start)
		}
	}
}

// start returns what a function asks of its parameters if it starts a goroutine that has something,
// or nil.
func (s *summary) start(p place) [][]sumNeed {
	for _, x := range s.Starts {
		if x.Of == p {
			return x.Ways
		}
	}
	return nil
}

// arguments returns what a call gives to the parameters of a function, or nil if another function
// calls that.
func (f *flow) arguments(s *state, sum *summary, at ssa.Instruction) []ssa.Value {
	call, ok := at.(ssa.CallInstruction)
	if !ok || f.nest != "" {
		return nil
	}
	c := call.Common()
	is := func(t target) bool { return t.sum == sum }
	switch fn := c.StaticCallee(); {
	case fn != nil:
		if f.c.summaryOf(fn) != sum {
			return nil
		}
		if closure, ok := c.Value.(*ssa.MakeClosure); ok {
			return slices.Concat(c.Args, closure.Bindings)
		}
		return c.Args
	case c.IsInvoke():
		if slices.ContainsFunc(f.methods(s.get(c.Value), c), is) {
			return slices.Concat([]ssa.Value{c.Value}, c.Args)
		}
	case slices.ContainsFunc(f.targets(s, s.get(c.Value)), is):
		return c.Args
	}
	return nil
}

// waysToBlock returns what the ways to a block ask of the parameters. Too many ways count as those
// to the block around it.
func (f *flow) waysToBlock(b *ssa.BasicBlock, known map[*ssa.BasicBlock][][]sumNeed) (ways [][]sumNeed) {
	if ways, ok := known[b]; ok {
		return ways
	}
	dom := b.Idom()
	if dom == nil {
		return [][]sumNeed{nil}
	}
	add := func(way []sumNeed) {
		if !slices.ContainsFunc(ways, func(old []sumNeed) bool { return slices.Equal(old, way) }) {
			ways = append(ways, way)
		}
	}
	around := f.waysToBlock(dom, known)
	known[b] = around
	for _, pred := range b.Preds {
		if !b.Dominates(pred) && len(ways) <= maxNeeds { // or a turn of a loop comes before
			for _, way := range f.waysToBlock(pred, known) {
				add(f.alsoNeeds(way, pred, b))
			}
		}
	}
	more := slices.ContainsFunc(around, func(way []sumNeed) bool {
		return !slices.ContainsFunc(ways, func(x []sumNeed) bool { return slices.Equal(x, way) })
	})
	if len(ways) > maxNeeds || !more {
		ways = around
	}
	known[b] = ways
	return ways
}

// alsoNeeds returns what a way asks for that goes on from one block to another one.
func (f *flow) alsoNeeds(way []sumNeed, from, to *ssa.BasicBlock) []sumNeed {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return way
	}
	for _, n := range f.needs(branch.Cond, from.Succs[0] == to, 4) {
		if !slices.Contains(way, n) {
			way = append(slices.Clip(way), n)
		}
	}
	return way
}

var (
	negated = map[token.Token]token.Token{token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR}
	swapped = map[token.Token]token.Token{token.EQL: token.EQL, token.NEQ: token.NEQ, token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ}
)

// needs returns what a condition asks of parameters that holds, or does not.
func (f *flow) needs(cond ssa.Value, holds bool, depth int) []sumNeed {
	if depth == 0 {
		return nil
	}
	one := func(v ssa.Value, op token.Token, value string) []sumNeed {
		n, ok := f.needOf(v)
		if n.Op, n.Value = op, value; !ok || value == "" {
			return nil
		}
		return []sumNeed{n}
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return f.needs(c.X, !holds, depth-1)
		}
	case *ssa.BinOp:
		x, y, op := c.X, c.Y, c.Op
		if _, ok := x.(*ssa.Const); ok {
			x, y, op = y, x, swapped[op]
		}
		if k, ok := y.(*ssa.Const); ok {
			if !holds {
				op = negated[op]
			}
			return one(x, op, valueIn(k))
		}
		if holds && op == token.LSS && isCounter(x) { // a turn of a loop
			return one(y, token.GTR, "0")
		}
		return nil
	case *ssa.Extract:
		switch t := c.Tuple.(type) {
		case *ssa.TypeAssert:
			switch {
			case !types.IsInterface(t.AssertedType) && holds:
				return one(t.X, token.TYPE, typeName(t.AssertedType))
			case !types.IsInterface(t.AssertedType):
				return one(t.X, token.FUNC, typeName(t.AssertedType))
			case holds:
				return one(t.X, token.NEQ, "nil")
			}
			return nil
		case *ssa.Next:
			if r, ok := t.Iter.(*ssa.Range); ok && holds {
				if n, ok := f.needOf(r.X); ok && !n.Len {
					n.Len, n.Op, n.Value = true, token.GTR, "0"
					return []sumNeed{n}
				}
			}
			return nil
		}
	case *ssa.Phi: // of && or ||
		n := -1
		for i, e := range c.Edges {
			if k, ok := e.(*ssa.Const); ok && k.Value != nil && constant.BoolVal(k.Value) != holds {
				continue
			}
			if n >= 0 {
				return nil
			}
			n = i
		}
		if n < 0 {
			return nil
		}
		all := f.needs(c.Edges[n], holds, depth-1)
		if pred := c.Block().Preds[n]; len(pred.Preds) == 1 {
			all = f.alsoNeeds(all, pred.Preds[0], pred)
		}
		return all
	}
	return one(cond, token.EQL, strconv.FormatBool(holds))
}

// isCounter reports whether a value counts the turns of a loop.
func isCounter(v ssa.Value) bool {
	if sum, ok := v.(*ssa.BinOp); ok && sum.Op == token.ADD {
		v = sum.X
	}
	_, ok := v.(*ssa.Phi)
	return ok
}

// needOf returns a need of the parameter, or of the field or the length of one, that a value is.
func (f *flow) needOf(v ssa.Value) (n sumNeed, ok bool) {
	if call, isCall := v.(*ssa.Call); isCall {
		if b, builtin := call.Call.Value.(*ssa.Builtin); !builtin || b.Name() != "len" {
			return n, false
		}
		n, ok = f.needOf(call.Call.Args[0])
		n.Len = true
		return n, ok
	}
	switch x := v.(type) {
	case *ssa.Field:
		n.Field = fieldName(x.X.Type(), x.Field)
		v = x.X
	case *ssa.UnOp:
		field, ok := x.X.(*ssa.FieldAddr)
		if !ok || x.Op != token.MUL {
			break
		}
		n.Field = fieldName(field.X.Type(), field.Field)
		v = field.X
		if all, ok := wholeIn(v); ok { // a copy of a struct
			v = all
		}
	}
	n.Param = f.paramOf(v)
	return n, n.Param >= 0 && !(n.Field != "" && f.sets(n.Field))
}

// sets reports whether the function sets a field, which then says what it has done before.
func (f *flow) sets(name string) bool {
	for i := range ssas.Instrs(f.fn) {
		if store, ok := i.(*ssa.Store); ok {
			if field, ok := store.Addr.(*ssa.FieldAddr); ok && fieldName(field.X.Type(), field.Field) == name {
				return true
			}
		}
	}
	return false
}

// wholeIn returns what a function stores in a variable with a struct, if it stores it there as a
// whole, and changes no field.
func wholeIn(v ssa.Value) (all ssa.Value, ok bool) {
	variable, ok := v.(*ssa.Alloc)
	if !ok {
		return nil, false
	}
	for _, i := range *variable.Referrers() {
		switch i := i.(type) {
		case *ssa.Store:
			if i.Addr != variable || all != nil {
				return nil, false
			}
			all = i.Val
		case *ssa.FieldAddr:
			if slices.ContainsFunc(*i.Referrers(), func(i ssa.Instruction) bool { _, load := i.(*ssa.UnOp); return !load }) {
				return nil, false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil, false
		}
	}
	return all, all != nil
}

// paramOf returns the number of the parameter that a value is, or -1.
func (f *flow) paramOf(v ssa.Value) int {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType:
			v = x.X
			continue
		case *ssa.ChangeInterface:
			v = x.X
			continue
		case *ssa.UnOp: // a variable that a literal has captured
			if all := origin(x); all != x {
				v = all
				continue
			}
		case *ssa.Parameter:
			return slices.Index(f.fn.Params, x)
		case *ssa.FreeVar:
			if n := slices.Index(f.fn.FreeVars, x); n >= 0 && !isPointer(x.Type()) { // of a method value
				return len(f.fn.Params) + n
			}
		}
		return -1
	}
}

// valueIn writes a constant as in a need, or "" if there is no way to write it.
func valueIn(c *ssa.Const) string {
	switch {
	case c.Value != nil:
		switch c.Value.Kind() {
		case constant.Bool, constant.String, constant.Int:
			return c.Value.ExactString()
		}
	case !isStruct(c.Type()) && !isArray(c.Type()):
		return "nil"
	}
	return ""
}

// valueFrom reads what valueIn has written.
func valueFrom(text string) constant.Value {
	switch {
	case text == "true", text == "false":
		return constant.MakeBool(text == "true")
	case text[0] == '"':
		return constant.MakeFromLiteral(text, token.STRING, 0)
	case text[0] == '-':
		return constant.UnaryOp(token.SUB, valueFrom(text[1:]), 0)
	}
	return constant.MakeFromLiteral(text, token.INT, 0)
}

// typeName writes a type as in a need, or "" if it may be any type.
func typeName(t types.Type) string {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return ""
	}
	return types.TypeString(t, nil)
}

// starts returns what the ways on which a called function starts a goroutine ask of the parameters
// of this one. It reports whether the call may take one of them, and whether the caller may know
// that it does not: a function between them gives the arguments, or a field decides.
func (f *flow) starts(s *state, ways [][]sumNeed, args []ssa.Value, at ssa.Instruction) (here [][]sumNeed, may, perhaps bool) {
	if len(ways) == 0 {
		return nil, true, false
	}
	free, sure := false, false // one of them asks for nothing, or for nothing that the caller may know
	for _, way := range ways {
		if slices.ContainsFunc(way, func(n sumNeed) bool { return n.Param < len(args) && f.denies(s, n, args[n.Param], at, 4) }) {
			continue
		}
		may = true
		var all []sumNeed
		known := args == nil
		for _, n := range way {
			if n.Param >= len(args) {
				continue
			}
			if p := f.paramOf(args[n.Param]); p >= 0 {
				n.Param = p
				all = append(all, n)
			} else {
				known = known || n.isFlag() && !isKnown(args[n.Param], n.Field, at)
			}
		}
		free, sure = free || len(all) == 0, sure || !known
		here = append(here, all)
	}
	if free {
		here = nil
	}
	return here, may, !sure
}

// isFlag reports whether a way needs that a field has some value, which may be of any struct that
// its maker has set up so.
func (n sumNeed) isFlag() bool { return n.Field != "" && !n.Len && n.Value != "nil" }

// isKnown reports whether a field of an argument of a call is a constant.
func isKnown(v ssa.Value, field string, at ssa.Instruction) bool {
	v, ok := fieldIn(origin(v), field, at)
	return ok && isConst(v)
}

// denies reports whether an argument of a call surely is not what a way needs.
func (f *flow) denies(s *state, n sumNeed, v ssa.Value, at ssa.Instruction, depth int) bool {
	if depth == 0 {
		return false
	}
	if phi, ok := v.(*ssa.Phi); ok && n.Field == "" {
		return !slices.ContainsFunc(phi.Edges, func(e ssa.Value) bool { return !f.denies(s, n, e, at, depth-1) })
	}
	v = origin(v)
	switch x := v.(type) {
	case *ssa.ChangeType:
		return f.denies(s, n, x.X, at, depth-1)
	case *ssa.ChangeInterface:
		return f.denies(s, n, x.X, at, depth-1)
	}
	if n.Field != "" {
		field, ok := fieldIn(v, n.Field, at)
		n.Field = ""
		return ok && f.denies(s, n, field, at, depth-1)
	}
	if n.Len {
		count := lengthOf(v)
		return count >= 0 && !constant.Compare(constant.MakeInt64(int64(count)), n.Op, valueFrom(n.Value))
	}
	switch x := v.(type) {
	case *ssa.Const:
		return n.deniedBy(x)
	case *ssa.MakeInterface:
		same := typeName(x.X.Type()) == n.Value
		return n.Op == token.EQL && n.Value == "nil" || n.Op == token.FUNC && same || n.Op == token.TYPE && !same
	case *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.Function:
		return n.Op == token.EQL && n.Value == "nil"
	}
	if n.Op == token.NEQ && n.Value == "nil" && carries(v.Type()) {
		x := s.get(v)
		return x.zero() && len(x.dyn)+len(x.fns) == 0
	}
	if n.Value == "true" || n.Value == "false" {
		return f.surely(v, at.Block(), (n.Value == "true") != (n.Op == token.EQL))
	}
	return false
}

// surely reports whether a block is reached only if a condition holds, or only if it does not.
func (f *flow) surely(cond ssa.Value, b *ssa.BasicBlock, holds bool) bool {
	for ; b.Idom() != nil; b = b.Idom() {
		branch, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If)
		if ok && len(b.Preds) == 1 && branch.Cond == cond && b.Idom().Succs[0] != b.Idom().Succs[1] && (b.Idom().Succs[0] == b) == holds {
			return true
		}
	}
	return false
}

// deniedBy reports whether a constant is not what a way needs.
func (n sumNeed) deniedBy(c *ssa.Const) bool {
	value := valueIn(c)
	switch {
	case n.Op == token.TYPE:
		return value == "nil"
	case value == "" || n.Op == token.FUNC:
		return false
	case value == "nil" || n.Value == "nil":
		return (n.Op == token.EQL) != (value == n.Value)
	}
	x, y := valueFrom(value), valueFrom(n.Value)
	return x.Kind() == y.Kind() && !constant.Compare(x, n.Op, y)
}

// fieldIn returns what lies in a field of a struct, or of a struct that v points to, which the
// function has made for a call.
func fieldIn(v ssa.Value, name string, at ssa.Instruction) (field ssa.Value, ok bool) {
	t := v.Type()
	if load, isLoad := v.(*ssa.UnOp); isLoad && load.Op == token.MUL {
		v = load.X
	}
	switch x := v.(type) {
	case *ssa.Const:
		if isPointer(t) {
			return nil, false
		}
	case *ssa.Alloc:
		for _, i := range *x.Referrers() {
			switch i := i.(type) {
			case *ssa.FieldAddr:
				if fieldName(x.Type(), i.Field) != name {
					continue
				}
				for _, i := range *i.Referrers() {
					store, stores := i.(*ssa.Store)
					if _, load := i.(*ssa.UnOp); !load && !stores || stores && field != nil {
						return nil, false
					}
					if stores {
						field = store.Val
					}
				}
			case *ssa.Store:
				if i.Addr != x || !isConst(i.Val) {
					return nil, false
				}
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				if i != at {
					return nil, false
				}
			}
		}
	default:
		return nil, false
	}
	if field != nil {
		return field, true
	}
	for f := range structOf(t).Fields() {
		if f.Name() == name {
			return zeroOf(f.Type()), true
		}
	}
	return nil, false
}

// zeroOf returns the zero value of a type.
func zeroOf(t types.Type) *ssa.Const {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case ok && b.Info()&types.IsBoolean != 0:
		return ssa.NewConst(constant.MakeBool(false), t)
	case ok && b.Info()&types.IsInteger != 0:
		return ssa.NewConst(constant.MakeInt64(0), t)
	case ok && b.Info()&types.IsString != 0:
		return ssa.NewConst(constant.MakeString(""), t)
	}
	return ssa.NewConst(nil, t)
}

// lengthOf returns the length of a slice, a map or text, or -1 if it is not known.
func lengthOf(v ssa.Value) int {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return 0
		}
		if v.Value.Kind() == constant.String {
			return len(constant.StringVal(v.Value))
		}
	case *ssa.Slice:
		if array, ok := v.X.(*ssa.Alloc); ok && v.Low == nil && v.High == nil {
			if t, ok := elementType(array.Type()).Underlying().(*types.Array); ok {
				return int(t.Len())
			}
		}
	}
	return -1
}
