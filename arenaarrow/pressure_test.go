package arenaarrow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// A pressed is an allocator of a program, with what a model says of it.
type pressed struct {
	*Allocator
	parent   *pressed
	children []*pressed
	own      []int64 // sizes of blocks
	blocks   [][]byte
	spare    int64
	share    *Share
	limit    int64
	exceeded bool
	closed   bool

	frees  int  // blocks that its function frees
	answer bool // of its function
	asks   bool // it has one
}

func (p *pressed) subtree() (list []*pressed) {
	list = append(list, p)
	for _, c := range p.children {
		list = append(list, c.subtree()...)
	}
	return list
}

func (p *pressed) path() (list []*pressed) {
	for ; p != nil; p = p.parent {
		list = append(list, p)
	}
	return list
}

func (p *pressed) minimum() int64 {
	if p.share == nil {
		return 0
	}
	return p.share.Minimum
}

func (p *pressed) rank() int {
	for ; p != nil; p = p.parent {
		if p.share != nil {
			return p.share.Priority
		}
	}
	return 0
}

// used returns the bytes of the blocks of p and its children, and reserved what they have reserved
// on top.
func (p *pressed) used() (n int64) {
	for _, c := range p.subtree() {
		for _, size := range c.own {
			n += size
		}
	}
	return n
}

func (p *pressed) reserved() (n int64) {
	for _, c := range p.subtree() {
		n += c.spare
	}
	return n
}

// uses has n bytes that p allocates come out of what it and its parents have reserved.
func (p *pressed) uses(n int64) {
	for _, q := range p.path() {
		k := min(n, q.spare)
		q.spare -= k
		n -= k
	}
}

// gives makes p and its parents with a guarantee keep the n bytes that were freed.
func (p *pressed) gives(n int64) {
	for _, q := range p.path() {
		// What counts for q has not been brought up to date: n bytes less are used.
		if short := q.minimum() - (q.used() + q.reserved()); short > 0 {
			k := min(short, n)
			q.spare += k
			n -= k
		}
	}
}

func (p *pressed) free(i int) {
	size := p.own[i]
	p.own = slices.Delete(p.own, i, i+1)
	b := p.blocks[i]
	p.blocks = slices.Delete(p.blocks, i, i+1)
	p.Free(b)
	p.gives(size)
}

// lacks returns by how many bytes a limit of q is exceeded when p gets n bytes more.
func (p *pressed) lacks(q *pressed, n int64, reserve bool) int64 {
	if q.limit == 0 {
		return 0
	}
	left := n
	for i, o := range p.path() {
		if i > 0 || !reserve {
			left -= min(left, o.spare)
		}
		if o == q {
			break
		}
	}
	if n > 0 && left == 0 {
		return 0
	}
	return q.used() + q.reserved() + left - q.limit
}

// A pressure is a program.
type pressure struct {
	t    *testing.T
	r    *rand.Rand
	fair bool
	hard bool
	top  *pressed

	for_    *pressed // who needs n bytes, to reserve them or to use them
	n       int64
	reserve bool
	calls   []*pressed
	called  int
}

// ask is the function of all of them.
func (x *pressure) ask(p *pressed, need int64) bool {
	x.called++
	if x.for_ == nil {
		x.t.Fatalf("%s is asked for %d bytes, and nobody needs them", p, need)
	}
	var first *pressed // whose limit it is
	lack := int64(0)
	for _, q := range x.for_.path() {
		if lack = x.for_.lacks(q, x.n, x.reserve); lack > 0 && lack == need {
			first = q
			break
		}
	}
	if first == nil {
		x.t.Fatalf("%s is asked for %d bytes, %d lack", p, need, lack)
	}
	own := slices.Contains(x.for_.path(), p)
	switch {
	case p.closed:
		x.t.Errorf("%s is asked, and closed", p)
	case slices.Contains(x.calls, p):
		x.t.Errorf("%s is asked twice", p)
	case !slices.Contains(first.subtree(), p):
		x.t.Errorf("%s is asked for the limit of %s", p, first)
	case own:
	case p.rank() > x.for_.rank(), p.rank() == x.for_.rank() && !x.fair:
		x.t.Errorf("%s, of priority %d, is asked for %s, of %d", p, p.rank(), x.for_, x.for_.rank())
	case p.used() <= p.minimum():
		x.t.Errorf("%s is asked, and has %d of %d", p, p.used(), p.minimum())
	}
	// Nobody that should have come first was left out.
	for _, q := range first.subtree() {
		theirs := slices.Contains(x.for_.path(), q)
		if !q.asks || q.closed || q == p || slices.Contains(x.calls, q) || !theirs && q.used() <= q.minimum() {
			continue
		}
		if q.rank() < p.rank() && (theirs || q.rank() < x.for_.rank() || x.fair && q.rank() == x.for_.rank()) {
			x.t.Errorf("%s is asked before %s", p, q)
		}
		if x.fair && q.rank() == p.rank() && q.rank() <= x.for_.rank() && q.used()-q.minimum() > p.used()-p.minimum() && len(x.calls) == 0 {
			x.t.Errorf("%s, with %d bytes, is asked before %s, with %d", p, p.used(), q, q.used())
		}
	}
	x.calls = append(x.calls, p)
	for range p.frees {
		if len(p.own) > 0 {
			p.free(x.r.IntN(len(p.own)))
		}
	}
	return p.answer
}

func (x *pressure) check() {
	for _, p := range x.top.subtree() {
		s := p.Stats()
		if s.InUse != p.used() || s.Reserved != p.reserved() || p.bytes.Load() != s.InUse+s.Reserved || p.Exceeded() != p.exceeded || s.Peak < s.InUse {
			x.t.Fatalf("%s: %+v, %d counted, exceeded %v; want %d, %d reserved, %v", p, s, p.bytes.Load(), p.Exceeded(), p.used(), p.reserved(), p.exceeded)
		}
		if !p.closed && p.used()+p.reserved() < p.minimum() {
			x.t.Fatalf("%s has less than its minimum", p)
		}
		if x.hard && p.limit > 0 && s.Peak > p.limit {
			x.t.Fatalf("%s: the peak is %d, the limit %d", p, s.Peak, p.limit)
		}
	}
}

// wants begins a need of n bytes. done reports whether there is room after it, apart from n itself,
// and whether somebody has promised some.
func (x *pressure) wants(p *pressed, n int64, reserve bool) (done func() (room, promised bool)) {
	x.for_, x.n, x.reserve, x.calls = p, n, reserve, nil
	return func() (room, promised bool) {
		x.for_, room = nil, true
		for _, q := range p.path() {
			room = room && p.lacks(q, n, reserve) <= 0
		}
		for _, c := range x.calls {
			promised = promised || c.answer
		}
		return room, promised
	}
}

func (x *pressure) allocate(p *pressed) {
	size := 1 + x.r.IntN(1<<x.r.IntN(14))
	x.get(p, 0, size, func() []byte { return p.Allocate(size) })
}

// grow has Reallocate make a block larger. Functions do not free it meanwhile.
func (x *pressure) grow(p *pressed, i int) {
	b, old := p.blocks[i], int(p.own[i])
	p.own, p.blocks = slices.Delete(p.own, i, i+1), slices.Delete(p.blocks, i, i+1)
	size := old + 1 + x.r.IntN(1<<x.r.IntN(14))
	b[0], b[old-1] = 17, 42
	if !x.get(p, old, size-old, func() []byte {
		c := p.Reallocate(size, b)
		if len(c) != size || old > 1 && c[0] != 17 || c[old-1] != 42 {
			x.t.Errorf("%d bytes after Reallocate from %d to %d", len(c), old, size)
		}
		return c
	}) {
		p.own, p.blocks = append(p.own, int64(old)), append(p.blocks, b)
	}
}

// get has f return a block with n bytes more than the held ones that it has already, and reports
// whether there was room.
func (x *pressure) get(p *pressed, held, n int, f func() []byte) bool {
	was := p.exceeded
	ghost := &pressed{Allocator: p.Allocator, parent: p, own: []int64{int64(held)}} // Functions do not free what is not there yet.
	p.children = append(p.children, ghost)
	defer func() { p.children = slices.DeleteFunc(p.children, func(c *pressed) bool { return c == ghost }) }()
	if x.hard {
		done := x.wants(p, int64(n), false)
		var b []byte
		err := arena.Try(func() { b = f() })
		room, _ := done()
		if room != (err == nil) || err != nil && !errors.Is(err, arena.ErrLimit) {
			x.t.Fatalf("room %v, %v", room, err)
		}
		if err == nil {
			p.uses(int64(n))
			p.blocks, p.own = append(p.blocks, b), append(p.own, int64(held+n))
		}
		return room
	}
	trigger := false
	left := int64(n)
	for _, q := range p.path() {
		left -= min(left, q.spare)
		trigger = trigger || left > 0 && q.limit > 0 && q.used()+q.reserved()+left > q.limit
	}
	p.uses(int64(n)) // A soft limit counts first, and asks then.
	ghost.own[0] += int64(n)
	done := x.wants(p, 0, false)
	b := f()
	room, promised := done()
	p.own, p.blocks, ghost.own = append(p.own, int64(held+n)), append(p.blocks, b), nil
	if (was || !trigger) && len(x.calls) > 0 {
		x.t.Errorf("%s asks: exceeded before %v, exceeds a limit %v", p, was, trigger)
	}
	if trigger && !room && !promised {
		first := true
		for _, q := range p.path() { // as documented: all up to the one whose limit it is, but not the root for its children
			if q.parent != nil || first {
				q.exceeded = true
			}
			first = false
			if q.limit > 0 && q.used()+q.reserved() > q.limit {
				break
			}
		}
	}
	return true
}

func (x *pressure) step(all []*pressed) {
	p := all[x.r.IntN(len(all))]
	p.frees, p.answer = x.r.IntN(5), x.r.IntN(2) == 0
	switch n := x.r.IntN(100); {
	case n < 40:
		x.allocate(p)
	case n < 52:
		if len(p.own) > 0 {
			x.grow(p, x.r.IntN(len(p.own)))
		}
	case n < 75:
		if len(p.own) > 0 {
			p.free(x.r.IntN(len(p.own)))
		}
	case n < 87:
		bytes := int64(x.r.IntN(1 << x.r.IntN(15)))
		more := max(bytes-p.spare, 0)
		done := x.wants(p, more, true)
		before := p.spare
		if give := before - bytes; give > 0 {
			p.spare -= give
			p.gives(give)
		}
		err := p.TryReserve(bytes)
		room, _ := done()
		if more == 0 {
			room = true
		}
		if room != (err == nil) || err != nil && !errors.Is(err, arena.ErrLimit) {
			x.t.Fatalf("%s: room %v, %v", p, room, err)
		}
		if err == nil && more > 0 {
			p.parent.uses(more)
			p.spare += more
		}
	case n < 91:
		s := Share{Minimum: int64(x.r.IntN(5000)), Priority: x.r.IntN(4)}
		before := p.share
		p.share = &s
		all := p.spare
		p.spare = 0
		p.gives(all)
		more := s.Minimum - p.used() - p.reserved()
		done := x.wants(p, max(more, 0), true)
		err := p.SetShare(s)
		room, _ := done()
		if more <= 0 {
			room = true
		}
		if room != (err == nil) {
			x.t.Fatalf("%s: room %v, %v", p, room, err)
		}
		if err != nil {
			p.share = before
		} else if more > 0 {
			p.parent.uses(more)
			p.spare += more
		}
	case n < 95:
		p.limit = int64(x.r.IntN(20_000))
		if x.hard {
			p.limit = max(p.limit, p.Stats().Peak, p.used()+p.reserved()) // or what is reserved can be used beyond it
		}
		p.SetLimit(p.limit)
	case n < 98:
		p.ClearExceeded()
		p.exceeded = false
	default:
		p.asks = !p.asks
		if p.asks {
			p.OnLimit(func(need int64) bool { return x.ask(p, need) })
		} else {
			p.OnLimit(nil)
		}
	}
}

func (p *pressed) child(name string) *pressed {
	c := &pressed{Allocator: p.Child(name), parent: p}
	p.children = append(p.children, c)
	return c
}

// TestPressurePrograms runs random programs of one goroutine, with limits, reservations, shares and
// functions that free, and compares with a model.
func TestPressurePrograms(t *testing.T) {
	rounds := 200
	if !testrun.Long() {
		rounds = 50
	}
	seed := testrun.Seed(t)
	called := 0
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		x := &pressure{t: t, r: r, fair: round&1 != 0, hard: round&2 != 0}
		x.top = &pressed{Allocator: New(Options{Name: "top", Fair: x.fair, Hard: x.hard, Debug: round%50 == 7})}
		x.top.OnLimit(nil) // There is no credit from here on, which the model does not know.
		all := []*pressed{x.top}
		for i := range 6 {
			all = append(all, all[r.IntN(len(all))].child(fmt.Sprint("child ", i)))
		}
		for _, p := range all {
			if p.asks = r.IntN(3) > 0; p.asks {
				p.OnLimit(func(need int64) bool { return x.ask(p, need) })
			}
		}
		for range 300 {
			x.step(all)
			x.check()
			if t.Failed() {
				t.Fatalf("round %d", round)
			}
		}
		for _, i := range r.Perm(len(all) - 1) { // Close frees reservations, also of children.
			p := all[i+1]
			if p.closed {
				continue
			}
			bytes := p.used()
			for _, c := range p.subtree() {
				c.closed, c.own, c.spare, c.share = true, nil, 0, nil
			}
			l := p.Close()
			if l == nil && bytes > 0 || l != nil && l.Bytes != bytes {
				t.Errorf("%v, want %d bytes", l, bytes)
			}
			if n := p.bytes.Load(); n != 0 || p.idle.Load() != 0 {
				t.Errorf("%d bytes of %s count after Close, %d of them reserved", n, p, p.idle.Load())
			}
			if p.TryReserve(10) != nil || p.SetShare(Share{Minimum: 10}) != nil || p.bytes.Load() != 0 {
				t.Errorf("%s is closed, and reserves", p)
			}
			for _, q := range p.path()[1:] {
				if q.bytes.Load() != q.allBlocks()+q.idle.Load() || !q.isClosed() && q.bytes.Load() < q.minimum() || q.idle.Load() < 0 {
					t.Errorf("%s: %d bytes count, with %d reserved", q, q.bytes.Load(), q.idle.Load())
				}
			}
		}
		called += x.called
		for _, p := range all {
			for _, b := range p.blocks {
				p.Free(b)
			}
		}
		x.top.Close()
		if s := x.top.Stats(); s.InUse != 0 || s.Reserved != 0 || s.Orphans != 0 || x.top.bytes.Load() != 0 {
			t.Fatalf("round %d: %+v", round, s)
		}
	}
	if called < 1000 {
		t.Errorf("%d calls of functions", called)
	}
}

// TestMinimumInUse closes an allocator, or the parent of one, that has just its minimum in use:
// nothing stays reserved.
func TestMinimumInUse(t *testing.T) {
	for _, nested := range []bool{false, true} {
		top := New(Options{})
		q := top.Child("q")
		step := q
		if nested {
			step = q.Child("step")
		}
		if err := step.SetShare(Share{Minimum: 1000}); err != nil {
			t.Fatal(err)
		}
		b := step.Allocate(1000)
		if l := q.Close(); l == nil || l.Bytes != 1000 {
			t.Error(l)
		}
		if s := top.Stats(); s.Reserved != 0 || s.InUse != 0 || top.bytes.Load() != 0 {
			t.Errorf("nested %v: %+v", nested, s)
		}
		top.Free(b)
	}
}

// TestReservedIsThere has several goroutines reserve and allocate below a limit that is too small
// for all. What was reserved is there, the limit holds at any time, and functions are called by one
// at a time.
func TestReservedIsThere(t *testing.T) {
	const limit = 1 << 20
	for _, fair := range []bool{false, true} {
		top := New(Options{Limit: limit, Hard: true, Fair: fair})
		var wg sync.WaitGroup
		var reserved, refused, spilled atomic.Int64
		var queries [6]*Allocator
		for g := range queries { // before others have taken what is guaranteed
			queries[g] = top.Child(fmt.Sprint("query ", g))
			if err := queries[g].SetShare(Share{Minimum: limit / 10 / int64(g+1), Priority: g % 3}); err != nil {
				t.Fatal(err)
			}
		}
		for g, q := range queries {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 7))
				var mu sync.Mutex
				var blocks [][]byte
				var running atomic.Bool
				q.OnLimit(func(need int64) bool {
					if running.Swap(true) {
						t.Error("two goroutines run one function")
					}
					defer running.Store(false)
					if !mu.TryLock() {
						return false
					}
					defer mu.Unlock()
					_ = arena.Try(func() { top.Free(top.Allocate(100)) }) // It may allocate, and fail. q has what the query has reserved.
					before := len(blocks)
					for need > 0 && len(blocks) > 0 {
						last := blocks[len(blocks)-1]
						blocks = blocks[:len(blocks)-1]
						need -= int64(len(last))
						if len(blocks)%2 == 0 {
							done := make(chan struct{}) // another goroutine frees, and is waited for
							go func() {
								q.Free(last)
								close(done)
							}()
							<-done
						} else {
							q.Free(last)
						}
						spilled.Add(1)
					}
					return len(blocks) < before
				})
				for range 2000 {
					n := 1 + r.IntN(1<<r.IntN(17))
					if q.TryReserve(int64(n)) != nil {
						refused.Add(1)
						mu.Lock()
						list := blocks
						blocks = nil
						mu.Unlock()
						for _, b := range list {
							q.Free(b)
						}
						continue
					}
					reserved.Add(1)
					mu.Lock()
					for n > 0 {
						size := 1 + r.IntN(n)
						var b []byte
						if err := arena.Try(func() { b = q.Allocate(size) }); err != nil {
							t.Errorf("what was reserved is not there: %v", err)
							break
						}
						blocks = append(blocks, b)
						n -= size
					}
					mu.Unlock()
					if s := top.Stats(); s.Peak > limit {
						t.Errorf("the peak is %d", s.Peak)
						break
					}
				}
				q.OnLimit(nil)
				mu.Lock() // A call of the function may be under way.
				for _, b := range blocks {
					q.Free(b)
				}
				blocks = nil
				mu.Unlock()
				if l := q.Close(); l != nil {
					t.Error(l)
				}
			})
		}
		wg.Wait()
		t.Logf("fair %v: %d reserved, %d refused, %d blocks freed by functions", fair, reserved.Load(), refused.Load(), spilled.Load())
		if s := top.Stats(); s.InUse != 0 || s.Reserved != 0 || top.bytes.Load() != 0 || reserved.Load() == 0 {
			t.Errorf("%+v", s)
		}
		if err := top.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestFunctionsAtOnce has several goroutines work at soft limits with functions that free what
// others made, allocate, close and panic.
func TestFunctionsAtOnce(t *testing.T) {
	top := New(Options{Limit: 1 << 18, Fair: true})
	var wg sync.WaitGroup
	var calls atomic.Int64
	shared := make(chan []byte, 1000)
	for g := range 6 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 9))
			for range 20 {
				q := top.Child("query")
				step := q.Child("step")
				if r.IntN(2) == 0 {
					recovered(func() { _ = q.SetShare(Share{Minimum: int64(r.IntN(1 << 16)), Priority: r.IntN(3)}) })
				}
				answer := r.IntN(3) > 0
				step.OnLimit(func(need int64) bool {
					calls.Add(1)
					q.Free(step.Allocate(1000)) // It asks itself, and others.
					for range 10 {
						select {
						case b := <-shared:
							step.Free(b)
						default:
							return answer
						}
					}
					return true
				})
				q.OnLimit(func(int64) bool { panic("for a test") })
				for range 100 {
					b := []byte(nil)
					if v := recovered(func() { b = step.Allocate(1 + r.IntN(1<<12)) }); v != nil && !strings.Contains(fmt.Sprint(v), "for a test") {
						t.Error(v)
					}
					switch {
					case b == nil:
						q.ClearExceeded()
						step.ClearExceeded()
					case r.IntN(2) == 0:
						b = must1(recoveredReallocate(step, 1+r.IntN(1<<13), b))
						fallthrough
					default:
						select {
						case shared <- b:
						default:
							top.Free(b)
						}
					}
					_ = recovered(func() { _ = step.TryReserve(int64(r.IntN(1 << 12))) })
				}
				q.Close()
			}
		})
	}
	wg.Wait()
	close(shared)
	for b := range shared {
		top.Free(b)
	}
	if calls.Load() == 0 {
		t.Error("no function was called")
	}
	if s := top.Stats(); s.InUse != 0 || s.Reserved != 0 || s.Orphans != 0 || top.bytes.Load() != 0 {
		t.Errorf("%+v, %d bytes count", s, top.bytes.Load())
	}
	if err := top.check(); err != nil {
		t.Error(err)
	}
}

func must1[T any](v T, _ any) T { return v }

// recoveredReallocate returns b as it was if Reallocate panics.
func recoveredReallocate(a *Allocator, size int, b []byte) (result []byte, v any) {
	result = b
	v = recovered(func() { result = a.Reallocate(size, b) })
	return result, v
}

// TestCloseAtOnce closes children with a minimum while others free what they have, or ask for more
// than there is: nothing stays reserved.
func TestCloseAtOnce(t *testing.T) {
	top := New(Options{Limit: 1 << 20})
	rounds := 20000
	if !testrun.Long() {
		rounds = 2000
	}
	for i := range rounds {
		q := top.Child("query")
		step := q.Child("step")
		if err := q.SetShare(Share{Minimum: 1 << 14}); err != nil {
			t.Fatal(err)
		}
		var blocks [][]byte
		for range 20 + i%30 {
			blocks = append(blocks, step.Allocate(200))
		}
		start := make(chan bool)
		var wg sync.WaitGroup
		wg.Go(func() {
			<-start
			if i%2 == 0 {
				_ = step.TryReserve(1 << 21)
			}
			for _, b := range blocks {
				top.Free(b)
			}
		})
		wg.Go(func() {
			<-start
			q.Close()
		})
		close(start)
		wg.Wait()
		if s := top.Stats(); s.InUse != 0 || s.Reserved != 0 || top.bytes.Load() != 0 {
			t.Fatalf("round %d: %+v, %d bytes count", i, s, top.bytes.Load())
		}
	}
}
