package arenavet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// Codes of findings. Each has a section in codes.md.
const (
	codeStale     = "stale"
	codeOutlives  = "outlives"
	codeShared    = "shared"
	codeLost      = "lost"
	codeClosed    = "closed"
	codeContainer = "container"
	codeUseless   = "useless"
	codeSyncPool  = "syncpool"
	codeKeep      = "keep"
)

// A finding is a mistake, or what may be one.
type finding struct {
	code    string
	pos     token.Pos
	message string
	maybe   bool
	related []related
	about   about        // findings about the same are one
	fix     func() []fix // alternatives, the best one first
}

// An about is a value and the end of its arena.
type about struct{ made, end ssa.Instruction }

type related struct {
	pos     token.Pos
	message string
}

// A probe looks at the state when an instruction is reached. Ways end there.
type probe struct {
	at   func(ssa.Instruction) bool
	look func(*state, ssa.Instruction)
}

// use is for an instruction that looks at the memory that v refers to.
func (f *flow) use(s *state, v ssa.Value, at ssa.Instruction) {
	x := s.get(v)
	f.useAs(isUsed, x, at, f.looking && !x.ofPool() && f.eachOf(v, 4) != nil, func(s *state) av { return s.get(v) })
}

// ofPool reports whether a value may be of a sync.Pool. Who takes elements out of such values is
// seldom known.
func (v av) ofPool() bool {
	return slices.ContainsFunc(v.tags, func(t tag) bool { return t.life.kind == lifeSync })
}

// eachOf returns what a loop goes through in whose turns a value is the element, or belongs to it,
// or nil.
func (f *flow) eachOf(v ssa.Value, depth int) ssa.Value {
	switch x := v.(type) {
	case *ssa.IndexAddr:
		f.findLoops()
		for head := range f.heads {
			if overEach(head, x) {
				return x.X
			}
		}
	case *ssa.Next:
		if !x.IsString {
			return x.Iter.(*ssa.Range).X
		}
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.Field, *ssa.Extract, *ssa.TypeAssert:
		if depth > 0 {
			return f.eachOf(*x.(ssa.Instruction).Operands(nil)[0], depth-1)
		}
	}
	return nil
}

const isUsed = "%s is used after %s%s"

func (f *flow) useValue(v av, at ssa.Instruction, look func(*state) av) {
	f.useAs(isUsed, v, at, false, look)
}

// useAs is useValue with words for the finding: what is used, after what, and on which ways. With
// all, the value is one element of many, which are all used.
func (f *flow) useAs(format string, v av, at ssa.Instruction, all bool, look func(*state) av) {
	if !f.looking {
		return
	}
	v, direct := v.direct(), func(s *state) av { return look(s).direct() }
	f.sum.read(f, v, at, all)
	f.sum.after(f, at, direct)
	t, sure, ok := f.judge(v, at, all, direct)
	if !ok {
		return
	}
	pos := ssas.PosOf(at)
	if f.inside != nil {
		pos = ssas.PosOf(f.inside)
	}
	code := codeStale
	switch t.life.kind {
	case lifeTable:
		code = codeContainer
	case lifeSync:
		code = codeSyncPool
	}
	if call, ok := at.(ssa.CallInstruction); ok && code == codeStale {
		if made, ok := t.made.(ssa.Value); ok && coreType(made.Type()) == "Map" && yields(call.Common().Value.Type()) != nil {
			code = codeContainer // a loop over a sequence of the Map
		}
		if callee := call.Common().StaticCallee(); callee != nil && callee.Signature.Recv() != nil {
			name := coreType(callee.Signature.Recv().Type())
			if of := f.now.get(call.Common().Args[0]); (name == "Map" || name == "Builder") && of.of(t.life) {
				code = codeContainer
			}
		}
	}
	if format == isUsed && f.putsAgain(t, at) {
		format = "%s is put twice: the first time is %s%s"
	}
	d := f.report(code, pos, !sure, t, format, f.describe(t), f.describeEnd(t.end), f.way(v, sure))
	if d != nil {
		d.about = about{t.made, t.end.at}
		f.chance(d, t, at, look)
		f.c.add(d)
	}
}

// putsAgain reports whether an instruction calls a function that gives its argument to a sync.Pool,
// which has it already.
func (f *flow) putsAgain(t tag, at ssa.Instruction) bool {
	call, ok := at.(ssa.CallInstruction)
	if !ok || t.life.kind != lifeSync || f.nest != "" || call.Common().StaticCallee() == nil {
		return false
	}
	sum := f.c.summaryOf(call.Common().StaticCallee())
	return sum != nil && slices.ContainsFunc(sum.Ends, func(e sumEnd) bool {
		x := e.putBy(call.Common())
		return x != nil && slices.ContainsFunc(f.now.get(x).tags, func(u tag) bool { return u.life == t.life && isStale(u) })
	})
}

// way says on which ways a finding is one.
func (f *flow) way(v av, sure bool) string {
	if stale := v.only(isStale); len(v.tags) == len(stale) && !v.other || stale[0].life.kind == lifeTable {
		return ""
	}
	if sure {
		return ", whenever that is reached"
	}
	return ", on some path"
}

func (f *flow) describe(t tag) string {
	what := "a value"
	if name := f.nameOf(t); name != "" && t.made == nil {
		what = name
	} else if t.made == nil && t.lay != nil {
		what = f.where(loc{t.lay.root, strings.TrimSuffix(t.lay.path, "~")})
	}
	if t.made != nil {
		if call, ok := t.made.(ssa.CallInstruction); ok {
			what = "the result of " + f.callee(call)
			if isLoop(call) {
				return "what the body of the loop has made (" + f.line(ssas.PosOf(t.made)) + ")"
			}
			if value := call.Value(); value == nil || !slices.ContainsFunc(resultTypes(value), func(t types.Type) bool { return carries(t) && !isError(t) }) {
				does := "made"
				if t.life.kind == lifeSync {
					does = "taken from the pool"
				}
				what = "what " + f.callee(call) + " has " + does
				if slices.ContainsFunc(call.Common().Args, isLiteral) {
					what = "what the function literal of " + f.callee(call) + " has " + does
				}
			}
			switch o := f.opOf(call); o {
			case opGet, opSyncGet:
				what = "what " + f.callee(call) + " returned"
			case opFill:
				what = "what " + f.callee(call) + " filled"
			}
		}
		return what + " (" + f.line(ssas.PosOf(t.made)) + ")"
	}
	return what
}

// isLoop reports whether a call is of a sequence, with the body of a loop.
func isLoop(call ssa.CallInstruction) bool {
	args := call.Common().Args
	if len(args) != 1 || yields(call.Common().Value.Type()) == nil {
		return false
	}
	fn := literalOf(args[0])
	return fn != nil && strings.HasPrefix(fn.Synthetic, "range-over-func")
}

// nameOf returns the name of a variable that a sync.Pool has got, if the source has one.
func (f *flow) nameOf(t tag) string {
	if t.life == nil || t.life.kind != lifeSync {
		return ""
	}
	if t.life.path == "gone" {
		return variableName(t.life.root, 4)
	}
	path, ok := strings.CutSuffix(t.life.path, "put") // see putKey
	root := variableName(t.life.root, 1)
	if path = strings.TrimSuffix(path, "~"); !ok || root == "" || strings.ContainsAny(path, "~%=") {
		return ""
	}
	return root + shown(path)
}

// variableName returns how the source names what a value was loaded from, or "".
func variableName(v ssa.Value, depth int) string {
	if depth == 0 {
		return ""
	}
	name := ""
	switch x := converted(v).(type) {
	case *ssa.Parameter:
		name = x.Name()
	case *ssa.FreeVar:
		name = x.Name()
	case *ssa.Global:
		name = x.Name()
	case *ssa.Phi:
		name = x.Comment
	case *ssa.Alloc:
		name = x.Comment
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return variableName(x.X, depth-1)
		}
	case *ssa.FieldAddr:
		if base := variableName(x.X, depth-1); base != "" {
			return base + "." + fieldName(x.X.Type(), x.Field)
		}
	case *ssa.IndexAddr:
		if base := variableName(x.X, depth-1); base != "" {
			return base + "[…]"
		}
	}
	if !token.IsIdentifier(name) {
		return ""
	}
	return name
}

func (f *flow) describeEnd(e *end) string { return e.what + " (" + f.line(ssas.PosOf(e.at)) + ")" }

// line names the line of a place, and its file if that is another one.
func (f *flow) line(pos token.Pos) string {
	p := f.c.position(pos)
	if file := f.c.position(f.fn.Pos()).Filename; file != "" && p.Filename != file {
		return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// report makes a finding. The caller adds what else belongs to it, and then it to the checker.
func (f *flow) report(code string, pos token.Pos, maybe bool, t tag, format string, args ...any) *finding {
	maybe = maybe || f.perhaps || f.choice
	if !f.looking || isWrapper(f.fn) || t.end != nil && t.end.within && (maybe || f.c.hasLeft(t.end.at)) {
		return nil
	}
	d := &finding{code: code, pos: pos, maybe: maybe, message: fmt.Sprintf(format, args...)}
	if t.life != nil && t.life.kind == lifeSync && (code == codeOutlives || code == codeStale || code == codeClosed) {
		d.code = codeSyncPool
	}
	if t.made != nil {
		d.related = append(d.related, related{ssas.PosOf(t.made), "made here"})
	}
	if t.end != nil {
		d.related = append(d.related, related{ssas.PosOf(t.end.at), "ended here"})
	}
	return d
}

// hasLeft reports whether an instruction calls a function of the package that was found to leave
// what has ended to others. What callers do with that is the same mistake.
func (c *checker) hasLeft(at ssa.Instruction) bool {
	call, ok := at.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := call.Common().StaticCallee()
	return fn != nil && slices.ContainsFunc(c.findings, func(d *finding) bool {
		return !d.maybe && (d.code == codeOutlives || d.code == codeSyncPool) && c.within(d.pos, fn)
	})
}

// isWrapper reports whether a function only calls a method, which is reported by itself.
func isWrapper(fn *ssa.Function) bool {
	return strings.HasPrefix(fn.Synthetic, "bound ") || strings.HasPrefix(fn.Synthetic, "wrapper ")
}

// judge decides whether a value is stale at an instruction: surely, if it is so on every way, or if
// the end, or the making of the value, is always followed by the instruction with the stale value.
// With each, it is one element of many, and one that is stale is enough.
func (f *flow) judge(v av, at ssa.Instruction, each bool, look func(*state) av) (t tag, sure, ok bool) {
	stale := v.only(isStale)
	if len(stale) == 0 || f.c.quiet {
		return tag{}, false, false
	}
	if d, ok := at.(*ssa.Defer); ok && f.defers != nil {
		at, look = f.defers, f.whenRun(d, look)
	}
	all := func(v av) bool { return v.stale(stale[0].life.kind == lifeTable) }
	if all(v) && !v.none {
		return stale[0], true, true
	}
	for _, t := range stale {
		is := func(s *state) bool { return all(look(s)) }
		// Where it is nil there may be an end without a value, unless only the callee knows of it.
		last := t.life.kind == lifeSync && f.lastTurn(t.end.at, at)
		if (!v.none || isOfCall(t, at)) && !last && f.follows(t.end.at, true, at, is) || t.made != nil && f.follows(t.made, false, at, is) || !v.none && f.cameTo(t.end, at, is) || f.chooses(t.life, at, is) || f.storesLead(t, at, each, look, is) || f.callLeads(t.life, at, is) || each && f.gathers(t, at, look) {
			return t, true, true
		}
	}
	return stale[0], false, true
}

// isOfCall reports whether an instruction returns what a call has returned, or reads a field of it.
// The call comes before the end on each way, and nothing but the call says whether it returned nil.
func isOfCall(t tag, at ssa.Instruction) bool {
	call, ok := t.made.(*ssa.Call)
	if !ok || !follows(call, t.end.at) {
		return false
	}
	switch at := at.(type) {
	case *ssa.Return:
		return slices.Contains(at.Results, ssa.Value(call))
	case *ssa.FieldAddr:
		return at.X == call
	case *ssa.UnOp:
		field, ok := at.X.(*ssa.FieldAddr)
		return ok && field.X == call
	}
	return false
}

// stale reports whether v surely is. The table of a Map is for itself: a pointer into it may be
// stale when the arena is not.
func (v av) stale(table bool) bool {
	tags := v.only(func(t tag) bool { return t.kind == inMemory && (t.life.kind == lifeTable) == table })
	n := len(v.only(func(t tag) bool { return !t.deep || t.kind != ofParam }))
	if table {
		n = len(tags)
	}
	return !v.other && len(tags) > 0 && len(tags) == n && len(av{tags: tags}.only(isStale)) == n
}

// A chance is a finding that is not certain by itself: what look finds may be stale at an
// instruction.
type chance struct {
	*finding
	tag
	at   ssa.Instruction
	look func(*state) av
}

// chance notes a finding that is not certain.
func (f *flow) chance(d *finding, t tag, at ssa.Instruction, look func(*state) av) {
	if d != nil && d.maybe && !f.perhaps && !f.choice && t.life.kind != lifeSync {
		f.chances = append(f.chances, chance{d, t, at, look})
	}
}

// together looks for findings one of which is certain: each way from the end of an arena, or from
// where a value is made, leads to one of them.
func (f *flow) together() {
	for _, c := range f.chances {
		if f.oneOf(c.life, c.end.at, true) || c.made != nil && f.oneOf(c.life, c.made, false) {
			c.maybe, c.fix = false, nil // a copy would come too late
			f.c.add(c.finding)
		}
	}
}

// oneOf reports whether each way from an instruction leads to a chance of a life, unless it returns
// an error. Ways around a loop with a chance do not count.
func (f *flow) oneOf(l *life, start ssa.Instruction, after bool) bool {
	b := start.Block()
	if _, ok := start.(*ssa.Defer); ok || b == nil || b.Parent() != f.fn || f.in[b] == nil {
		return false
	}
	f.findLoops()
	all := map[ssa.Instruction][]chance{}
	for _, c := range f.chances {
		if c.life != l {
			continue
		}
		all[c.at] = append(all[c.at], c)
		for head, loop := range f.heads {
			if first := head.Instrs[0]; loop[c.at.Block()] && !loop[b] && f.inevitable(first, c.at) {
				all[first] = append(all[first], c)
			}
		}
	}
	is := func(s *state, i ssa.Instruction) bool {
		ret, ok := i.(*ssa.Return)
		return slices.ContainsFunc(all[i], func(c chance) bool {
			stale := func(s *state) bool {
				v := c.look(s).direct()
				return v.stale(l.kind == lifeTable) && !(after && v.none)
			}
			if i == c.at {
				return stale(s)
			}
			probe := f.probe
			defer func() { f.probe = probe }()
			f.probe = nil
			return f.always(i.Block(), 0, s, c.at, stale)
		}) || ok && s.fails(ret)
	}
	ends := func(i ssa.Instruction) bool {
		_, returns := i.(*ssa.Return)
		return returns || len(all[i]) > 0
	}
	from, n := f.try(start, after)
	return len(all) > 1 && f.alwaysAt(b, n, from, ends, is)
}

// storesLead reports whether each way from an instruction that surely stores a value of a life
// leads to another one, where something is so. With each, other elements need not be like it.
func (f *flow) storesLead(t tag, at ssa.Instruction, each bool, look func(*state) av, is func(*state) bool) bool {
	var stores []ssa.Instruction
	places := map[ssa.Instruction][]loc{}
	for k, i := range f.put {
		if i != nil && i.Parent() != f.fn && t.made != nil && inEachCall(i) {
			if each && !strings.Contains(k.loc.path, "[") {
				continue // it has stored what has the elements
			}
			i = t.made // a literal has stored it, which that has called
		}
		if k.life != t.life || i == at {
			continue
		}
		if places[i] == nil {
			stores = append(stores, i)
		}
		places[i] = append(places[i], k.loc)
	}
	slices.SortFunc(stores, func(a, b ssa.Instruction) int { return cmp.Compare(ssas.PosOf(a), ssas.PosOf(b)) })
	if each && !f.takesOut(false) {
		is = func(s *state) bool {
			of := look(s).only(func(x tag) bool { return x.life == t.life })
			return len(of) > 0 && !slices.ContainsFunc(of, func(x tag) bool { return !isStale(x) })
		}
	}
	return slices.ContainsFunc(stores, func(i ssa.Instruction) bool {
		if f.probe != nil || i.Parent() != f.fn || f.in[i.Block()] == nil {
			return false
		}
		s, _ := f.try(i, false)
		values := storedValues(i)
		if _, calls := i.(ssa.CallInstruction); calls {
			if call, ok := i.(*ssa.Call); !ok || !each && !f.appends(call) {
				values = nil
			}
		}
		stores := i == t.made || slices.ContainsFunc(values, func(x ssa.Value) bool { // or it makes and stores it
			v := s.get(x)
			return !v.none && slices.Contains(f.heldBy(s, v), t.life) && slices.ContainsFunc(places[i], func(l loc) bool {
				_, within := under(l.path, v.ptr.path)
				return l.root != v.ptr.root || !within // or it is stored in x
			})
		})
		return stores && f.follows(i, true, at, is)
	})
}

// A wayOf is a way of a function that an instruction calls.
type wayOf struct {
	call *ssa.Call
	sum  *summary
	ends bool // it ends what it may end, whichever way it is
	sumWay
}

// inEachCall reports whether an instruction is done in each call of its function.
func inEachCall(i ssa.Instruction) bool {
	return !slices.ContainsFunc(i.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		_, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		return returns && !i.Block().Dominates(b)
	})
}

// callLeads looks for a way of a called function on which something is surely of a life. It reports
// whether each way of this function leads from there to an instruction where something is so.
func (f *flow) callLeads(l *life, at ssa.Instruction, is func(*state) bool) bool {
	_, returns := at.(*ssa.Return)
	one := func(call *ssa.Call, sum *summary, way sumWay, ends bool) bool {
		if !returns && way.Jump == 0 && !f.inevitable(call, at) {
			return false
		}
		s, n := f.try(call, false)
		s = s.clone()
		f.taken, f.looking = wayOf{call, sum, ends, way}, false
		defer func() { f.taken, f.looking = wayOf{}, true }()
		f.step(s, call)
		if !ends && !s.has(l) {
			return false
		}
		start := ssa.Instruction(call)
		for way.Jump != 0 {
			b := start.Block()
			branch, _ := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if branch == nil {
				break
			}
			cond, ok := branch.Cond.(*ssa.BinOp)
			if !ok {
				break
			}
			load, ok := cond.X.(*ssa.UnOp)
			if !ok || !isJump(load.X) {
				break
			}
			f.block(s, b, n+1)
			succ := 1
			if cond.Y.(*ssa.Const).Int64() == way.Jump {
				succ = 0
			}
			s = f.edge(s, b, b.Succs[succ], succ)
			start, n = b.Succs[succ].Instrs[0], -1
		}
		f.looking = true
		return f.followsFrom(start, n+1, s, at, is)
	}
	stores := func(call *ssa.Call) bool {
		for k, i := range f.put {
			if k.life == l && i != nil && (i == call || i.Parent() != f.fn) {
				return true
			}
		}
		return false
	}
	for call, sums := range f.ways {
		// What is constant may decide which way the function takes.
		if call == at || f.probe != nil || f.in[call.Block()] == nil || slices.ContainsFunc(call.Call.Args, isConst) {
			continue
		}
		if l.kind == lifeFound && f.unrelated(call, l) && slices.ContainsFunc(sums, func(sum *summary) bool { return sum.mayEnd() && one(call, sum, sumWay{}, true) }) {
			return true
		}
		if after, _ := f.try(call, true); l.root != call && !after.get(call).of(l) && !stores(call) {
			continue
		}
		for _, sum := range sums {
			if slices.ContainsFunc(sum.Ways, func(w sumWay) bool { return one(call, sum, w, false) }) {
				return true
			}
		}
	}
	return false
}

// unrelated reports whether no condition of this function has to do with what decides whether a
// call ends an arena: what leads to the arena, an argument, or a result that may say it.
func (f *flow) unrelated(call *ssa.Call, l *life) bool {
	if fn := call.Call.StaticCallee(); fn == nil && !call.Call.IsInvoke() || fn != nil && fn.Parent() != nil {
		return false
	}
	for n, t := range resultTypes(call) {
		if b, ok := t.Underlying().(*types.Basic); (isError(t) || ok && b.Info()&types.IsString == 0) && looksAt(call, n) {
			return false
		}
	}
	var about func(v ssa.Value, depth int) bool
	about = func(v ssa.Value, depth int) bool {
		if v == l.root || depth == 0 || slices.Contains(call.Call.Args, v) {
			return true
		}
		i, ok := v.(ssa.Instruction)
		return ok && slices.ContainsFunc(i.Operands(nil), func(o *ssa.Value) bool { return *o != nil && about(*o, depth-1) })
	}
	for i := range ssas.Instrs(f.fn) {
		if branch, ok := i.(*ssa.If); ok && about(branch.Cond, 6) {
			return false
		}
	}
	return true
}

// looksAt reports whether the function looks at a result of a call.
func looksAt(call *ssa.Call, n int) bool {
	return slices.ContainsFunc(*call.Referrers(), func(i ssa.Instruction) bool {
		e, ok := i.(*ssa.Extract)
		return !ok || e.Index == n && len(*e.Referrers()) > 0
	})
}

// has reports whether something is surely of a life.
func (s *state) has(l *life) bool {
	is := func(v av) bool { return len(v.tags) == 1 && v.tags[0].life == l && !v.other }
	for _, v := range s.val {
		if is(v) {
			return true
		}
	}
	for _, v := range s.mem.all() {
		if is(v) {
			return true
		}
	}
	return false
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// gathers reports whether each turn of a loop adds a value of an arena to something all of which is
// returned or used, and ends the arena, too.
func (f *flow) gathers(t tag, at ssa.Instruction, look func(*state) av) bool {
	_, returns := at.(*ssa.Return)
	for k, i := range f.put {
		if f.probe == nil && k.life == t.life && f.addsInTurns(i, t.end.at) && !f.mayStoreOther(i, t.life) && (returns || follows(i, t.end.at) || f.inevitable(i, t.end.at)) {
			return f.follows(t.end.at, true, at, func(s *state) bool {
				v := look(s)
				return len(v.only(func(x tag) bool { return x.life == t.life && isStale(x) })) > 0 && (returns || !v.other && !slices.ContainsFunc(at.Operands(nil), func(o *ssa.Value) bool {
					of := f.eachOf(*o, 4)
					return of != nil && s.get(of).none
				}))
			})
		}
	}
	return false
}

// mayStoreOther reports whether what an instruction stores may be no value of a sync.Pool, such as
// what a field of one points to.
func (f *flow) mayStoreOther(i ssa.Instruction, l *life) bool {
	if l.kind != lifeSync || i.Parent() != f.fn || f.in[i.Block()] == nil {
		return false
	}
	s, _ := f.try(i, false)
	return slices.ContainsFunc(storedValues(i), func(x ssa.Value) bool {
		v := s.get(x)
		_, parts := x.Type().Underlying().(*types.Struct) // of which some may be something else
		return v.other && !parts && slices.ContainsFunc(v.tags, func(t tag) bool { return t.kind == inMemory && t.life == l })
	})
}

// storedValues returns what an instruction stores, or gives to a function that may store it.
func storedValues(i ssa.Instruction) []ssa.Value {
	switch i := i.(type) {
	case *ssa.Store:
		return []ssa.Value{i.Val}
	case *ssa.MapUpdate:
		return []ssa.Value{i.Key, i.Value}
	case ssa.CallInstruction:
		return i.Common().Args
	}
	return nil
}

// addsInTurns reports whether an instruction adds an element in each turn of the loops in which
// another instruction is, so that later turns do not take its place.
func (f *flow) addsInTurns(i, end ssa.Instruction) bool {
	if i.Parent() != f.fn || end.Parent() != f.fn || !f.repeats(i) {
		return false
	}
	var keys []ssa.Value
	switch i := i.(type) {
	case *ssa.MapUpdate:
		keys = []ssa.Value{i.Key}
	case *ssa.Call:
		if keys = i.Call.Args; f.appends(i) {
			if keys = []ssa.Value{i}; f.takesOut(false) {
				return false
			}
		}
	}
	return slices.ContainsFunc(keys, func(v ssa.Value) bool {
		key, ok := v.(ssa.Instruction)
		return ok && !slices.ContainsFunc(f.findLoops(), func(loop map[*ssa.BasicBlock]bool) bool {
			return loop[i.Block()] && (!loop[end.Block()] || !loop[key.Block()])
		})
	})
}

// appends reports whether a call returns a slice with the elements of its last argument added.
func (f *flow) appends(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append" || f.opOf(call) == opSliceInsert
}

// isAppend reports whether an instruction is a call that appends.
func (f *flow) isAppend(at ssa.Instruction) bool {
	call, ok := at.(*ssa.Call)
	return ok && f.appends(call)
}

// takesOut reports whether the function may take elements out of a slice, or, with some, whether it
// may leave others there.
func (f *flow) takesOut(some bool) bool {
	for i := range ssas.Instrs(f.fn) {
		switch i := i.(type) {
		case *ssa.Slice:
			if isSlice(i.X.Type()) && carries(elementType(i.X.Type())) && (i.Low != nil || i.High != nil) && !leavesSome(i, i.X) && !(some && cutAll(i)) {
				return true
			}
		case *ssa.Call:
			switch names.Path(ssas.Callee(&i.Call)) {
			case "slices.Delete", "slices.DeleteFunc", "slices.Compact", "slices.CompactFunc", "slices.Replace":
				return true
			}
		}
	}
	return false
}

// whenRun looks at a state in front of the deferred calls when those that run before d have run.
func (f *flow) whenRun(d *ssa.Defer, look func(*state) av) func(*state) av {
	return func(s *state) av {
		s = s.clone()
		for _, later := range slices.Backward(s.defers) {
			if later == d {
				return look(s)
			}
			f.call(s, later, later)
		}
		return unknown
	}
}

// chooses looks for a way on which a variable becomes the arena l, or a value of it. It reports
// whether each way from there leads to an instruction where something is so.
func (f *flow) chooses(l *life, at ssa.Instruction, is func(*state) bool) bool {
	of := func(v av) bool { return slices.ContainsFunc(v.tags, func(t tag) bool { return t.life == l }) }
	for _, b := range f.fn.Blocks {
		for _, i := range b.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok || f.probe != nil || f.in[b] == nil || !of(f.in[b].get(phi)) || !f.inevitable(phi, at) {
				break
			}
			for n, pred := range b.Preds {
				if f.in[pred] == nil || len(pred.Succs) > 1 && pred.Succs[0] == pred.Succs[1] {
					continue
				}
				from, _ := f.try(pred.Instrs[len(pred.Instrs)-1], true)
				v := from.get(phi.Edges[n])
				if v.other || len(v.tags) != 1 || !of(v) {
					continue
				}
				from = f.edge(from, pred, b, slices.Index(pred.Succs, b))
				from.set(phi, v)
				if f.always(b, 0, from, at, is) {
					return true
				}
			}
		}
	}
	return false
}

func isStale(t tag) bool { return t.kind == inMemory && t.end != nil }

// follows reports whether each way from an instruction leads to another one, where something is so.
func (f *flow) follows(start ssa.Instruction, after bool, at ssa.Instruction, is func(*state) bool) bool {
	b := start.Block()
	if f.probe != nil || b == nil || b.Parent() != f.fn || f.in[b] == nil {
		return false
	}
	if _, ok := start.(*ssa.Defer); ok {
		return false
	}
	from, n := f.try(start, after)
	return f.followsFrom(start, n, from, at, is)
}

// followsFrom is follows for a state behind the instruction, at a place in its block.
func (f *flow) followsFrom(start ssa.Instruction, n int, from *state, at ssa.Instruction, is func(*state) bool) bool {
	if f.inevitable(start, at) {
		return f.always(start.Block(), n, from, at, is)
	}
	results := f.fn.Signature.Results()
	if results.Len() == 0 || !isError(results.At(results.Len()-1).Type()) {
		return false
	}
	// Nobody looks at what is returned with an error, and other ways have none.
	if _, ok := at.(*ssa.Return); ok {
		return f.alwaysOut(start.Block(), n, from, at, func(s *state, i ssa.Instruction) bool {
			return i == at && is(s) || i != at && s.fails(i.(*ssa.Return))
		})
	}
	if f.c.pools {
		return false
	}
	seen := false
	return behind(start, at) && f.alwaysAt(start.Block(), n, from, func(i ssa.Instruction) bool { _, ok := i.(*ssa.Return); return ok || i == at }, func(s *state, i ssa.Instruction) bool {
		seen = seen || i == at
		return i == at && is(s) || i != at && s.fails(i.(*ssa.Return))
	}) && seen
}

// nextTurn returns the first block of a loop of which only another turn leads from an instruction
// to another one, or nil.
func (f *flow) nextTurn(start, at ssa.Instruction) *ssa.BasicBlock {
	from, to := start.Block(), at.Block()
	f.findLoops()
	for _, head := range f.fn.Blocks {
		loop := f.heads[head]
		if !loop[from] || !loop[to] || from == to && follows(start, at) {
			continue
		}
		seen := map[*ssa.BasicBlock]bool{head: true}
		var reach func(b *ssa.BasicBlock) bool
		reach = func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Succs, func(next *ssa.BasicBlock) bool {
				if seen[next] || !loop[next] {
					return false
				}
				seen[next] = true
				return next == to || reach(next)
			})
		}
		if !reach(from) {
			return head
		}
	}
	return nil
}

// lastTurn reports whether only another turn of a loop leads from an instruction to another one,
// and the first one is done on a condition: that may say that the turn is the last.
func (f *flow) lastTurn(start, at ssa.Instruction) bool {
	head := f.nextTurn(start, at)
	return head != nil && slices.ContainsFunc(head.Preds, func(b *ssa.BasicBlock) bool {
		return f.heads[head][b] && !start.Block().Dominates(b) && !slices.ContainsFunc(f.loops, func(inner map[*ssa.BasicBlock]bool) bool {
			return inner[b] && !inner[start.Block()]
		})
	})
}

// leads is follows for a way behind a select, which begins at a block.
func (f *flow) leads(way *ssa.BasicBlock, begin *state, at ssa.Instruction, is func(*state) bool) bool {
	if first := way.Instrs[0]; f.probe != nil || first != at && !f.inevitable(first, at) {
		return false
	}
	return f.always(way, 0, begin, at, is)
}

// always reports whether each way from a place in a block leads to an instruction, where something
// is so.
func (f *flow) always(b *ssa.BasicBlock, n int, from *state, at ssa.Instruction, is func(*state) bool) bool {
	return f.alwaysAt(b, n, from, func(i ssa.Instruction) bool { return i == at }, func(s *state, _ ssa.Instruction) bool { return is(s) })
}

// alwaysOut is always for what leaves the function: each way leads to a return, or to the deferred
// calls, where something is so. One of them is the given one.
func (f *flow) alwaysOut(b *ssa.BasicBlock, n int, from *state, at ssa.Instruction, is func(*state, ssa.Instruction) bool) bool {
	if !leaves(at) {
		return false
	}
	seen := false
	return f.alwaysAt(b, n, from, func(i ssa.Instruction) bool { return reflect.TypeOf(i) == reflect.TypeOf(at) }, func(s *state, i ssa.Instruction) bool {
		seen = seen || i == at
		return is(s, i)
	}) && seen
}

func (f *flow) alwaysAt(b *ssa.BasicBlock, n int, from *state, at func(ssa.Instruction) bool, is func(*state, ssa.Instruction) bool) bool {
	if f.probe != nil {
		return false
	}
	looking := f.looking
	defer func() { f.looking, f.probe = looking, nil }()
	f.looking = false
	seen, all := false, true
	f.probe = &probe{at, func(s *state, i ssa.Instruction) { seen, all = true, all && is(s, i) }}
	return f.solve(map[*ssa.BasicBlock]*state{}, b, n, from.clone()) && seen && all
}

// shut reports whether an arena is closed at an instruction: on all ways, or on all that come from
// what has closed it.
func (f *flow) shut(c condition, l *life, at ssa.Instruction) bool {
	return c.shut || f.follows(c.closed.at, true, at, func(s *state) bool { return s.lives[l].shut })
}

// A try has the state at an instruction, from where ways are followed.
type try struct {
	from *state
	n    int // the place of the instruction in its block
}

type tryKey struct {
	start ssa.Instruction
	after bool
}

func (f *flow) try(start ssa.Instruction, after bool) (*state, int) {
	k := tryKey{start, after}
	if t, ok := f.tries[k]; ok {
		return t.from, t.n
	}
	if f.tries == nil {
		f.tries = map[tryKey]try{}
	}
	looking := f.looking
	defer func() { f.looking = looking }()
	f.looking = false
	b := start.Block()
	n := slices.Index(b.Instrs, start)
	s := f.in[b].clone()
	for _, i := range b.Instrs[:n] {
		f.step(s, i)
	}
	if after {
		f.step(s, start)
		n++
	}
	f.tries[k] = try{s, n}
	return s, n
}

// inevitable reports whether each way from one instruction to the end of the function goes through
// another one. Ways that leave the loop in which the other one is do not count, and one turn of it
// may be left early.
func (f *flow) inevitable(start, at ssa.Instruction) bool {
	from, to := start.Block(), at.Block()
	if from == nil || to == nil {
		return false
	}
	if from == to && start != at && follows(start, at) {
		return true
	}
	type place struct {
		b     *ssa.BasicBlock
		again bool
	}
	leaves := func(b, next *ssa.BasicBlock) bool {
		for _, loop := range f.findLoops() {
			if loop[to] && loop[b] && !loop[next] {
				return true
			}
		}
		return false
	}
	seen := map[place]bool{}
	var visit func(p place) bool
	visit = func(p place) bool {
		if seen[p] {
			return true
		}
		seen[p] = true
		if len(p.b.Succs) == 0 {
			_, isPanic := p.b.Instrs[len(p.b.Instrs)-1].(*ssa.Panic)
			return isPanic
		}
		for _, next := range p.b.Succs {
			if leaves(p.b, next) || f.firstTurn(p.b, next) {
				continue
			}
			q := place{next, p.again}
			if next.Dominates(p.b) && f.around(next, to) {
				if p.again {
					return false
				}
				q.again = true
			}
			if next == to {
				continue
			}
			if !visit(q) {
				return false
			}
		}
		return true
	}
	if !visit(place{from, false}) {
		return false
	}
	return behind(start, at) // it has to be reached at all
}

// firstTurn reports whether a block follows another one only in the first turn of a loop: a
// variable that other turns fill is nil.
func (f *flow) firstTurn(b, next *ssa.BasicBlock) bool {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	phi, ok := cond.X.(*ssa.Phi)
	if !ok || whenNil(cond, phi) != slices.Index(b.Succs, next)+1 || !f.around(phi.Block(), b) {
		return false
	}
	for n, e := range phi.Edges {
		c, isConst := e.(*ssa.Const)
		if turn := f.heads[phi.Block()][phi.Block().Preds[n]]; turn == isConst || isConst && c.Value != nil {
			return false
		}
	}
	return true
}

// behind reports whether a way leads from an instruction to another one.
func behind(start, at ssa.Instruction) bool {
	if start.Block() == at.Block() && start != at && follows(start, at) {
		return true
	}
	reached := map[*ssa.BasicBlock]bool{}
	for work := []*ssa.BasicBlock{start.Block()}; len(work) > 0; work = work[1:] {
		for _, next := range work[0].Succs {
			if !reached[next] {
				reached[next] = true
				work = append(work, next)
			}
		}
	}
	return reached[at.Block()]
}

// around reports whether a block begins a loop that has another block.
func (f *flow) around(head, b *ssa.BasicBlock) bool {
	f.findLoops()
	return f.heads[head][b]
}

// findLoops finds the natural loops of the function: the blocks from which a jump back to the first
// one is reached. A loop has the blocks of an inner loop that begins with the same block.
func (f *flow) findLoops() []map[*ssa.BasicBlock]bool {
	if f.loops != nil {
		return f.loops
	}
	f.inLoop = map[*ssa.BasicBlock]bool{}
	f.heads = map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool{}
	f.loops = []map[*ssa.BasicBlock]bool{}
	for _, head := range f.fn.Blocks {
		jumps := slices.DeleteFunc(slices.Clone(head.Preds), func(b *ssa.BasicBlock) bool { return !head.Dominates(b) })
		if len(jumps) == 0 {
			continue
		}
		f.heads[head] = loopOf(head, jumps)
		f.loops = append(f.loops, f.heads[head])
		maps.Copy(f.inLoop, f.heads[head])
		if inner := f.innerJumps(jumps); len(inner) > 0 {
			f.loops = append(f.loops, loopOf(head, inner))
		}
	}
	return f.loops
}

// loopOf returns the blocks from which some jumps to a block are reached.
func loopOf(head *ssa.BasicBlock, jumps []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	loop := map[*ssa.BasicBlock]bool{head: true}
	for work := slices.Clone(jumps); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !loop[b] {
			loop[b] = true
			work = append(work, b.Preds...)
		}
	}
	return loop
}

// innerJumps returns the jumps to a block that belong to the innermost of several loops in the
// source, or nothing if there is one loop.
func (f *flow) innerJumps(jumps []*ssa.BasicBlock) (inner []*ssa.BasicBlock) {
	if len(jumps) < 2 || f.fn.Syntax() == nil {
		return nil
	}
	around := func(b *ssa.BasicBlock) (loop ast.Node) {
		n := slices.IndexFunc(b.Instrs, func(i ssa.Instruction) bool { return ssas.PosOf(i).IsValid() })
		if n < 0 {
			return nil
		}
		pos := ssas.PosOf(b.Instrs[n])
		ast.Inspect(f.fn.Syntax(), func(node ast.Node) bool {
			switch node.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if node.Pos() <= pos && pos < node.End() {
					loop = node
				}
			}
			return true
		})
		return loop
	}
	var last ast.Node
	for _, b := range jumps {
		if loop := around(b); loop != nil && (last == nil || last.Pos() < loop.Pos() && loop.End() <= last.End()) {
			last = loop
		}
	}
	for _, b := range jumps {
		if around(b) == last {
			inner = append(inner, b)
		}
	}
	if len(inner) == len(jumps) {
		return nil
	}
	return inner
}

// found adds a finding to the checker, and returns it for its fix.
func (f *flow) found(code string, pos token.Pos, maybe bool, t tag, format string, args ...any) *finding {
	d := f.report(code, pos, maybe, t, format, args...)
	if d == nil {
		return new(finding) // which nobody wants
	}
	f.c.add(d)
	return d
}
