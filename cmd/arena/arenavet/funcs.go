package arenavet

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A fnValue is a function that a value may be.
type fnValue struct {
	fn      *ssa.Function    // or
	literal *ssa.MakeClosure // or
	sum     *summary         // of a literal that another function has made
	at      loc              // where that has what it has captured
	once    bool             // a second call does nothing
}

// A target is a function with what it has captured.
type target struct {
	sum   *summary
	bound []av
	once  bool
}

const maxTargets = 4 // a call with more is not followed

// A sumFunc is a function literal in terms of parameters.
type sumFunc struct {
	Sum   *summary
	Bound []sumValue
	Once  bool
}

// A sumCall is a call of a function that the caller has given.
type sumCall struct {
	Fn     place
	Method string // of an interface
	Args   []sumValue
	Ends   []callEnd
	Next   []callEnd // what it was given has ended when it is called again
	Scopes []place   // arenas whose values of this call end: a Mark comes before, and its Rewind behind
	Sure   bool      // it is made in each call
	Again  bool      // it is made several times
	site   ssa.Instruction
}

// A callEnd is an arena of arguments of a call that ends before the function returns.
type callEnd struct {
	New lifeKind
	N   int
	Of  place
	If  bool // only if the function has returned true
	// After is true if each end comes behind the call, so that what that returns has ended.
	After bool
}

// Steps of paths of what belongs to calls. What lies below a place does not have them.
const (
	stepCall  = "%call"  // the result of a call of a function that was given
	stepArg   = "%arg"   // what it was given
	stepMade  = "%o"     // what another function has made
	stepOut   = "%taken" // what was taken out of a value of a sync.Pool
	stepBound = "%bound" // what a function literal of another function has captured
)

// joinFns returns the functions that two values may be, or some of them if they are too many.
func joinFns(v, w []fnValue) []fnValue {
	for _, fn := range w {
		if len(v) < maxTargets && !slices.Contains(v, fn) {
			v = append(slices.Clip(v), fn)
		}
	}
	return v
}

// joinTypes returns the types that two interfaces may have. It is nil if not all of them are known.
func joinTypes(v, w []types.Type) []types.Type {
	if v == nil || w == nil {
		return nil
	}
	for _, t := range w {
		if !containsType(v, t) {
			v = append(slices.Clip(v), t)
		}
	}
	if len(v) > maxTargets {
		return nil
	}
	return v
}

func containsType(all []types.Type, t types.Type) bool {
	return slices.ContainsFunc(all, func(x types.Type) bool { return types.Identical(x, t) })
}

// targets returns the functions that v may be, or nothing if one of them is not known.
func (f *flow) targets(s *state, v av) (all []target) {
	if v.open {
		return nil
	}
	for _, fn := range v.fns {
		t, ok := f.targetOf(s, v, fn)
		if !ok {
			return nil
		}
		all = append(all, t)
	}
	return all
}

func (f *flow) targetOf(s *state, v av, fn fnValue) (t target, ok bool) {
	t.once = fn.once
	switch {
	case fn.literal != nil:
		t.sum = f.c.summaryOf(fn.literal.Fn.(*ssa.Function))
		for _, b := range fn.literal.Bindings {
			t.bound = append(t.bound, f.through(v, s.get(b)))
		}
	case fn.fn != nil:
		if opOf(ssas.Declared(fn.fn)) != opNone {
			return t, false
		}
		t.sum = f.c.summaryOf(fn.fn)
	default:
		t.sum = fn.sum
		for n := range fn.sum.Bound {
			x, ok := s.mem.get(boundAt(fn.at, n))
			if !ok {
				x = unknown
			}
			t.bound = append(t.bound, x)
		}
	}
	return t, t.sum != nil
}

func boundAt(l loc, n int) loc { return l.add(stepBound + strconv.Itoa(n)) }

// invoke calls one of several functions. It reports whether something is known of what they do.
func (f *flow) invoke(s *state, targets []target, args []av, at ssa.Instruction, root loc, typ types.Type, sure bool) (result []av, ok bool) {
	if len(targets) == 0 || len(f.invoked) > 8 || f.steps > maxSteps {
		return nil, false
	}
	// A function that calls itself by a variable does in each call the same as in the outer one.
	if slices.ContainsFunc(targets, func(t target) bool { return slices.Contains(f.invoked, t.sum) }) {
		return nil, false
	}
	once := f.once
	defer func() { f.once = once }()
	one := func(s *state, t target) []av {
		f.invoked = append(f.invoked, t.sum)
		defer func() { f.invoked = f.invoked[:len(f.invoked)-1] }()
		f.once = once || t.once
		params := slices.Clone(args)
		for len(params) < t.sum.Params {
			params = append(params, unknown)
		}
		return f.apply(s, t.sum, append(params[:t.sum.Params:t.sum.Params], t.bound...), at, root, typ, sure)
	}
	if len(targets) == 1 {
		return one(s, targets[0]), true
	}
	choice := f.choice
	f.choice = true
	defer func() { f.choice = choice }()
	var states []*state
	for n, t := range targets {
		x := s.clone()
		states = append(states, x)
		for i, v := range one(x, t) {
			if len(v.tags) == 0 && v.ptr.root != nil {
				v.other = true // it is on the heap
			}
			switch {
			case n == 0:
				result = append(result, v)
			case i < len(result):
				result[i] = joinValues(result[i], v)
			}
		}
	}
	s.oneOf(states, at)
	return result, true
}

// oneOf makes s what is so in each of several states that an instruction may lead to. Lives of
// which something is stored in all of them are where they are in one of them; others are not
// certain.
func (s *state) oneOf(states []*state, at ssa.Instruction) {
	before := s.clone()
	stored := func(x *state) map[*life]bool {
		all := map[*life]bool{}
		for l, v := range x.mem.inOrder() {
			old, _ := before.mem.get(l)
			for _, t := range v.tags {
				if !slices.Contains(old.tags, t) && !t.some {
					all[t.life] = true
				}
			}
		}
		return all
	}
	sure := stored(states[0])
	all := states[0].clone()
	for _, x := range states[1:] {
		others := stored(x)
		maps.DeleteFunc(sure, func(l *life, _ bool) bool { return !others[l] })
		all.join(x, at.Block())
	}
	for _, x := range states {
		for l, v := range x.mem.inOrder() {
			if _, ok := before.mem.get(l); !ok && slices.ContainsFunc(v.tags, func(t tag) bool { return sure[t.life] }) {
				for _, y := range states {
					if w, ok := y.mem.get(l); ok {
						v = joinValues(v, w)
					}
				}
				all.mem.set(l, v)
			}
		}
	}
	for l, v := range all.mem.inOrder() {
		old, _ := before.mem.get(l)
		if v, changed := v.change(true, func(t tag) tag {
			t.some = t.some || !sure[t.life] && !slices.Contains(old.tags, t)
			return t
		}); changed {
			v.other = true
			all.mem.set(l, v)
		}
	}
	*s = *all
}

// dynamic is for a call of a function value, or of a method of an interface, that several functions
// may be, or that the caller gives.
func (f *flow) dynamic(s *state, call ssa.CallInstruction, at ssa.Instruction, value *ssa.Call) bool {
	c := call.Common()
	v := s.get(c.Value)
	var args []av
	var all []target
	if c.IsInvoke() {
		args = append(args, v)
		if all = f.methods(v, c); len(all) > 1 && !f.c.pools { // the package may give one of them only
			if fns := f.c.callees(call); len(fns) == 1 && f.c.summaryOf(fns[0]) != nil {
				all = []target{{sum: f.c.summaryOf(fns[0])}}
			}
		}
	} else {
		if all = f.targets(s, v); all == nil && (!v.given() || registered(v)) {
			for _, fn := range f.c.callees(call) {
				sum := f.c.summaryOf(fn)
				if sum == nil {
					all = nil
					break
				}
				all = append(all, target{sum: sum, bound: f.boundElsewhere(fn)})
			}
		}
	}
	args = append(args, s.values(c.Args)...)
	if p, ok := c.Value.(*ssa.Parameter); ok && c.IsInvoke() && len(all) != 1 && slices.ContainsFunc(args[1:], av.tagged) {
		f.c.given[p] = true
	}
	if len(all) == 0 {
		f.useElements(s, c, at)
	}
	if len(all) != 1 {
		defer f.keptByEach(s, call, v, args, at)
	}
	root := valueOf(at)
	if root == nil {
		return false
	}
	var results []av
	if len(all) > 0 {
		var typ types.Type
		if value != nil {
			typ = value.Type()
		}
		var ok bool
		if results, ok = f.invoke(s, all, args, at, loc{root, f.nest}, typ, true); !ok {
			return false
		}
	} else {
		method := ""
		if c.IsInvoke() {
			if method = c.Method.Name(); c.Method.Pkg() != f.c.pkg || readsOnly(c.Method) {
				return false
			}
		}
		r, ok := f.handed(s, v, method, args, at, lifeKey{root, f.nest + stepCall})
		if !ok {
			return false
		}
		f.unknownCall(s, append([]ssa.Value{c.Value}, c.Args...), method == "", at)
		if method == "" {
			s.waited()
		}
		results = []av{r}
	}
	f.setResults(s, value, results)
	return true
}

// captured is the package of variables that stand for what functions have captured elsewhere.
const captured = "captured"

// boundElsewhere returns what a function has captured in another one, which lives longer than the
// call.
func (f *flow) boundElsewhere(fn *ssa.Function) (all []av) {
	for _, v := range fn.FreeVars {
		x := unknown
		if g := f.c.global(captured + " " + v.Name()); g != nil && isPointer(v.Type()) && !ofLiterals(v) {
			x = av{other: true, ptr: loc{g, ""}}
		}
		all = append(all, x)
	}
	return all
}

// ofLiterals reports whether only function literals look at a variable: one of them may be the last
// that is called, and use what another one has left there.
func ofLiterals(v *ssa.FreeVar) bool {
	alloc, ok := variable(v).(*ssa.Alloc)
	return ok && !slices.ContainsFunc(*alloc.Referrers(), func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.Store: // of something that others have
			return i.Addr != alloc || isPointer(i.Val.Type()) && !isConst(i.Val)
		case *ssa.MakeClosure, *ssa.DebugRef:
			return false
		}
		return true
	})
}

// registered reports whether a function was found in a map or a slice in a field of what the caller
// has given: callers seldom know which one it is.
func registered(v av) bool {
	field, elem := strings.Index(v.tags[0].life.path, "."), strings.LastIndex(v.tags[0].life.path, stepElem)
	return field >= 0 && field < elem
}

// handed notes that a function which the caller has given is called, or a method of an interface.
// It returns what the call returns.
func (f *flow) handed(s *state, v av, method string, args []av, at ssa.Instruction, key lifeKey) (av, bool) {
	if !v.given() {
		return unknown, false
	}
	p, ok := f.sum.placeOf(v.tags[0].life.lifeKey)
	if !ok || len(args) > 6 || f.sum.sites == nil {
		return unknown, false
	}
	n, ok := f.sum.sites[key]
	if !ok && method != "" && f.nest != "" && slices.ContainsFunc(f.sum.Calls, func(c sumCall) bool { return c.Fn == p && c.Method == method }) {
		return unknown, false // once more, by a function that calls itself
	}
	if !ok {
		if n = len(f.sum.Calls); n >= 10 {
			return unknown, false
		}
		f.sum.sites[key] = n
		f.sum.Calls = append(f.sum.Calls, sumCall{Fn: p, Method: method, Args: make([]sumValue, len(args)), Again: f.repeats(at), site: at})
	}
	for i, a := range args {
		l := loc{key.root, key.path + stepArg + strconv.Itoa(i)}
		s.mem.set(l, a)
		if f.looking && i < len(f.sum.Calls[n].Args) {
			f.sum.Calls[n].Args[i] = joinSums(f.sum.Calls[n].Args[i], f.encode(s, a, 0))
		}
	}
	return av{tags: []tag{{life: f.newLife(key, lifeFound, nil), kind: ofParam}}, ptr: loc{key.root, key.path + "="}}, true
}

// setResults sets the results of a call, if somebody looks at them.
func (f *flow) setResults(s *state, value *ssa.Call, results []av) {
	if value == nil {
		return
	}
	if t, ok := value.Type().(*types.Tuple); ok {
		sub := map[string]av{}
		for n := range t.Len() {
			if n < len(results) && carries(t.At(n).Type()) {
				sub[extracted(n)] = results[n]
			}
		}
		s.val[value] = av{sub: sub}
		return
	}
	if len(results) == 1 && carries(value.Type()) {
		s.set(value, results[0])
		return
	}
	s.set(value, unknown)
}

// encodeFns returns the functions that v may be, in terms of the parameters.
func (f *flow) encodeFns(s *state, v av) (all []sumFunc) {
	if f.encoding > 2 {
		return nil
	}
	f.encoding++
	defer func() { f.encoding-- }()
	for _, fn := range v.fns {
		t, ok := f.targetOf(s, v, fn)
		if !ok {
			return nil
		}
		r := sumFunc{Sum: t.sum, Once: t.once}
		for _, b := range t.bound {
			r.Bound = append(r.Bound, f.encode(s, b, 0))
		}
		all = append(all, r)
	}
	return all
}

// ends finds out which arenas of the arguments of calls have ended when the function returns.
func (s *summary) callEnds(f *flow) {
	for key, n := range s.sites { // each is a call of its own
		call := &s.Calls[n]
		call.Sure = f.isDone(call.site)
		var seen []callEnd
		var gather func(v sumValue)
		gather = func(v sumValue) {
			for _, t := range v.Tags {
				e := callEnd{New: t.New, N: t.N, Of: t.Of}
				if t.Kind != ofParam && t.Kind != isMark && !t.Stale && !slices.Contains(seen, e) {
					seen = append(seen, e)
				}
			}
			for _, path := range slices.Sorted(maps.Keys(v.Below)) {
				gather(v.Below[path])
			}
		}
		for _, a := range call.Args {
			gather(a)
		}
		slices.SortStableFunc(seen, func(a, b callEnd) int { return a.N - b.N })
		for _, e := range seen {
			always, iftrue, some := true, true, false
			for i, x := range f.exits {
				reached := false
				for path := range x.mem.entries(key.root) {
					reached = reached || strings.HasPrefix(path, key.path+stepArg)
				}
				if !reached {
					continue
				}
				if f.endedIn(x, s, e, key) {
					some = true
					continue
				}
				always = false
				if !refused(f.rets[i].Block(), call.site) {
					iftrue = false
				}
			}
			if some && (always || iftrue) {
				e.If, e.After = !always, true
				for k := range f.endAt {
					_, deferred := k.at.(*ssa.Defer)
					e.After = e.After && (!f.isOf(k.life, s, e) || deferred || follows(call.site, k.at))
				}
				call.Ends = append(call.Ends, e)
			}
			if slices.ContainsFunc(f.turned[key], func(l *life) bool { return f.isOf(l, s, callEnd{New: e.New, N: e.N, Of: e.Of}) }) {
				call.Next = append(call.Next, e)
			}
		}
	}
}

// turnsOf notes which arenas of the arguments of a call have ended since it was made in the turn of
// a loop before.
func (f *flow) turnsOf(s *state, call *ssa.Call) {
	if !f.looking {
		return
	}
	for path, v := range s.mem.entries(call) {
		before, _, ok := strings.Cut(path, stepArg)
		stale := v.only(func(t tag) bool { return isStale(t) && !t.end.soft })
		if !ok || len(stale) < len(v.tags) {
			continue
		}
		for _, t := range stale {
			f.turned[lifeKey{call, before}] = append(f.turned[lifeKey{call, before}], t.life)
		}
	}
}

// isDone reports whether an instruction lies on each way to a return.
func (f *flow) isDone(at ssa.Instruction) bool {
	return !slices.ContainsFunc(f.rets, func(ret *ssa.Return) bool { return !at.Block().Dominates(ret.Block()) })
}

// isOf reports whether a life is what ends.
func (f *flow) isOf(l *life, s *summary, e callEnd) bool {
	if e.New != lifeFound {
		return e.N < len(f.made) && f.made[e.N] == l
	}
	p, ok := s.placeOf(l.lifeKey)
	return ok && p == e.Of
}

// over reports whether an arena has ended at each exit.
func (f *flow) over(e callEnd) bool {
	for _, x := range f.exits {
		ended := false
		for l, c := range x.lives {
			ended = ended || f.isOf(l, f.sum, e) && c.ended != nil && !c.open
		}
		if !ended {
			return false
		}
	}
	return len(f.exits) > 0
}

// endedIn reports whether an arena, or all of it that a call was given, has ended at an exit.
func (f *flow) endedIn(x *state, s *summary, e callEnd, key lifeKey) bool {
	is := func(l *life) bool { return f.isOf(l, s, e) }
	for l, c := range x.lives {
		if is(l) && c.ended != nil && !c.ended.soft && !c.open {
			return true
		}
	}
	found := false
	for path, v := range x.mem.entries(key.root) {
		if !strings.HasPrefix(path, key.path+stepArg) {
			continue
		}
		for _, t := range v.tags {
			if t.kind == inMemory && is(t.life) {
				if t.end == nil || t.end.soft {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// refused reports whether a block is reached only if a call has returned false.
func refused(b *ssa.BasicBlock, site ssa.Instruction) bool {
	call, ok := site.(*ssa.Call)
	if !ok {
		return false
	}
	branch, ok := site.Block().Instrs[len(site.Block().Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	succ := 1
	if not, ok := branch.Cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		if not.X != call {
			return false
		}
		succ = 0
	} else if branch.Cond != call {
		return false
	}
	next := site.Block().Succs[succ]
	return len(next.Preds) == 1 && next.Dominates(b)
}

// goesOn reports whether each return of a function says that its caller goes on: it has true for
// its first result, no error, or no results.
func goesOn(rets []*ssa.Return) bool {
	for _, ret := range rets {
		if len(ret.Results) == 0 {
			continue
		}
		c, ok := ret.Results[0].(*ssa.Const)
		if !ok || !(c.Value == nil && isError(c.Type()) || c.Value != nil && c.Value.Kind() == constant.Bool && constant.BoolVal(c.Value)) {
			return false
		}
	}
	return len(rets) > 0
}

// applyCall calls a function that a function was given which is called.
func (f *flow) applyCall(s *state, sum *summary, n int, call sumCall, params []av, at ssa.Instruction, made memoryOf, lives map[int]*life, sure bool) av {
	root := valueOf(at)
	v := f.at(s, params, call.Fn, false)
	if root == nil || len(f.invoked) > 8 || call.Method != "" && len(f.invoked) > 2 {
		return unknown
	}
	nest := f.nest
	f.nest += "%" + strconv.Itoa(n)
	defer func() { f.nest = nest }()
	given := func(s *state) (args []av) {
		for i, a := range call.Args {
			arg := f.place(s, made.resolve(a, false), loc{root, f.nest + stepArg + strconv.Itoa(i)}, made)
			if a.Parts {
				arg = s.withFields(arg, a)
			}
			args = append(args, arg)
		}
		return args
	}
	args := given(s)
	targets := f.targets(s, v)
	if call.Method != "" {
		targets = f.methodsOf(v, call.Method)
	}
	var results []av
	ok := false
	if targets == nil {
		var r av
		if r, ok = f.handed(s, v, call.Method, args, at, lifeKey{root, f.nest + stepCall}); ok {
			results = []av{r}
		}
		for _, a := range args {
			f.lend(s, a)
		}
	} else if len(targets) > 1 && strings.Contains(call.Fn.Path, stepElem) {
		for _, t := range targets { // each is an element, and is called
			var one []av
			one, ok = f.invoke(s, []target{t}, args, at, loc{root, f.nest + "%r"}, nil, false)
			for i, v := range one {
				if i < len(results) {
					one[i] = joinValues(results[i], v)
				}
			}
			results = one
		}
	} else {
		results, ok = f.invoke(s, targets, args, at, loc{root, f.nest + "%r"}, nil, sure && call.Sure)
		if call.Again && ok && len(f.invoked) < 3 {
			var ended []*end
			for _, e := range call.Next {
				if l := f.lifeOf(s, e, params, lives); l != nil && goOn(targets) {
					e := *f.endIn(at, l)
					e.since = scope{at, true}
					ended = append(ended, f.endOf(e))
					ended[len(ended)-1].turn = true
				}
			}
			f.again(s, ended, func(s *state) {
				if len(ended) > 0 {
					args = given(s) // which are others now
				}
				f.invoke(s, targets, args, at, loc{root, f.nest + "%r"}, nil, true)
			}, at)
		}
	}
	for _, p := range call.Scopes {
		if a := f.at(s, params, p, true); len(arenas(a)) == 1 && !a.other {
			e := f.rewindIn(at, arenas(a)[0])
			s.mark(e, sure)
			for i, v := range results {
				results[i], _ = v.ending(e, sure)
			}
		}
	}
	if ok {
		goesOn := goOn(targets)
		for _, e := range call.Ends {
			var all []*life
			closes, called := true, true
			if e.New != lifeFound {
				if l := lives[e.N]; l != nil {
					all = append(all, l)
				}
			} else if n := slices.IndexFunc(sum.Ends, func(x sumEnd) bool { return x.At == e.Of }); n < 0 || !sum.Ends[n].Sure {
				all = arenas(f.at(s, params, e.Of, true))
				closes, called = n >= 0 && sum.Ends[n].Closes, call.Sure
			} else if ended := arenas(f.at(s, params, e.Of, true)); e.After && !e.If && len(ended) == 1 {
				for i, v := range results { // the state is changed when the function returns
					results[i], _ = v.ending(f.endIn(at, ended[0]), sure)
				}
			}
			for _, l := range all {
				if e.If && !goesOn {
					continue
				}
				end, sure := f.endIn(at, l), len(all) == 1
				if !called { // but what the function was given has ended
					e := *end
					e.since = scope{at, true}
					end = f.endOf(e)
				}
				f.behind = append(f.behind, func() { // others are called before
					if !called {
						s.mark(end, sure)
					}
					s.ending(f.endIn(at, l), closes, sure && called)
				})
				for i, v := range results {
					results[i], _ = v.ending(end, sure)
				}
			}
		}
	}
	if !ok || len(results) == 0 {
		return unknown
	}
	return results[0]
}

// goOn reports whether the caller of one of several functions goes on.
func goOn(targets []target) bool {
	return targets != nil && !slices.ContainsFunc(targets, func(t target) bool { return !t.sum.GoesOn })
}

// lifeOf returns what ends by a call of a function that was given, if that is one.
func (f *flow) lifeOf(s *state, e callEnd, params []av, lives map[int]*life) *life {
	if e.New != lifeFound {
		return lives[e.N]
	}
	if v := f.at(s, params, e.Of, true); len(arenas(v)) == 1 && !v.other {
		return arenas(v)[0]
	}
	return nil
}

// again is for a call that may be made once more, and finds what the first one has left. If what
// the first one was given has ended by then, all that the calls gather counts as ended: only the
// last element is not.
func (f *flow) again(s *state, ended []*end, call func(*state), at ssa.Instruction) {
	choice := f.choice
	f.choice = choice || len(ended) == 0
	next := s.clone()
	for _, e := range ended {
		next.mark(e, true)
	}
	call(next)
	f.choice = choice
	s.join(next, at.Block())
	for l, v := range s.mem.all() {
		if at, ok := f.storedBy(l, nil).(*ssa.MapUpdate); !strings.Contains(l.path, "[") || ok && isConst(at.Key) {
			continue
		}
		for _, e := range ended {
			if v.stale(false) || len(v.only(func(t tag) bool { return t.end == e })) == 0 {
				continue
			}
			v.tags = v.only(func(t tag) bool { return t.life != e.life || t.end != nil })
			s.mem.set(l, v)
		}
	}
}

// A memoryOf is the memory that a called function has made.
type memoryOf struct {
	base  loc                          // or nothing
	value func(v sumValue, in bool) av // without what lies in its memory; in is true for an element
}

// cell returns where one object lies.
func (m memoryOf) cell(n int) loc { return m.base.add(stepMade + strconv.Itoa(n)) }

// at returns where the memory of a value lies, which is l if others do not have it.
func (m memoryOf) at(v sumValue, l loc) loc {
	if v.Obj > 0 && m.base.root != nil {
		return m.cell(v.Obj).add(v.Field)
	}
	return l
}

// set puts a value at a place, beside what functions have put there that were called meanwhile.
func (m memoryOf) set(s *state, l loc, v av) {
	if old, ok := s.mem.get(l); ok && strings.Contains(l.path, stepMade) {
		v = joinValues(old, v)
	}
	sub := v.sub
	v.sub = nil
	s.mem.set(l, v)
	for field, x := range sub { // as store does it
		m.set(s, l.add(field), x)
	}
}

// A resolved value of a summary is one in terms of the arguments of a call.
type resolved struct {
	sumValue
	v     av
	below map[string]resolved
	bound [][]resolved // of its functions
}

// resolve finds out what a value of a summary is, and what lies in its memory, before anything of
// that is changed.
func (m memoryOf) resolve(v sumValue, in bool) resolved {
	r := resolved{sumValue: v, v: m.value(v, in)}
	for path, x := range v.Below {
		if r.below == nil {
			r.below = map[string]resolved{}
		}
		r.below[path] = m.resolve(x, in || strings.Contains(path, "["))
	}
	for _, fn := range v.Fns {
		var all []resolved
		for _, b := range fn.Bound {
			all = append(all, m.resolve(b, false))
		}
		r.bound = append(r.bound, all)
	}
	return r
}

// place puts what lies in the memory of a value there, which is at l unless others have it, too. It
// returns the value.
func (f *flow) place(s *state, r resolved, l loc, made memoryOf) av {
	v := r.v
	if l = made.at(r.sumValue, l); !l.known() {
		return unknown
	}
	if v.ptr.root == nil && !v.zero() || len(r.below) > 0 || r.Made {
		v.ptr = l
	}
	for _, path := range slices.Sorted(maps.Keys(r.below)) {
		below := v.ptr.add(path)
		x := f.place(s, r.below[path], below.add(stepDeref), made)
		if path == "" && len(x.sub) > 0 {
			x.ptr = loc{} // a struct was copied there: its fields have places of their own
		}
		x.sub = maps.Clone(x.sub) // of a struct that was copied: without fields that were stored anew
		maps.DeleteFunc(x.sub, func(field string, _ av) bool { _, anew := r.below[path+field]; return anew })
		made.set(s, below, x)
	}
	if len(r.Fns) > 0 {
		v.fns, v.open = nil, r.Open
		if v.ptr.root == nil {
			v.ptr = l
		}
	}
	for n, fn := range r.Fns {
		at := l.add("%f" + strconv.Itoa(n))
		for i, b := range r.bound[n] {
			s.mem.set(boundAt(at, i), f.place(s, b, at.add("%b"+strconv.Itoa(i)), made))
		}
		v.fns = append(v.fns, fnValue{sum: fn.Sum, at: at, once: fn.Once})
	}
	return v
}

// methodsOf returns the methods of a name that an interface may have, if its types are known.
func (f *flow) methodsOf(v av, name string) (all []target) {
	for _, t := range v.dyn {
		m, _, _ := types.LookupFieldOrMethod(t, false, f.c.pkg, name)
		method, ok := m.(*types.Func)
		if !ok {
			return nil
		}
		fn := f.c.method(t, method)
		if fn == nil || f.c.summaryOf(fn) == nil {
			return nil
		}
		all = append(all, target{sum: f.c.summaryOf(fn)})
	}
	return all
}

// followAs follows functions once more for each type that their callers in the package give them
// for an interface, if they give a value of an arena to a method of it.
func (c *checker) followAs() {
	if c.quiet || len(c.given) == 0 {
		return
	}
	as := map[*ssa.Parameter][]types.Type{}
	var add func(p *ssa.Parameter, v ssa.Value, depth int)
	add = func(p *ssa.Parameter, v ssa.Value, depth int) {
		switch v := v.(type) {
		case *ssa.MakeInterface:
			if !containsType(as[p], v.X.Type()) && len(as[p]) < maxTargets {
				as[p] = append(as[p], v.X.Type())
			}
		case *ssa.ChangeInterface:
			add(p, v.X, depth)
		case *ssa.Phi:
			for _, e := range v.Edges {
				if depth > 0 {
					add(p, e, depth-1)
				}
			}
		}
	}
	for _, i := range c.instrs() {
		call, ok := i.(ssa.CallInstruction)
		if !ok || call.Common().StaticCallee() == nil {
			continue
		}
		for n, p := range call.Common().StaticCallee().Params {
			if c.given[p] && n < len(call.Common().Args) {
				add(p, call.Common().Args[n], 3)
			}
		}
	}
	for _, fn := range c.functions() {
		for _, p := range fn.Params {
			for _, t := range as[p] {
				c.flowAs(fn, map[ssa.Value]types.Type{p: t})
			}
		}
	}
}

// methods returns the methods that a call by an interface may call, if all of them are known.
func (f *flow) methods(v av, c *ssa.CallCommon) (all []target) {
	var fns []*ssa.Function
	for _, t := range v.dyn {
		fn := f.c.method(t, c.Method)
		if fn == nil {
			return nil
		}
		fns = append(fns, fn)
	}
	if fns == nil {
		fns = f.c.implementations(c)
	}
	if fns == nil && c.IsInvoke() {
		if sum := f.c.byInterface(c); sum != nil {
			return []target{{sum: sum}}
		}
	}
	for _, fn := range fns {
		sum := f.c.summaryOf(fn)
		if sum == nil && slices.Contains(f.c.working, fn) && len(fns) > 1 {
			sum = newSummary(fn) // it calls itself: all that it does comes from the others
			sum.Results = slices.Repeat([]sumValue{{Other: true}}, fn.Signature.Results().Len())
		}
		if sum == nil {
			return nil
		}
		all = append(all, target{sum: sum})
	}
	return all
}

// encodeTypes names types.
func encodeTypes(all []types.Type) (names []string) {
	for _, t := range all {
		star := ""
		if p, ok := t.(*types.Pointer); ok {
			star, t = "*", p.Elem()
		}
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 || n.Obj().Parent() != n.Obj().Pkg().Scope() {
			return nil
		}
		names = append(names, star+n.Obj().Pkg().Path()+" "+n.Obj().Name())
	}
	return names
}

// decodeTypes returns the types of some names, or nothing if one is not known.
func (c *checker) decodeTypes(names []string) (all []types.Type) {
	for _, name := range names {
		path, id, _ := strings.Cut(strings.TrimPrefix(name, "*"), " ")
		pkg := c.pkg
		if path != pkg.Path() {
			p := c.ssa.Prog.ImportedPackage(path)
			if p == nil {
				return nil
			}
			pkg = p.Pkg
		}
		o := pkg.Scope().Lookup(id)
		if o == nil {
			return nil
		}
		t := o.Type()
		if strings.HasPrefix(name, "*") {
			t = types.NewPointer(t)
		}
		all = append(all, t)
	}
	return all
}
