package arena

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/arena-go/arena/internal/testrun"
)

// eventually waits until what the collector does has made ok true.
func eventually(t *testing.T, what func() string, ok func() bool) {
	t.Helper()
	if !testrun.Collect(ok) {
		t.Fatalf("still not true after many collections: %s", what())
	}
}

// A poolModel is what the users of a Pool know of it together.
type poolModel struct {
	pool  *Pool
	mu    sync.Mutex
	where map[weak.Pointer[Arena]]string               // of all arenas that the Pool ever gave away
	idle  map[weak.Pointer[Arena]]weak.Pointer[stores] // of those that were Put
	want  PoolStats
	open  []*poolUser
}

// A poolUser is a goroutine that uses a Pool. It checks each of its arenas as runProgram does.
type poolUser struct {
	*poolModel
	t       testing.TB
	r       *rand.Rand
	out     []*poolLease
	dropped []*poolLease // still in use
}

// A poolLease is an arena that is given away.
type poolLease struct {
	machine
	limits int64 // of the arena's Stats at Get
}

// move notes that w was in one place and is in another.
func (p *poolModel) move(t testing.TB, w weak.Pointer[Arena], from, to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if was := p.where[w]; was != from && !(was == "" && to == "out") {
		t.Errorf("an arena goes from %s to %s, but is %s", from, to, was)
	}
	p.where[w] = to
	if to == "idle" {
		p.idle[w] = weak.Make(w.Value().stores)
	}
}

// count changes what Stats are to be.
func (p *poolModel) count(f func(want *PoolStats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.want)
}

func (u *poolUser) get() {
	a := u.pool.Get()
	u.move(u.t, weak.Make(a), "idle", "out")
	u.count(func(w *PoolStats) { w.Gets++ })
	s := a.Stats()
	if s.InUse != 0 || s.Types != nil || s.Freed {
		u.t.Errorf("Get returned an arena that is not empty: %+v", s)
	}
	l := &poolLease{limits: s.LimitHits}
	l.machine = machine{t: u.t, r: u.r, opt: u.pool.Options, a: a, peak: s.Peak, resets: s.Resets}
	l.emptied()
	u.out = append(u.out, l)
}

// take takes a lease from the list.
func (u *poolUser) take(list *[]*poolLease) *poolLease {
	i := u.r.IntN(len(*list))
	l := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return l
}

// end notes what l did.
func (u *poolUser) end(l *poolLease) {
	l.verify()
	limits := l.a.Stats().LimitHits - l.limits
	u.count(func(w *PoolStats) { w.LimitHits += limits })
}

// emptied notes that l is about to be Reset, Put or freed.
func (u *poolUser) emptied(l *poolLease) {
	inUse := l.a.Stats().InUse
	u.count(func(w *PoolStats) {
		w.Allocated += inUse
		w.Peak = max(w.Peak, inUse)
	})
}

func (u *poolUser) step() {
	if len(u.out) == 0 {
		u.get()
		return
	}
	switch n := u.r.IntN(100); {
	case n < 8 && len(u.out) < 4:
		u.get()
	case n < 16:
		l := u.take(&u.out)
		u.end(l)
		u.emptied(l)
		u.count(func(w *PoolStats) { w.Puts++; w.Resets++ })
		u.move(u.t, weak.Make(l.a), "out", "idle")
		u.pool.Put(l.a)
	case n == 16:
		l := u.take(&u.out)
		u.end(l)
		u.emptied(l)
		u.count(func(w *PoolStats) { w.Freed++ })
		u.move(u.t, weak.Make(l.a), "out", "freed")
		l.a.Free()
		if l.a.Free(); u.r.IntN(2) == 0 {
			u.pool.Put(l.a) // does nothing
			u.pool.Drop(l.a)
		}
		for _, o := range l.objects {
			if err := o.check(); err != nil {
				u.t.Errorf("after Free: %v", err)
			}
		}
	case n == 17:
		l := u.take(&u.out)
		u.end(l)
		u.count(func(w *PoolStats) { w.Dropped++ })
		u.move(u.t, weak.Make(l.a), "out", "dropped")
		u.pool.Drop(l.a)
		runtime.KeepAlive(l.a)
		if len(u.dropped) == 3 {
			l := u.take(&u.dropped)
			l.verify()
		}
		l.limits = l.a.Stats().LimitHits
		u.dropped = append(u.dropped, l)
	case n == 18:
		l := u.take(&u.out)
		u.end(l)
		u.count(func(w *PoolStats) { w.Lost++ })
		u.move(u.t, weak.Make(l.a), "out", "lost")
	case n == 19 && len(u.dropped) > 0:
		l := u.dropped[u.r.IntN(len(u.dropped))]
		was := l.a.Stats().LimitHits
		l.step(op{byte(u.r.IntN(15)), byte(u.r.Uint32()), uint16(u.r.Uint32())})
		limits := l.a.Stats().LimitHits - was
		u.count(func(w *PoolStats) { w.LimitHits += limits })
	case n == 20:
		l := u.out[u.r.IntN(len(u.out))]
		u.emptied(l)
		u.count(func(w *PoolStats) { w.Resets++ })
		l.step(op{code: 17}) // Reset
	default:
		o := op{byte(u.r.IntN(15)), byte(u.r.Uint32()), uint16(u.r.Uint32())}
		if n == 21 {
			o.code += 154 // a long slice; 154 is 0 modulo 22
		}
		u.out[u.r.IntN(len(u.out))].step(o)
	}
}

// settle waits until all cleanups of collected arenas have run, and none will.
// The collector is off.
func (p *poolModel) settle(t *testing.T) (alive []*Arena) {
	t.Helper()
	runtime.GC()
	eventually(t, func() string { return "a cleanup for each arena that is gone" }, func() bool {
		clear(alive)
		alive = alive[:0]
		for w, where := range p.where {
			a := w.Value()
			if a == nil {
				continue
			}
			if st := p.idle[w]; where == "idle" && st != (weak.Pointer[stores]{}) && st.Value() == nil {
				return false // the next collection takes the arena, too
			}
			alive = append(alive, a)
		}
		s := p.pool.Stats()
		l := p.pool.ledger.Load()
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.members) == len(alive) && s.Lost == p.want.Lost
	})
	return alive
}

// check compares Stats with what the users know, while none of them runs.
func (p *poolModel) check(t *testing.T) {
	t.Helper()
	want := p.want
	want.Made = int64(len(p.where))
	alive := p.settle(t)
	for _, u := range p.open {
		for _, l := range u.out {
			want.LimitHits += l.a.Stats().LimitHits - l.limits
		}
	}
	got := p.pool.Stats()
	for _, a := range alive {
		st, idle := a.stores, int64(0)
		switch where := p.where[weak.Make(a)]; where {
		case "out":
			want.Out++
		case "idle":
			want.Idle++
			st, idle = p.idle[weak.Make(a)].Value(), 1
		}
		if st == nil {
			continue
		}
		if _, err := st.checkInvariants(); err != nil {
			t.Error(err)
		}
		want.Reserved += st.reserved
		want.Retained += idle * st.reserved
		if r := p.pool.Retain; idle == 1 && r != 0 && st.reserved > max(r, 0) {
			t.Errorf("an arena in the Pool holds %d bytes, Retain is %d", st.reserved, r)
		}
	}
	want.Collected = want.Made - want.Idle - want.Out - want.Freed - want.Dropped - want.Lost
	if got != want {
		t.Errorf("Stats are\n%+v, want\n%+v", got, want)
	}
	if got.Gets != got.Puts+got.Freed+got.Dropped+got.Lost+got.Out {
		t.Errorf("Gets do not add up: %+v", got)
	}
}

// TestPoolRandom proves that a Pool gives away no arena twice, and empty ones
// only, and that its Stats are exact: random programs of several goroutines that
// get, use, put, drop, free and forget arenas run against a model.
func TestPoolRandom(t *testing.T) {
	seed := testrun.Seed(t)
	for i, p := range []*Pool{
		{},
		{Retain: 3000},
		{Retain: -1},
		{Options: Options{Retain: 2000}},
		{Options: Options{Limit: 4000}},
		{Options: Options{Limit: 20_000}, Retain: 10_000},
	} {
		m := &poolModel{pool: p, where: map[weak.Pointer[Arena]]string{}, idle: map[weak.Pointer[Arena]]weak.Pointer[stores]{}}
		for k := range uint64(4) {
			m.open = append(m.open, &poolUser{poolModel: m, t: t, r: rand.New(rand.NewPCG(seed, uint64(i)<<8|k))})
		}
		for range 3 {
			var wg sync.WaitGroup
			for _, u := range m.open {
				wg.Go(func() {
					for range 120 {
						u.step()
					}
				})
			}
			wg.Wait()
			if t.Failed() {
				t.FailNow()
			}
			percent := debug.SetGCPercent(-1)
			m.check(t)
			debug.SetGCPercent(percent)
			if t.Failed() {
				t.Fatalf("Options %+v, Retain %d", p.Options, p.Retain)
			}
		}

		// When everything is let go, nothing remains but the counts.
		for _, u := range m.open {
			for _, l := range u.out {
				u.move(t, weak.Make(l.a), "out", "lost")
				u.end(l)
				m.want.Lost++
			}
			u.out, u.dropped = nil, nil
		}
		eventually(t, func() string { return fmt.Sprintf("all arenas are collected: %+v", p.Stats()) }, func() bool {
			s := p.Stats()
			return s.Idle+s.Out+s.Reserved+s.Retained == 0
		})
		m.check(t)
	}
}

// spikes are ways to need at least 64 MiB once.
var spikes = map[string]func(a *Arena){
	"one slice of bytes":   func(a *Arena) { MakeSlice[byte](a, 64<<20, 64<<20) },
	"one slice of strings": func(a *Arena) { MakeSlice[[2]string](a, 4<<20, 4<<20) },
	"many values": func(a *Arena) {
		for range 16 << 10 {
			New[[4096]byte](a)
		}
	},
	"many slices of bytes": func(a *Arena) {
		for range 16 << 10 {
			MakeSlice[byte](a, 4096, 4096)
		}
	},
}

// TestPoolDecay proves that one arena of a Pool which is in use again and again
// gives up what one round of it needed, within four collections, and keeps what
// every round needs.
func TestPoolDecay(t *testing.T) {
	collect := func() {
		seen := collections.Load()
		eventually(t, func() string { return "a collection is counted" }, func() bool { return collections.Load() != seen })
	}
	for name, spike := range spikes {
		for _, always := range []bool{false, true} {
			if testing.Short() && strings.HasPrefix(name, "many") {
				continue
			}
			var p Pool
			a := p.Get()
			spike(a)
			st := a.stores
			p.Put(a)
			high := p.Stats().Reserved
			if high < 64<<20 {
				t.Fatalf("%s: %d bytes", name, high)
			}
			for range 4 {
				collect()
				for range 6 {
					// The same arena each time: sync.Pool forgets some at random under the race
					// detector.
					if b := p.Get(); b != a {
						p.Drop(b)
						a.claim()
						a.stores = st
						a.opt.member.enter()
					}
					New[int](a)
					if always {
						spike(a)
						if a.Stats().Reserved > high+2*maxChunk {
							t.Fatalf("%s: the memory of the round before is not used again: %d bytes", name, a.Stats().Reserved)
						}
					}
					p.Put(a)
				}
			}
			got := st.reserved
			if always && got < 64<<20 {
				t.Errorf("%s: an arena that needs %d bytes each time keeps %d", name, 64<<20, got)
			}
			if !always && got > 1<<20 {
				t.Errorf("%s: an arena that needed %d bytes once keeps %d", name, high, got)
			}
		}
	}
}

// A groupModel is what the users of a Group know of it.
type groupModel struct {
	t       testing.TB
	group   *Group
	mu      sync.Mutex
	all     map[*Arena]*groupArena // given away since the last Reset
	peak    int64
	resets  int64
	exceeds atomic.Int64 // what was held when it was more than the Limit, or negative
}

// A groupArena is an arena of a Group, which it checks as runProgram does.
type groupArena struct {
	machine
	busy atomic.Bool
}

// use uses a for a while, in the goroutine of r.
func (g *groupModel) use(a *Arena, r *rand.Rand) {
	g.mu.Lock()
	ga := g.all[a]
	if ga == nil {
		if s := a.Stats(); s.InUse != 0 || s.Types != nil {
			g.t.Errorf("an arena that a Group gives away is not empty: %+v", s)
		}
		ga = &groupArena{machine: machine{t: g.t, opt: g.group.Options, a: a}}
		ga.emptied()
		g.all[a] = ga
	}
	g.mu.Unlock()
	if ga.busy.Swap(true) {
		g.t.Error("an arena of a Group is used by two at the same time")
		return
	}
	defer ga.busy.Store(false)
	ga.r = r
	for range 1 + r.IntN(20) {
		o := op{byte(r.IntN(15)), byte(r.Uint32()), uint16(r.Uint32())}
		if r.IntN(40) == 0 {
			o.code += 154 // a long slice; 154 is 0 modulo 22
		}
		ga.step(o)
		if held, limit := g.group.held.Load(), g.group.Options.Limit; held < 0 || limit > 0 && held > limit {
			g.exceeds.Store(held)
		}
	}
	if r.IntN(10) == 0 {
		ga.verify()
	}
}

// round lets four goroutines use the Group, and waits for them.
func (g *groupModel) round(seed uint64) {
	var wg sync.WaitGroup
	for k := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, k))
			var own []*Arena
			for range 2 + r.IntN(8) {
				switch n := r.IntN(8); {
				case n == 0 && len(own) < 2:
					own = append(own, g.group.Arena())
				case n < 3 && len(own) > 0:
					g.use(own[r.IntN(len(own))], r)
				case n < 5:
					r := rand.New(rand.NewPCG(r.Uint64(), 0))
					g.group.Go(func(a *Arena) { g.use(a, r) })
				case n == 5:
					func() { // f may panic, or end its goroutine
						defer func() { recover() }()
						g.group.Do(func(a *Arena) { g.use(a, r); panic("on purpose") })
					}()
				case n == 6:
					g.group.Do(func(a *Arena) {
						g.use(a, r)
						g.group.Do(func(b *Arena) { g.use(b, r) })
						g.use(a, r)
					})
				default:
					g.group.Do(func(a *Arena) { g.use(a, r) })
				}
			}
		})
	}
	wg.Wait()
	g.group.Wait()
	if g.t.Failed() {
		g.t.FailNow()
	}
}

// check compares the Group, which nobody uses now, with what its users know.
func (g *groupModel) check() {
	g.t.Helper()
	var all []modelObject
	count, bytes := map[string]int64{}, map[string]int64{}
	var sum, reserved int64
	for _, ga := range g.all {
		ga.verify()
		all = append(all, ga.objects...)
		for name, n := range ga.count {
			count[name] += n
			bytes[name] += ga.bytes[name]
			sum += ga.bytes[name]
		}
	}
	slices.SortFunc(all, func(x, y modelObject) int { return cmp.Compare(x.span.from, y.span.from) })
	for i := range all[min(1, len(all)):] {
		if x, y := all[i], all[i+1]; x.span.to > y.span.from {
			g.t.Fatalf("%s %x overlaps %s %x", x.what, x.span, y.what, y.span)
		}
	}
	for _, a := range g.group.members {
		if a.stores != nil {
			reserved += a.stores.reserved
		}
	}
	for _, st := range g.group.kept {
		reserved += st.reserved
		if _, err := st.checkInvariants(); err != nil {
			g.t.Fatal(err)
		}
		if st.inUse() != 0 {
			g.t.Fatalf("%d bytes are in use in what earlier rounds left", st.inUse())
		}
		if a := st.arena; a.opt != g.group.own || a.life.state() != stateEnded {
			g.t.Fatalf("what earlier rounds left is of an arena in state %d, and has the Group's settings: %t", a.life.state(), a.opt == g.group.own)
		}
	}
	s := g.group.Stats()
	g.peak = max(g.peak, sum)
	for _, typ := range s.Types {
		if typ.Count != count[typ.Name] || typ.Bytes != bytes[typ.Name] {
			g.t.Fatalf("Stats: %d %s of %d bytes, want %d of %d", typ.Count, typ.Name, typ.Bytes, count[typ.Name], bytes[typ.Name])
		}
	}
	if s.InUse != sum || s.Peak != g.peak || s.Resets != g.resets || s.Reserved != reserved || g.group.held.Load() != reserved {
		g.t.Fatalf("Stats are %+v; want %d in use, peak %d, %d resets; %d reserved, held is %d",
			s, sum, g.peak, g.resets, reserved, g.group.held.Load())
	}
	if held := g.exceeds.Load(); held != 0 {
		g.t.Fatalf("the Group held %d bytes, Limit %d", held, g.group.Options.Limit)
	}
}

// TestGroupRandom proves that goroutines with arenas of one Group do not disturb
// each other, that what they made stays as it is until Reset, or after Free as
// long as it is pointed at, and that the Group never holds more than its Limit:
// random programs run against a model.
func TestGroupRandom(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, opt := range []Options{
		{},
		{Retain: -1},
		{Retain: 5000},
		{Limit: 1},
		{Limit: 10_000},
		{Limit: 100_000},
		{Limit: 50_000, Retain: 20_000},
		{Memory: &sharedMemory{}, Report: unexpected},
		{Memory: &sharedMemory{}, Report: unexpected, Limit: 100_000, Retain: 20_000},
	} {
		times := 4
		if !testrun.Long() {
			times = 2
		}
		for i := range times {
			g := &groupModel{t: t, group: &Group{Options: opt}, all: map[*Arena]*groupArena{}}
			for range i % 2 * (1 + r.IntN(2)) { // as a loop does that begins with Reset
				g.group.Reset()
				g.resets++
				g.check()
			}
			for rounds := 1 + r.IntN(6); ; rounds-- {
				g.round(r.Uint64())
				g.check()
				if rounds <= 0 {
					break
				}
				g.group.Reset()
				g.resets++
				for a := range g.all {
					if r := panicOf(func() { New[int](a) }); r == nil {
						t.Fatal("an arena can be used after the Reset of its Group")
					}
				}
				clear(g.all)
				g.check()
				if r := opt.Retain; r != 0 && g.group.held.Load() > max(r, 0) {
					t.Fatalf("%d bytes kept by Reset, Retain %d", g.group.held.Load(), r)
				}
			}
			g.group.Free()
			if s := g.group.Stats(); s.InUse != 0 || s.Reserved != 0 || s.Chunks != 0 || !s.Freed || g.group.held.Load() != 0 {
				t.Fatalf("Stats of a freed Group: %+v, held is %d", s, g.group.held.Load())
			}
			if mem, ok := opt.Memory.(*sharedMemory); ok {
				mem.mustBeEmpty(t)
				continue // Free has made the values stale
			}
			runtime.GC()
			for _, ga := range g.all {
				other := new(Arena) // takes over what the freed ones left
				New[mNode](other)
				String(other, "other")
				for _, o := range ga.objects {
					if err := o.check(); err != nil {
						t.Fatalf("after Free: %v", err)
					}
				}
			}
		}
	}
}

// A sharedMemory is a testMemory for several goroutines.
type sharedMemory struct {
	mu sync.Mutex
	testMemory
}

func (m *sharedMemory) Alloc(size int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.testMemory.Alloc(size)
}

func (m *sharedMemory) Free(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.testMemory.Free(b)
}

// panicOf returns the value with which f panics, or nil.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestLimitHitsGrow proves that the number of failures that a Pool counts does not become less
// while arenas are Put.
func TestLimitHitsGrow(t *testing.T) {
	p := &Pool{Options: Options{Limit: 1000}}
	var done atomic.Bool
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		defer done.Store(true)
		for range few(50_000) {
			a := p.Get()
			_ = Try(func() { MakeSlice[byte](a, 5000, 5000) })
			p.Put(a)
		}
	})
	for last := int64(0); !done.Load(); {
		n := p.Stats().LimitHits
		if n < last {
			t.Fatalf("%d failures, after %d", n, last)
		}
		last = n
	}
}

// TestGroupLimitLooks proves that a chunk of a Group with a Limit looks at what nobody uses only
// until there is room: behind that are stores, and an Arena, that cannot be looked at.
func TestGroupLimitLooks(t *testing.T) {
	for _, kept := range []int64{0, 60_000} { // with these the limit is exceeded
		g := &Group{Options: Options{Limit: 100_000}}
		if a := g.Arena(); kept > 0 {
			MakeSlice[byte](a, int(kept), int(kept))
		}
		g.Reset()
		if n := g.held.Load(); n < kept && !(&stores{}).watched() {
			t.Fatalf("%d bytes are kept", n)
		}
		a := g.Arena()
		New[int](a) // with what was kept
		b := g.Arena()
		g.kept = append(g.kept, a.stores, nil)
		g.idle = append(g.idle, nil)
		MakeSlice[byte](b, 70_000, 70_000)
	}
}
