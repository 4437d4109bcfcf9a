package arenaarrow

// Counting costs an atomic operation for an allocator and one for each parent. So freed small
// blocks stay counted, as the credit of their list: the next allocations from that list use it up,
// and count nothing. The bytes of an account then consist of its blocks, its reservations, and the
// credit of its lists and of its children's lists:
//
//	bytes = blocks + idle + credit
//
// Limits are still exact. The counted bytes are never less than the bytes in use, so using credit
// exceeds no limit. An allocation that would exceed a limit first collects the credit below it, and
// counts again. The allocators below it are exact from then on: they get no more credit.
const (
	maxCreditBlock = 1 << 10 // bytes of a block that may become credit
	maxCredit      = 4 << 10 // bytes of a list
)

// use uses size bytes of the credit. It reports false, and does nothing, if the credit is smaller.
// The credit of a closed allocator is 0, or was not collected yet: then Close has yet to look at
// its blocks, too.
func (l *holdings) use(size int) bool {
	if l.credit < size {
		return false
	}
	l.credit -= size
	return true
}

// earn is for a block of size bytes in l that was freed. It returns how much is to be counted off.
func (l *holdings) earn(size int) (rest int) {
	if size > maxCreditBlock || l.owner.exact.Load() { // The lock of l is taken: collect comes later, or exact is true.
		return size
	}
	credit := l.credit + size
	if credit > maxCredit {
		rest = credit - maxCredit/2
		credit = maxCredit / 2
	}
	l.credit = credit
	return rest
}

// collect counts off the credit of a, with credits taken: so none is on its way when somebody
// counts again.
func (a *Allocator) collect() {
	n := 0
	a.lists(func(l *holdings, _ *class) {
		n += l.credit
		l.credit = 0
	})
	if n != 0 {
		a.sub(n)
	}
}

// makeExact removes the credit of a and its children for good, with credits taken. Children that
// join later learn of it from join.
func (a *Allocator) makeExact() {
	a.all(func(a *Allocator) {
		if !a.exact.Swap(true) {
			a.collect()
		}
	})
}

// recount is for size bytes that are counted for a, and have taken over beyond its limit. It
// returns whose limit is exceeded without the credit of others, or nil.
func (a *Allocator) recount(over *Allocator, size int) *Allocator {
	a.credits.Lock()
	defer a.credits.Unlock()
	if a.claims.Load() { // There is no credit any more. There may have been when size was counted.
		return a.beyond()
	}
	for again := true; again && over != nil; {
		over.makeExact()
		a.sub(size)
		over, _ = a.add(size)
		again = over != nil && !over.exact.Load()
	}
	for p := over; p != nil; p = p.parent.beyond() { // Parents may be beyond their limits, too, and nobody is to use credit there.
		p.makeExact()
	}
	return over
}

// beyond returns the first of a and its parents that has more than its limit, or nil.
func (a *Allocator) beyond() *Allocator {
	for ; a != nil; a = a.parent {
		if limit := a.limit.Load(); limit > 0 && a.bytes.Load() > limit {
			return a
		}
	}
	return nil
}

// tryAddExact is tryAdd for n bytes that are to be used, after which over was in the way. The
// credit of others is not.
func (a *Allocator) tryAddExact(over *Allocator, n int64) *Allocator {
	a.credits.Lock()
	defer a.credits.Unlock()
	for again := true; again && over != nil; {
		over.makeExact()
		over = a.tryAdd(n, 0, false)
		again = over != nil && !over.exact.Load()
	}
	return over
}

// allowCredit has children that are made from now on get credit again, if the root has less than
// half of its limit in use. Those that were made exact stay so.
func (r *root) allowCredit() {
	r.credits.Lock()
	defer r.credits.Unlock()
	if r.top.closed.Load() {
		return // Close has made it exact, or is about to, and nothing may become credit after that.
	}
	if limit := r.top.limit.Load(); !r.claims.Load() && r.top.exact.Load() && (limit == 0 || r.top.bytes.Load() < limit/2) {
		r.top.exact.Store(false)
	}
}
