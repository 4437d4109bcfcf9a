package arenaarrow

// Reallocate returns size bytes that begin with those of b, as many as fit, and end with zeros. b must come from Allocate or Reallocate, or begin
// where such a slice does. Do not use b afterwards: the result has its memory, or its memory is free. The result counts for the allocator that
// b counts for.
//
// If b has no capacity, Reallocate allocates. If size is not more than the capacity of b, the result lies where b does, has the capacity of b, and
// counts to limits as before, also where size is 0: Free it. memory.GoAllocator does the same, and builders of Arrow write to what they have just
// given up. Only with Options.Debug does the result lie elsewhere, so that a use of b faults.
//
// Reallocate panics as Allocate and [Allocator.Free] do. Then nothing has changed.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	switch {
	case size < 0:
		return a.none("Reallocate", size)
	case cap(b) == 0 && size == 0:
		return b
	case cap(b) == 0:
		return a.Allocate(size)
	}
	at := address(b)
	s, c, i := a.lock(at, cap(b))
	if s == nil {
		if a.debug == nil {
			panic(a.mistake("Reallocate", b))
		}
		return a.reallocateDebug(size, b, at)
	}
	block := &s.blocks[i]
	owner, old := block.holding.owner, block.bytes()
	keep := min(len(b), size)
	if size <= cap(b) {
		block.setCut(old - size)
		a.guard(c).Unlock()
		clear(b[keep:size])
		return b[:size]
	}
	all := max(size, old) // Less than old is for a b whose capacity somebody has cut.
	fits := all <= s.blockSize && s.memory != nil
	result, high, counted := a.growLocked(s, c, i, all, b[:keep], fits)
	if result != nil {
		if high {
			owner.raise()
		}
		return result[:size:size]
	}
	if !counted {
		owner.charge(all - old)
	}
	// Something has been done without the lock since, or is to be done.
	if fits {
		if result := a.resize(all, b, at, owner, all-old); result != nil {
			owner.raise()
			clear(result[keep:size])
			return result[:size:size]
		}
	}
	return a.move(owner, all, old, b, at)[:size:size]
}

// maxCopy is how many bytes are copied with a lock taken: that is as fast as taking it twice.
const maxCopy = 4 << 10

// growLocked returns block i of s, whose lock is taken, with another size, where that is easy: it has the contents of old, and zeros. Otherwise
// growLocked returns nil, and the block is as it was. counted tells whether what it is to have more is counted, and high is that of charge. The
// lock is free then, in all cases.
func (a *Allocator) growLocked(s *span, c *class, i, size int, old []byte, fits bool) (b []byte, high, counted bool) {
	block := &s.blocks[i]
	owner, more := block.holding.owner, size-block.bytes()
	if fits {
		if !block.holding.use(more) {
			var locked bool
			if high, locked = owner.chargeLocked(more, a.guard(c), nil); !locked {
				return nil, high, true
			}
		}
		block.size += more
		block.setCut(0)
		b = s.slice(i, size)
		a.guard(c).Unlock()
		clear(b[len(old):])
		return b, high, true
	}
	if c == nil || size > maxSlabBlock || len(old) > maxCopy {
		a.guard(c).Unlock()
		return nil, false, false
	}
	b, t := owner.takeSmall(size, more, &c.mu) // If credit is used, what the block had becomes credit then, or is counted off.
	if b == nil {
		return nil, t.high, t.counted
	}
	n := copy(b, old)
	if _, rest := a.releaseLocked(s, c, i, t.credit); t.credit && rest != 0 {
		owner.sub(rest)
	}
	if t.dirty {
		clear(b[n:])
	}
	return b, t.high, true
}

// move returns another block, of size bytes, which begins with those of b and ends with zeros. b, a block of old bytes, is not in use
// any more then. What size is more than old is counted for the owner already, and counted off if there is no memory, which is a panic.
func (a *Allocator) move(owner *Allocator, size, old int, b []byte, at uintptr) []byte {
	result, err := owner.place(size, b)
	if err != nil {
		owner.sub(size - old)
		panic(err)
	}
	var last *Allocator
	if s, c, i := a.lock(at, cap(b)); s != nil {
		last, _ = a.releaseLocked(s, c, i, false)
	} else {
		last, _ = a.releaseDebug("Reallocate", b)
	}
	if last != owner { // It was closed in between.
		last.sub(old)
		owner.add(old)
	}
	owner.raise()
	return result
}

// resize returns the block b with another size, more of which were counted for the owner, or nil if it was left to the collector.
func (a *Allocator) resize(size int, b []byte, at uintptr, owner *Allocator, more int) []byte {
	s, c, i := a.lock(at, cap(b))
	if s == nil {
		panic(a.mistake("Reallocate", b))
	}
	defer a.guard(c).Unlock()
	if s.memory == nil {
		return nil
	}
	block := &s.blocks[i]
	block.size += more
	block.setCut(0)
	if now := block.holding.owner; now != owner { // It was closed in between.
		owner.sub(more)
		now.add(more)
	}
	return s.slice(i, size)
}
