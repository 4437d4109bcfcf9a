package arenavet

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/library"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// A summary is what callers have to know of a function. It is a fact: the analysis of other
// packages gets it. Its fields are exported for encoding/gob.
type summary struct {
	Unknown  bool // the function was not understood
	Params   int  // how many there are; what a function literal has captured comes behind them
	Bound    int  // how many variables a function literal has captured
	GoesOn   bool // its first result is true
	Calls    []sumCall
	Results  []sumValue
	Stores   []sumStore
	Ends     []sumEnd
	Rewinds  []sumRewind
	Reads    []place // whose memory is used
	Allocs   []place // arenas that are used
	Perhaps  []place // the members of both that are not used in each call
	Each     []place // the members of Reads all of which are looked at
	After    []sumAfter
	Goes     []place    // arenas that a goroutine uses that nobody waits for
	Loud     bool       // one of these may signal something
	GoesIf   outcome    // what its last result says if it has started these
	Some     bool       // and then it has started them in some calls only
	Sends    []place    // what such a goroutine has, or the receiver of a channel
	Runs     []place    // functions that such a goroutine calls
	Starts   []sumStart // of the members of these
	Sent     []place    // the members of it that the receiver of a channel has
	Hands    []sumHand
	Signals  bool    // it may wake somebody who waits
	Clears   []place // maps and slices whose elements go away
	Waits    bool    // it may wait for goroutines
	Locks    bool    // it takes a lock
	Lends    bool
	Keeps    bool // it may keep something that it is given where nothing else here says it
	Ways     []sumWay
	Outcomes []sumOutcome

	fn      *ssa.Function
	sites   map[lifeKey]int        // of Calls
	by      map[place][]*goroutine // which have what Goes, Sends and Runs say
	applied int                    // see steps
}

func (*summary) AFact() {}

func (s *summary) String() string { return "arena" }

// ofCall replaces the number of a parameter: it stands for the result of a call of a function
// argument. The path is the number of the call.
const ofCall = -3

// A place is what a parameter leads to, by a path.
type place struct {
	Param  int
	Path   string
	Global string // instead of a parameter: its package and name
}

// A sumValue is an av in terms of parameters.
type sumValue struct {
	Tags  []sumTag
	Other bool
	Below below // what lies in the memory of the value, by path
	Fns   []sumFunc
	Open  bool     // it may also be another function
	Dyn   []string // the types that it may have in an interface
	None  bool     // on some way it is nil or ""
	Made  bool     // it is memory that the function has made
	Parts bool     // it is a struct, whose fields are below
	Obj   int      // which one, or 0
	Field string   // where in it
	Cell  int      // it is what lies in this one at the end, or 0
	Lies  *place   // it is what lies there at the end, or nil
	Found bool     // and it was found there on some way
	set   bool     // it is not the first one for joinSums
}

// isNew reports whether a value is nil, or refers only to what the function has made.
func (v sumValue) isNew() bool {
	if len(v.Tags) > 0 || v.Other {
		return false
	}
	for _, x := range v.Below {
		if !x.isNew() {
			return false
		}
	}
	return true
}

// A below has values by path. It is encoded in order, because facts are to be the same each time.
type below map[string]sumValue

type belowEntry struct {
	Path  string
	Value sumValue
}

func (b below) GobEncode() ([]byte, error) {
	var all []belowEntry
	for _, path := range slices.Sorted(maps.Keys(b)) {
		all = append(all, belowEntry{path, b[path]})
	}
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(all)
	return buf.Bytes(), err
}

func (b *below) GobDecode(text []byte) error {
	var all []belowEntry
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&all); err != nil {
		return err
	}
	*b = below{}
	for _, e := range all {
		(*b)[e.Path] = e.Value
	}
	return nil
}

type sumTag struct {
	Kind  tagKind
	Of    place
	New   lifeKind // if it is not lifeFound, the arena was made by the function, and Of is its Group
	N     int      // tells arenas apart that the function has made
	Stale bool
	Old   bool  // it lay in the arena before
	Lay   place // and where, or nothing; of a stale ofParam, an arena that was rewound since
	Lent  bool  // the arena was made by the function, and somebody else has it, too, or it has ended
	Some  bool  // one of several functions that may be called has stored it
	Deep  bool  // it lies where the value may point to
	Grown bool  // it is a slice that may be the one from which it has grown
	From  place // which the caller has given
}

type sumStore struct {
	At    place
	Value sumValue
	Weak  bool
	Finds bool            // something new and empty, only where nothing was
	at    ssa.Instruction // what has stored it, in a function literal
}

type sumEnd struct {
	At           place
	What         string
	Closes, Soft bool
	Sure         bool
	Sync         bool // sync.Pool.Put
	Key          int  // of the table of a Map: the number of the parameter that is the key, from 1
	When         outcome
	Once         bool // and a second call does nothing
	With         bool // it is one Put with the end before
}

// A sumAfter is a place whose memory is used when an arena, or the table of a Map, has ended: a
// mistake if it is of that.
type sumAfter struct {
	Read, End place
	What      string
	Sure      bool
	at        ssa.Instruction // of a function literal
}

// A sumHand is a value that a goroutine has, or the receiver of a channel, when an arena ends: a
// mistake if it is of that.
type sumHand struct {
	Value, Arena place
	What         string
	Send, Sure   bool
	pos          token.Pos // or none in another package
}

// A sumRewind is the end of a scope that the caller has begun.
type sumRewind struct {
	Arena, Mark place
	What        string
	Sure        bool
	at          ssa.Instruction
}

// A sumWay is what a function returns and leaves on the ways to one of its returns, if there are
// others and it has something of an arena there.
type sumWay struct {
	Results []sumValue
	Stores  []sumStore
	Jump    int64 // of the body of a loop over a sequence: where the function around it goes on, or 0
}

// on returns the summary of a call that takes one of the ways.
func (s *summary) on(way sumWay) *summary {
	one := *s
	one.Results, one.Ways = way.Results, nil
	one.Stores = slices.DeleteFunc(slices.Clone(s.Stores), func(st sumStore) bool {
		return slices.ContainsFunc(way.Stores, func(x sumStore) bool { return x.At == st.At })
	})
	one.Stores = append(one.Stores, way.Stores...)
	return &one
}

// mayEnd reports whether the function ends an arena in some of its calls.
func (s *summary) mayEnd() bool { return slices.ContainsFunc(s.Ends, sumEnd.perhaps) }

func (e sumEnd) perhaps() bool {
	return !e.Sure && !e.Sync && !e.Soft && !strings.HasSuffix(e.At.Path, pathTable)
}

// ending returns the summary of a call that ends what the function may end.
func (s *summary) ending() *summary {
	one := *s
	one.Ends = slices.Clone(s.Ends)
	for i, e := range one.Ends {
		one.Ends[i].Sure = e.Sure || e.perhaps()
	}
	return &one
}

func newSummary(fn *ssa.Function) *summary {
	return &summary{Params: len(fn.Params), Bound: len(fn.FreeVars), fn: fn, sites: map[lifeKey]int{}, by: map[place][]*goroutine{}}
}

// interesting reports whether the summary says more than nothing.
func (s *summary) interesting() bool {
	if s.Unknown || len(s.Stores)+len(s.Ends)+len(s.Rewinds)+len(s.Reads)+len(s.Allocs)+len(s.Goes)+len(s.Sends)+len(s.Runs)+len(s.Clears)+len(s.Hands) > 0 || len(s.Calls) > 0 || s.Waits || s.Lends || s.Locks || s.Keeps {
		return true
	}
	for _, r := range s.Results {
		if len(r.Tags) > 0 || len(r.Below) > 0 || len(r.Fns) > 0 || len(r.Dyn) > 0 {
			return true
		}
	}
	return false
}

// gives reports whether a function puts an arena that it has made into a field of its only result,
// and nowhere else.
func (s *summary) gives(t sumTag) bool {
	var has func(v sumValue) bool
	below := func(v sumValue) bool { return slices.ContainsFunc(slices.Collect(maps.Values(v.Below)), has) }
	has = func(v sumValue) bool {
		return below(v) || slices.ContainsFunc(v.Tags, func(x sumTag) bool { return x.New == t.New && x.N == t.N && x.Kind == isArena })
	}
	// Of several results, another one may say that there is none.
	return !t.Lent && len(s.Results) == 1 && below(s.Results[0]) && !s.Results[0].None && !s.Results[0].Other &&
		!slices.ContainsFunc(s.Stores, func(st sumStore) bool { return has(st.Value) }) &&
		!slices.ContainsFunc(s.Calls, func(c sumCall) bool { return slices.ContainsFunc(c.Args, has) })
}

// handsOver reports whether a function gives a value of a sync.Pool to its caller, or to a function
// of the caller, or takes one from it.
func (s *summary) handsOver() bool {
	if s == nil {
		return false
	}
	var gives func(v sumValue) bool
	gives = func(v sumValue) bool {
		return slices.ContainsFunc(v.Tags, func(t sumTag) bool { return t.New == lifeSync }) ||
			slices.ContainsFunc(slices.Collect(maps.Values(v.Below)), gives) // of a struct
	}
	return slices.ContainsFunc(s.Results, gives) || slices.ContainsFunc(s.Ends, func(e sumEnd) bool { return e.Sync }) ||
		slices.ContainsFunc(s.Calls, func(c sumCall) bool { return slices.ContainsFunc(c.Args, gives) })
}

// size returns how many values the summary has.
func (s *summary) size() (n int) {
	var count func(v sumValue)
	count = func(v sumValue) {
		n++
		for _, x := range v.Below {
			count(x)
		}
		for _, fn := range v.Fns {
			for _, x := range fn.Bound {
				count(x)
			}
		}
	}
	for _, v := range s.Results {
		count(v)
	}
	for _, x := range s.Stores {
		count(x.Value)
	}
	for _, c := range s.Calls {
		for _, v := range c.Args {
			count(v)
		}
	}
	return n
}

// steps returns how many instructions the summary counts as where it is applied.
func (s *summary) steps() int {
	if s.applied == 0 {
		s.applied = 1 + s.size() + len(s.Ends) + len(s.Reads) + len(s.Goes) + len(s.Sends) + len(s.Runs) + len(s.Clears)
	}
	return s.applied
}

func (s *summary) begin(c *checker) {
	for i := range ssas.Instrs(s.fn) {
		s.Signals = s.Signals || c.signals(i)
		switch i := i.(type) {
		case *ssa.UnOp:
			s.Waits = s.Waits || i.Op.String() == "<-"
		case *ssa.Select:
			s.Waits = true
		case *ssa.Call, *ssa.Defer:
			call := i.(ssa.CallInstruction).Common()
			fn := call.StaticCallee()
			if fn == nil {
				if _, ok := call.Value.(*ssa.Builtin); !ok && !(call.IsInvoke() && readsOnly(call.Method)) && !ofLibrary(call.Value) {
					s.Waits = true
				}
				continue
			}
			obj := ssas.Declared(fn)
			if opOf(obj) == opWait {
				s.Waits = true
			}
			s.Locks = s.Locks || opOf(obj) == opLock
			if isWrapper(s.fn) {
				sum := c.summaryOf(fn)
				s.Locks = s.Locks || sum != nil && sum.Locks
			}
		}
	}
}

// quietSync matches functions of package sync that wake nobody but who wants the same lock.
var quietSync = regexp.MustCompile(`^sync\.(Mutex|RWMutex|Pool)\.`)

// ofLibrary reports whether a sequence is one of text, slices, or maps, which waits for nobody.
func ofLibrary(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || yields(v.Type()) == nil {
		return false
	}
	switch names.Package(ssas.Callee(call.Common())) {
	case "strings", "bytes", "slices", "maps", corePath:
		return true
	}
	return false
}

// signals reports whether an instruction may wake somebody who waits. Functions that the package
// does not know, and that are not of package sync, are taken not to.
func (c *checker) signals(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Send:
		return true
	case *ssa.Select:
		return slices.ContainsFunc(i.States, func(st *ssa.SelectState) bool { return st.Send != nil })
	case ssa.CallInstruction:
		call := i.Common()
		if b, ok := call.Value.(*ssa.Builtin); ok {
			return b.Name() == "close"
		}
		if names.Is(call.Value.Type(), "context", "CancelFunc") {
			return true
		}
		fn := call.StaticCallee()
		if fn == nil {
			return false
		}
		sum := c.summaryOf(fn)
		return sum != nil && sum.Signals || sum == nil && len(fn.Blocks) > 0 || strings.HasPrefix(names.Package(ssas.Callee(call)), "sync") && !quietSync.MatchString(names.Path(ssas.Callee(call)))
	}
	return false
}

// placeOf returns the place that a life was found at.
func (s *summary) placeOf(k lifeKey) (place, bool) {
	if n, ok := s.sites[k]; ok {
		return place{Param: ofCall, Path: strconv.Itoa(n)}, true
	}
	path, table := strings.CutSuffix(strings.TrimSuffix(k.path, "~"), pathTable)
	if strings.Contains(path, "~") {
		return place{}, false
	}
	if table {
		path += pathTable
	}
	switch root := k.root.(type) {
	case *ssa.Parameter:
		if n := slices.Index(s.fn.Params, root); n >= 0 {
			return place{Param: n, Path: path}, true
		}
	case *ssa.FreeVar:
		if n := slices.Index(s.fn.FreeVars, root); n >= 0 {
			return place{Param: len(s.fn.Params) + n, Path: path}, true
		}
	case *ssa.Global:
		if name := globalName(root); name != "" {
			return place{Param: -1, Path: path, Global: name}, true
		}
	}
	return place{}, false
}

func globalName(g *ssa.Global) string {
	if g.Object() == nil || g.Object().Pkg() == nil || g.Object().Pkg().Path() == captured {
		return ""
	}
	return g.Object().Pkg().Path() + " " + g.Name()
}

func addPlace(all *[]place, p place) {
	if !slices.Contains(*all, p) {
		*all = append(*all, p)
	}
}

// read notes that memory of v is used at an instruction, for each element of something or for one.
func (s *summary) read(f *flow, v av, at ssa.Instruction, each bool) {
	for _, t := range v.tags {
		l := t.lay // of a field, where the caller has it
		if t.kind == ofParam {
			l = t.life
		}
		if t.end != nil || t.made != nil || l == nil {
			continue
		}
		s.uses(f, &s.Reads, l, at)
		if p, ok := s.placeOf(l.lifeKey); ok && each && strings.Contains(p.Path, stepElem) {
			addPlace(&s.Each, p)
		}
	}
}

// after notes that memory of the caller is used when something has ended. Elements may have been
// taken away.
func (s *summary) after(f *flow, at ssa.Instruction, look func(*state) av) {
	if f.c.pools {
		return
	}
	for l, c := range f.now.lives {
		e := c.ended
		if e == nil || e.soft || l.kind != lifeFound && l.kind != lifeTable {
			continue
		}
		v := look(f.now)
		if !v.given() {
			return
		}
		p, ok := s.placeOf(v.tags[0].life.lifeKey)
		if !ok || strings.Contains(strings.TrimPrefix(p.Path, stepElem), "[") {
			return
		}
		ended := func(s *state) bool {
			x := look(s)
			return s.lives[l].ended != nil && !s.lives[l].open && x.given() && x.tags[0].life == v.tags[0].life
		}
		sure := f.follows(e.at, true, at, ended) || ended(f.now) && f.isDone(at)
		s.addAfter(p, l, e, at, sure && (l.kind != lifeTable || anotherKey(e.at)))
	}
}

func (s *summary) addAfter(read place, l *life, e *end, at ssa.Instruction, sure bool) {
	end, ok := s.placeOf(l.lifeKey)
	if !ok || len(s.After) >= 30 {
		return
	}
	a := sumAfter{Read: read, End: end, What: e.what, Sure: sure}
	if s.fn.Parent() != nil {
		a.at = at
	}
	if n := slices.IndexFunc(s.After, func(x sumAfter) bool { return x.Read == read && x.End == end }); n < 0 {
		s.After = append(s.After, a)
	} else if sure && !s.After[n].Sure {
		s.After[n] = a
	}
}

// anotherKey reports whether a Map gets a key that is not a parameter: that may be the key of what
// the caller has.
func anotherKey(at ssa.Instruction) bool {
	call, ok := at.(*ssa.Call)
	if !ok || opOf(ssas.Callee(&call.Call)) == opNone || len(call.Call.Args) < 2 {
		return false
	}
	_, param := call.Call.Args[1].(*ssa.Parameter)
	return !param || at.Parent().Parent() != nil
}

// alloc notes that an arena is used.
func (s *summary) alloc(f *flow, l *life, at ssa.Instruction) { s.uses(f, &s.Allocs, l, at) }

func (s *summary) uses(f *flow, list *[]place, l *life, at ssa.Instruction) {
	p, ok := s.placeOf(l.lifeKey)
	if !ok || slices.Contains(*list, p) && !slices.Contains(s.Perhaps, p) {
		return
	}
	first := s.fn.Blocks[0].Instrs[0]
	sure := at == first || f.inevitable(first, at)
	if i := slices.Index(s.Perhaps, p); sure && i >= 0 {
		s.Perhaps = slices.Delete(s.Perhaps, i, i+1)
	} else if !sure && i < 0 {
		s.Perhaps = append(s.Perhaps, p)
	}
	addPlace(list, p)
}

func (s *summary) goes(l *life, g *goroutine) {
	list := &s.Goes
	if strings.HasSuffix(l.path, "~") {
		list = &s.Sends
	}
	if p, ok := s.placeOf(l.lifeKey); ok {
		addPlace(list, p)
		s.startedBy(p, g)
		if g.send {
			addPlace(&s.Sent, p)
		}
	}
}

// end notes that a life may end; finish finds out whether it surely does.
func (s *summary) end(e *end, closes, sure bool) {
	p, ok := s.placeOf(e.life.lifeKey)
	if !ok {
		return
	}
	for i, old := range s.Ends {
		if old.At == p {
			s.Ends[i].Closes = old.Closes || closes
			return
		}
	}
	s.Ends = append(s.Ends, sumEnd{At: p, What: e.what, Closes: closes, Soft: e.soft, Sure: sure})
}

// tableEnd notes that a Map gets a key. Of two keys, neither is known.
func (s *summary) tableEnd(l *life, key ssa.Value) {
	p, _ := s.placeOf(l.lifeKey)
	param, _ := key.(*ssa.Parameter)
	n := slices.Index(s.fn.Params, param) + 1
	if i := slices.IndexFunc(s.Ends, func(e sumEnd) bool { return e.At == p }); i >= 0 {
		if s.Ends[i].Key == 0 {
			s.Ends[i].Key = n
		} else if s.Ends[i].Key != n {
			s.Ends[i].Sure = false
		}
		s.Ends[i].Sure = s.Ends[i].Sure && n > 0
	}
}

// rewind notes that a scope ends. The caller has begun it, or a call of a function that the caller
// has given lies in it.
func (s *summary) rewind(f *flow, l *life, mark tag, at ssa.Instruction, what string) {
	a, ok := s.placeOf(l.lifeKey)
	if !ok {
		return
	}
	if mark.kind == ofParam {
		m, ok := s.placeOf(mark.life.lifeKey)
		if r := (sumRewind{Arena: a, Mark: m, What: what, at: at}); ok && !slices.Contains(s.Rewinds, r) {
			s.Rewinds = append(s.Rewinds, r)
		}
		return
	}
	for n, call := range s.Calls {
		if follows(mark.made, call.site) && (follows(at, call.site) || !avoids(call.site, at)) && !slices.Contains(call.Scopes, a) {
			s.Calls[n].Scopes = append(call.Scopes, a)
		}
	}
}

// avoids reports whether a way leads from one instruction to a return, and not through another one.
func avoids(start, at ssa.Instruction) bool {
	seen := map[*ssa.BasicBlock]bool{at.Block(): start.Block() != at.Block() || follows(start, at)}
	for work := []*ssa.BasicBlock{start.Block()}; len(work) > 0; work = work[1:] {
		b := work[0]
		if seen[b] {
			continue
		}
		seen[b] = true
		if _, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return); returns {
			return true
		}
		work = append(work, b.Succs...)
	}
	return false
}

// putParam notes that a parameter is returned to a sync.Pool.
func (s *summary) putParam(f *flow, t tag, at ssa.Instruction, sure, once bool) {
	p, ok := s.placeOf(t.life.lifeKey)
	if !ok || slices.ContainsFunc(s.Ends, func(e sumEnd) bool { return e.At == p }) {
		return
	}
	var given ssa.Value
	if t.life.path == "~" || t.life.path == stepValue+"~" {
		given = t.life.root
	} else if call, ok := at.(*ssa.Call); ok && f.opOf(call) == opSyncPut {
		given = converted(call.Call.Args[1]) // what lies in a field
	}
	sure = sure && releases(given, at)
	s.Ends = append(s.Ends, sumEnd{At: p, What: "sync.Pool.Put", Closes: true, Sure: sure, Sync: true, Once: once, With: f.with})
}

// putAt returns whether a parameter was given to a sync.Pool at an exit.
func (f *flow) putAt(p place, x *state) condition {
	for l, c := range x.lives {
		path, ok := strings.CutSuffix(l.path, "put")
		if at, known := f.sum.placeOf(lifeKey{l.root, path}); ok && known && at == p {
			return c
		}
	}
	return condition{open: true}
}

// allPut reports whether a parameter was given to a sync.Pool before each return.
func (f *flow) allPut(p place) bool {
	return !slices.ContainsFunc(f.exits, func(x *state) bool { c := f.putAt(p, x); return c.ended == nil || c.open })
}

// whenOver returns what the last result says if an arena may have ended.
func (f *flow) whenOver(e callEnd) outcome {
	return f.outcomeIf(func(x *state) bool { return f.overAt(e, x).ended != nil })
}

// overAt returns whether an arena has ended at an exit.
func (f *flow) overAt(e callEnd, x *state) (all condition) {
	for l, c := range x.lives {
		if f.isOf(l, f.sum, e) && c.ended != nil {
			all = c
		}
	}
	return all
}

// whenPut returns what the last result says if a parameter may have been given to a sync.Pool.
func (f *flow) whenPut(p place) outcome {
	return f.outcomeIf(func(x *state) bool { return f.putAt(p, x).ended != nil })
}

// outcomeIf returns what the last result says at the exits for which is is true.
func (f *flow) outcomeIf(is func(*state) bool) (when outcome) {
	for i, x := range f.exits {
		if !is(x) {
			continue
		}
		o := outcomeOf(f.rets[i])
		if o == anyOutcome || when != anyOutcome && when != o {
			return anyOutcome
		}
		when = o
	}
	return when
}

// clears notes that elements at a place go away.
func (f *flow) clears(l loc) {
	if !f.looking {
		return
	}
	if p, ok := f.sum.placeOf(lifeKey(l)); ok {
		addPlace(&f.sum.Clears, p)
	}
}

// stepEmpty is behind the path of a map or a slice of which nothing is left.
const stepEmpty = "!"

// empty is for elements that go away: all of them, or some.
func (f *flow) empty(s *state, l loc) {
	f.clears(l)
	path, whole := strings.CutSuffix(l.path, stepEmpty)
	l.path = path
	if s.clear(l); whole {
		s.mem.set(l.add(stepElem), av{})
	}
}

// clear forgets the elements and keys at a place.
func (s *state) clear(l loc) {
	if l.known() {
		s.clearBelow(l, "")
		keys := missing(l)
		keys.none = true
		s.mem.set(l.add(stepKey), keys)
	}
}

// clearBelow forgets the elements at a place, or a field of these.
func (s *state) clearBelow(l loc, field string) {
	for path := range s.mem.entries(l.root) {
		rest, ok := strings.CutPrefix(path, l.path+stepElem)
		if !ok {
			if rest, ok = strings.CutPrefix(path, l.path+".#"); ok {
				rest = strings.TrimLeft(rest, "0123456789")
			}
		}
		if ok && strings.HasPrefix(rest, field) {
			s.mem.set(loc{l.root, path}, missing(l))
		}
	}
	s.mem.set(l.add(stepElem+field), missing(l))
}

// object numbers memory that the function has made. It is 0 for what it has not.
func (f *flow) object(root ssa.Value) int {
	switch root.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Call:
	default:
		return 0
	}
	n := slices.Index(f.objects, root)
	if n < 0 {
		n = len(f.objects)
		f.objects = append(f.objects, root)
	}
	return n + 1
}

// encode returns v in terms of the parameters.
func (f *flow) encode(s *state, v av, depth int) sumValue {
	if f.encoded++; f.encoded > maxEncoded {
		return sumValue{Other: true}
	}
	r := sumValue{Other: v.other, None: v.none, Fns: f.encodeFns(s, v), Open: v.open, Dyn: encodeTypes(v.dyn), Made: len(v.tags) == 0 && v.ptr.root != nil && !v.other}
	for _, t := range v.tags {
		st := sumTag{Kind: t.kind, Stale: t.end != nil, Old: t.kind == inMemory && t.made == nil, Some: t.some, Deep: t.deep || t.kind == ofParam && wraps(v.ptr.root)}
		if st.Grown = t.grown != nil; st.Grown {
			st.From = place{Param: -2}
			if t.grown.given != nil {
				st.From, _ = f.sum.placeOf(t.grown.given.lifeKey)
			}
		}
		if st.Old && t.lay != nil {
			st.Lay, _ = f.sum.placeOf(t.lay.lifeKey)
		}
		if t.kind == ofParam && t.end != nil {
			st.Lay, _ = f.sum.placeOf(t.end.life.lifeKey)
		}
		p, ok := f.sum.placeOf(t.life.lifeKey)
		if ok {
			st.Of = p
		} else {
			if strings.HasSuffix(t.life.path, "put") { // the caller has it
				r.Other = true
				continue
			}
			switch t.life.kind {
			case lifeMade, lifePool, lifeMemory, lifeGroup, lifeSync, lifeMember, lifeMark, lifeDo:
				st.New = t.life.kind
				n := slices.Index(f.made, t.life)
				if n < 0 {
					n = len(f.made)
					f.made = append(f.made, t.life)
				}
				st.N = n
				c := s.lives[t.life]
				st.Lent = c.lent || c.ended != nil
				if t.life.parent != nil {
					if p, ok := f.sum.placeOf(t.life.parent.lifeKey); ok {
						st.Of = p
					} else {
						st.Of = place{Param: -2}
					}
				}
			default:
				r.Other = true
				continue
			}
		}
		if !slices.Contains(r.Tags, st) {
			r.Tags = append(r.Tags, st)
		}
	}
	if r.Made && !strings.ContainsAny(v.ptr.path, "^[*@&~%") && !v.many {
		r.Obj, r.Field = f.object(v.ptr.root), v.ptr.path
	}
	if depth < 3 && v.ptr.root != nil {
		switch v.ptr.root.(type) {
		case *ssa.Global, *ssa.Parameter, *ssa.FreeVar:
		default:
			entries := map[string]av{}
			s.below(v.ptr, func(l loc, x av) { entries[l.path[len(v.ptr.path):]] = x })
			if _, ok := entries[stepAll]; !ok && r.Obj > 0 {
				entries[stepAll] = missing(v.ptr) // what nobody has filled is zero
			}
			for _, path := range slices.Sorted(maps.Keys(entries)) {
				if len(path) > 20 || len(r.Below) > 30 {
					delete(r.Below, stepAll)
					continue
				}
				if e := f.encode(s, entries[path], depth+1); len(e.Tags) > 0 || !e.Other || r.Obj > 0 {
					if r.Below == nil {
						r.Below = below{}
					}
					r.Below[path] = e
				}
			}
		}
	}
	for _, step := range slices.Sorted(maps.Keys(v.sub)) {
		if e := f.encode(s, v.sub[step], depth+1); len(e.Tags) > 0 || slices.ContainsFunc(v.tags, func(t tag) bool { return t.kind == ofParam }) {
			r.Parts = true
			if r.Below == nil {
				r.Below = below{}
			}
			r.Below[step] = e
		}
	}
	return r
}

// wraps reports whether v is what the library has made around an argument, which it refers to.
func wraps(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || !opaque(call.Type()) {
		return false
	}
	_, ok = library.Of(ssas.Callee(&call.Call))
	return ok
}

// pooled reports whether a value is of a sync.Pool. What is made where the pool has none is like
// it, because whoever gets it gives it to the pool.
func (v sumValue) pooled() bool {
	return len(v.Tags) > 0 && !slices.ContainsFunc(v.Tags, func(t sumTag) bool { return t.New != lifeSync })
}

// oneOfPools returns the number of what a function has made. A result that comes from one of
// several sync.Pools is like a value of the first one.
func (s *summary) oneOfPools(t sumTag) int {
	if t.New == lifeSync {
		for _, r := range s.Results {
			if slices.Contains(r.Tags, t) && r.pooled() {
				return r.Tags[0].N
			}
		}
	}
	return t.N
}

func joinSums(a, b sumValue) sumValue {
	if !a.set {
		b.set = true
		return b
	}
	nothing := func(v sumValue) bool { return len(v.Tags) == 0 && !v.Other && !v.Made && len(v.Below) == 0 }
	none := nothing(a) != nothing(b)
	switch {
	case nothing(a):
		a.Fns, a.Open, a.Obj, a.Field, a.Cell, a.Lies, a.Found, a.Made = b.Fns, b.Open, b.Obj, b.Field, b.Cell, b.Lies, b.Found, b.Made
	case nothing(b):
	default:
		if a.Obj != b.Obj || a.Field != b.Field {
			a.Obj = 0
		}
		if a.Cell != b.Cell {
			a.Cell = 0
		}
		if a.Lies != nil && (b.Lies == nil || *a.Lies != *b.Lies) {
			a.Lies = nil
		}
		a.Found = a.Found || b.Found
		a.Open = a.Open || b.Open || (len(a.Fns) == 0) != (len(b.Fns) == 0)
		for _, fn := range b.Fns {
			switch {
			case slices.ContainsFunc(a.Fns, func(x sumFunc) bool { return x.Sum == fn.Sum }):
			case len(a.Fns) < maxTargets:
				a.Fns = append(slices.Clip(a.Fns), fn)
			default:
				a.Open = true
			}
		}
	}
	switch {
	case len(a.Dyn) == 0 && nothing(a):
		a.Dyn = b.Dyn
	case len(b.Dyn) == 0 && nothing(b):
	case len(a.Dyn) == 0 || len(b.Dyn) == 0:
		a.Dyn = nil
	default:
		for _, t := range b.Dyn {
			if !slices.Contains(a.Dyn, t) {
				a.Dyn = append(slices.Clip(a.Dyn), t)
			}
		}
	}
	tags := a.Tags
	a.Below = maps.Clone(a.Below)
	for _, t := range b.Tags {
		if !slices.Contains(tags, t) {
			tags = append(slices.Clip(tags), t)
		}
	}
	likePooled := a.Made && b.pooled() || b.Made && a.pooled()
	a.Other = a.Other || b.Other || a.Made != b.Made && len(a.Tags)+len(b.Tags) > 0 && !likePooled
	a.None = a.None || b.None || none
	a.Tags, a.Parts = tags, a.Parts || b.Parts
	for k, v := range b.Below {
		if a.Below == nil {
			a.Below = below{}
		}
		if old, ok := a.Below[k]; ok {
			old.set = true
			v = joinSums(old, v)
		}
		a.Below[k] = v
	}
	if likePooled {
		delete(a.Below, stepAll) // it need not be new
	}
	return a
}

// leave adds what one return says to the summary.
func (f *flow) leave(s *state, ret *ssa.Return) {
	way := sumWay{Jump: jump(ret)}
	for n, r := range ret.Results {
		v := sumValue{Other: true}
		if carries(r.Type()) {
			v = f.encode(s, s.get(r), 0)
			if load, ok := r.(*ssa.UnOp); ok && len(f.sum.Calls) > 0 {
				if cell, ok := load.X.(*ssa.Alloc); ok {
					v.Cell = f.object(cell)
				}
			}
			v.Lies, v.Found = f.liesIn(s, r, ret.Block())
		}
		way.Results = append(way.Results, v)
		if n < len(f.sum.Results) {
			f.sum.Results[n] = joinSums(f.sum.Results[n], v)
		} else {
			v.set = true
			f.sum.Results = append(f.sum.Results, v)
		}
	}
	f.exits = append(f.exits, s.clone())
	f.rets = append(f.rets, ret)
	f.sum.Ways = append(f.sum.Ways, way)
}

// liesIn returns where a result lies when the function returns, if it was found there, or was made
// and is stored there: the result of a function that makes what a map does not have yet.
func (f *flow) liesIn(s *state, result ssa.Value, end *ssa.BasicBlock) (_ *place, found bool) {
	var all loc
	ends := map[ssa.Instruction]*ssa.BasicBlock{} // of what finds it: where the result is that
	seen := map[ssa.Value]bool{}
	var lies func(v ssa.Value, end *ssa.BasicBlock) bool
	lies = func(v ssa.Value, end *ssa.BasicBlock) bool {
		var at loc
		switch v := v.(type) {
		case *ssa.Phi:
			if seen[v] {
				return true
			}
			seen[v] = true
			for n, edge := range v.Edges {
				if !lies(edge, v.Block().Preds[n]) {
					return false
				}
			}
			return true
		case *ssa.Extract:
			look, ok := v.Tuple.(*ssa.Lookup)
			return ok && lies(look, end)
		case *ssa.Lookup:
			at, ends[v] = s.get(v.X).ptr.add(stepElem), end
		case *ssa.UnOp:
			if v.Op != token.MUL {
				return false
			}
			at, ends[v] = s.get(v.X).ptr, end
		case ssa.Instruction:
			for _, i := range *v.(ssa.Value).Referrers() {
				if to, what := s.storesAt(i); what == v.(ssa.Value) && i.Block().Dominates(end) {
					at = to
				}
			}
		}
		if at.root == nil || all.root != nil && at != all {
			return false
		}
		all = at
		return true
	}
	if !lies(result, end) {
		return nil, false
	}
	at, ok := f.sum.placeOf(lifeKey(all))
	if !ok {
		return nil, false
	}
	if len(ends) == 0 {
		return &at, false
	}
	for i := range ssas.Instrs(f.fn) {
		if to, _ := s.storesAt(i); to != all && !s.mayChange(i, all.root) {
			continue
		}
		for look, end := range ends {
			if behind(look, i) && behind(i, end.Instrs[len(end.Instrs)-1]) {
				return nil, false // something else is there now
			}
		}
	}
	return &at, true
}

// storesAt returns where an instruction stores something in a variable or a map, and what.
func (s *state) storesAt(i ssa.Instruction) (loc, ssa.Value) {
	switch i := i.(type) {
	case *ssa.MapUpdate:
		return s.get(i.Map).ptr.add(stepElem), i.Value
	case *ssa.Store:
		return s.get(i.Addr).ptr, i.Val
	}
	return loc{}, nil
}

// mayChange reports whether a call is given something that lies at a root, and may change it.
func (s *state) mayChange(i ssa.Instruction, root ssa.Value) bool {
	call, ok := i.(ssa.CallInstruction)
	if !ok || names.Package(ssas.Callee(call.Common())) == "sync" {
		return false
	}
	if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
		return false
	}
	return slices.ContainsFunc(call.Common().Args, func(x ssa.Value) bool { return s.get(x).ptr.root == root })
}

// finds reports whether a result is what a function finds at a place, or else makes and stores
// there.
func (v sumValue) finds() bool {
	return v.Lies != nil && v.Found && !slices.ContainsFunc(v.Tags, func(t sumTag) bool { return t.Kind != ofParam })
}

// onlyFinds reports whether something new and empty is stored at a place only if nothing is there,
// by a function that returns what it has found or made.
func (f *flow) onlyFinds(at place, v sumValue) bool {
	for _, x := range v.Below {
		if len(x.Tags) > 0 || x.Other || x.Made {
			return false
		}
	}
	return v.Made && (f.finds[at] || slices.ContainsFunc(f.sum.Results, func(r sumValue) bool { return r.finds() && *r.Lies == at }))
}

// jump returns where the function goes on around the body of a loop over a sequence.
func jump(ret *ssa.Return) int64 {
	for _, i := range ret.Block().Instrs {
		if store, ok := i.(*ssa.Store); ok && isJump(store.Addr) {
			return store.Val.(*ssa.Const).Int64()
		}
	}
	return 0
}

// isJump reports whether an address is the variable in which the body of a loop over a sequence
// says where the function around it goes on.
func isJump(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.FreeVar:
		return strings.HasPrefix(v.Name(), "jump$")
	case *ssa.Alloc:
		return strings.HasPrefix(v.Comment, "jump$")
	}
	return false
}

// of returns v, which one way has at a place where all of them together have another value. What
// was there before does not count if the way may have stored something else.
func (v sumValue) of(at place, all sumValue) (_ sumValue, other bool) {
	stored := slices.DeleteFunc(slices.Clone(v.Tags), func(t sumTag) bool {
		return t.Kind == ofParam && t.Of.Param == at.Param && strings.TrimSuffix(t.Of.Path, stepValue) == at.Path
	})
	if len(stored) == 1 && !v.Other {
		v.Tags = stored
	}
	if v.Obj != all.Obj || v.Field != all.Field || v.Cell != all.Cell {
		v.Obj, v.Cell = 0, 0
	}
	other = len(v.Tags) < len(all.Tags) || v.Other != all.Other || v.None != all.None
	v.Below = maps.Clone(v.Below)
	for path, x := range v.Below {
		x, differs := x.of(place{at.Param, at.Path + path, at.Global}, all.Below[path])
		v.Below[path], other = x, other || differs
	}
	other = other && (v.hasTags() || len(v.Tags) > 0)
	return v, other
}

// hasTags reports whether something below v lies in an arena.
func (v sumValue) hasTags() bool {
	for _, x := range v.Below {
		if len(x.Tags) > 0 || x.hasTags() {
			return true
		}
	}
	return false
}

// waysOf leaves of some ways what all of them together do not say.
func (s *summary) waysOf(stores map[place]sumValue) (ways []sumWay) {
	for _, w := range s.Ways {
		some := false
		for n, v := range w.Results {
			v, other := v.of(place{Param: ofCall}, s.Results[n])
			w.Results[n], some = v, some || other
		}
		for n, st := range w.Stores {
			v, other := st.Value.of(st.At, stores[st.At])
			w.Stores[n].Value, some = v, some || other
		}
		if some {
			ways = append(ways, w)
		}
	}
	if len(ways) > maxTargets {
		return nil
	}
	return ways
}

// finish completes the summary when all returns were seen.
func (s *summary) finish(f *flow) {
	s.Keeps = f.keeps()
	for _, g := range f.gos {
		s.Loud = s.Loud || !g.quiet
	}
	s.started(f)
	s.needs(f)
	s.GoesOn = goesOn(f.rets)
	s.callEnds(f)
	for i, r := range s.Rewinds {
		s.Rewinds[i].Sure = f.isDone(r.at)
	}
	for i, e := range s.Ends {
		if e.Sync {
			s.Ends[i].Sure = e.Sure || f.allPut(e.At)
			s.Ends[i].When = f.whenPut(e.At)
			continue
		}
		s.Ends[i].Sure = e.Sure && f.over(callEnd{Of: e.At})
		if e.Sure && !s.Ends[i].Sure {
			s.Ends[i].When = f.whenOver(callEnd{Of: e.At})
		}
	}
	// What is stored where the caller sees it.
	stores := map[place]sumValue{}
	count := map[place]int{}
	left := map[place]bool{} // which have something of an arena
	succeed := 0
	for i, x := range f.exits {
		failed := x.fails(f.rets[i])
		if !failed {
			succeed++
		}
		here := map[place]loc{}
		for l, v := range x.mem.all() {
			p, ok := s.placeOf(lifeKey(l))
			left[p] = left[p] || ok && len(v.tags) > 0
			if ok && len(p.Path) <= 30 && !strings.Contains(p.Path, "[") {
				here[p] = l
			}
		}
		for _, p := range slices.SortedFunc(maps.Keys(here), byPlace) {
			v, _ := x.mem.get(here[p])
			e := f.encode(x, v, 1)
			stores[p] = joinSums(stores[p], e)
			s.Ways[i].Stores = append(s.Ways[i].Stores, sumStore{At: p, Value: e})
			if !failed {
				count[p]++
			}
		}
	}
	for p, v := range f.elems {
		if len(v.Tags) > 0 && !left[p] {
			continue // they were taken away
		}
		for i, t := range v.Tags {
			v.Tags[i].Stale = t.Stale || t.Kind == inMemory && f.over(callEnd{New: t.New, N: t.N, Of: t.Of})
		}
		s.Stores = append(s.Stores, sumStore{At: p, Value: v, Weak: true, Finds: f.onlyFinds(p, v)})
	}
	for p, v := range stores {
		s.Stores = append(s.Stores, sumStore{At: p, Value: v, Weak: count[p] < max(succeed, 1)})
	}
	if s.fn.Parent() != nil {
		for i, st := range s.Stores {
			for k, at := range f.put {
				if p, ok := s.placeOf(lifeKey(k.loc)); ok && k.life == nil && p == st.At {
					s.Stores[i].at = at
				}
			}
		}
	}
	s.Outcomes = s.outcomes(f)
	s.Ways = s.waysOf(stores)
	slices.SortFunc(s.Stores, func(a, b sumStore) int { return byPlace(a.At, b.At) })
	if len(s.Stores) > 60 {
		s.Stores = s.Stores[:60]
	}
	slices.SortFunc(s.Hands, func(a, b sumHand) int { return cmp.Or(byPlace(a.Value, b.Value), byPlace(a.Arena, b.Arena)) })
	slices.SortFunc(s.After, func(a, b sumAfter) int { return cmp.Or(byPlace(a.Read, b.Read), byPlace(a.End, b.End)) })
	slices.SortFunc(s.Reads, byPlace)
	slices.SortFunc(s.Allocs, byPlace)
	slices.SortFunc(s.Perhaps, byPlace)
	slices.SortFunc(s.Each, byPlace)
	slices.SortFunc(s.Goes, byPlace)
	slices.SortFunc(s.Sends, byPlace)
	slices.SortFunc(s.Runs, byPlace)
	slices.SortFunc(s.Sent, byPlace)
	slices.SortFunc(s.Clears, byPlace)
}

// byPlace is an order of places.
func byPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.Param, b.Param), strings.Compare(a.Global, b.Global), strings.Compare(a.Path, b.Path))
}
