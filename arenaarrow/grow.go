package arenaarrow

// Reallocate returns size bytes: the bytes of b, as many as fit, followed by zeros. b must come
// from Allocate or Reallocate, or begin where such a slice begins. Do not use b afterwards: the
// result uses its memory, or its memory is free. The result counts for the same allocator as b.
//
// If b has no capacity, Reallocate allocates. If size is at most the capacity of b, the result
// keeps the address and the capacity of b, and counts toward limits as before. That applies also if
// size is 0: Free the result. memory.GoAllocator does the same, and Arrow's builders write to
// memory that they have just given up. Only with Options.Debug is the result elsewhere, so that a
// use of b faults.
//
// Reallocate panics like Allocate and [Allocator.Free]. It has then changed nothing.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	if size < 0 || cap(b) == 0 {
		return a.reallocateNone(size, b)
	}
	at := address(b)
	h := a.lock(at, cap(b))
	if h.s == nil {
		if a.debug == nil {
			panic(a.mistake("Reallocate", b))
		}
		return a.reallocateDebug(size, b, at)
	}
	old := h.b.bytes()
	if size <= cap(b) {
		keep := min(len(b), size)
		h.b.setCut(old - size)
		a.guard(h.c).Unlock()
		clear(b[keep:size])
		return b[:size]
	}
	owner := h.b.owner()
	all := max(size, old) // Less than old is for a b whose capacity somebody has cut.
	fits := all <= h.s.blockSize && h.s.memory != nil
	var has taken
	var over *Allocator
	var result []byte
	switch {
	case fits:
		result, has, over = h.grow(all)
		a.guard(h.c).Unlock()
		if result != nil {
			if has&peaks != 0 {
				owner.raise()
			}
			clear(result[len(b):])
			return result[:size:size]
		}
	case h.c == nil || all > maxSlabBlock || len(b) > maxCopy:
		a.guard(h.c).Unlock()
	default:
		if d := owner.class(all); d.mu.TryLock() {
			result, has = d.take(owner, all)
			if result == nil {
				result, has, over = d.takeCounted(owner, all, all-old)
			}
			d.mu.Unlock()
		}
		if result == nil {
			a.guard(h.c).Unlock()
			break
		}
		n := copy(result, b)
		// If credit is used, what the block had becomes credit then, or is counted off.
		_, rest, unused := a.release(h, has&credited != 0)
		a.guard(h.c).Unlock()
		if has&credited != 0 && rest != 0 {
			owner.sub(rest)
		}
		if unused {
			a.spans.put(h.s)
		}
		if has&dirty != 0 {
			zero(result[n:])
		}
		if has&peaks != 0 {
			owner.raise()
		}
		return result[:size:size]
	}
	switch {
	case has&counted == 0:
		owner.mustBePossible(all)
		owner.charge(all - old)
	case has&unsettled != 0:
		owner.settle(over, all-old)
	}
	// Something has been done without the lock since, or is to be done.
	if fits {
		if result := a.resize(all, b, at, owner, all-old); result != nil {
			owner.raise()
			clear(result[len(b):])
			return result[:size:size]
		}
	}
	return a.move(owner, all, old, b, at)[:size:size]
}

// reallocateNone is Reallocate for a b without a capacity, or a negative size.
func (a *Allocator) reallocateNone(size int, b []byte) []byte {
	switch {
	case size < 0:
		return a.none("Reallocate", size)
	case size == 0:
		return b
	}
	return a.Allocate(size)
}

// maxCopy is how many bytes are copied with a lock taken: that is as fast as taking it twice.
const maxCopy = 4 << 10

// grow returns the block of h with another size, for which there is room. Its owner has the credit,
// or count charges the owner. If count leaves something to be done for over, grow returns nil, and
// the block is as it was.
func (h lockedBlock) grow(size int) (b []byte, has taken, over *Allocator) {
	more := size - h.b.bytes()
	if !h.b.holding.list.use(more) {
		if has, over = h.b.owner().count(more); has&counted == 0 || has&unsettled != 0 {
			return nil, has, over
		}
	}
	h.b.size += more
	h.b.setCut(0)
	return h.s.slice(h.i, size), has, nil
}

// move returns another block, of size bytes: the bytes of b followed by zeros. b, a block of old
// bytes, is then no longer in use. The difference of size and old is already counted for the owner;
// move subtracts it if there is no memory, which is a panic. While both blocks exist, the bytes of
// only one are counted, so that limits are exact. If a Close then makes both orphans, the owner's
// bytes are too few for a moment.
func (a *Allocator) move(owner *Allocator, size, old int, b []byte, at uintptr) []byte {
	result, own, err := owner.place(size, size-old, b)
	if err != nil {
		owner.sub(size - old)
		panic(err)
	}
	var last *Allocator
	var spare *span
	if h := a.lock(at, cap(b)); h.s != nil {
		var unused bool
		last, _, unused = a.release(h, false)
		a.guard(h.c).Unlock()
		if unused {
			spare = h.s
		}
	} else {
		last, _ = a.releaseDebug("Reallocate", b)
	}
	switch {
	case own:
		last.sub(old)
	case last != owner: // It was closed in between.
		last.sub(old)
		owner.add(old)
	}
	owner.raise()
	if spare != nil {
		a.spans.put(spare) // when all is counted, because a Memory may panic
	}
	return result
}

// resize returns the block b with another size, more of which were counted for the owner, or nil if
// it was left to the collector.
func (a *Allocator) resize(size int, b []byte, at uintptr, owner *Allocator, more int) []byte {
	h := a.lock(at, cap(b))
	if h.s == nil {
		panic(a.mistake("Reallocate", b))
	}
	defer a.guard(h.c).Unlock()
	if h.s.memory == nil {
		return nil
	}
	h.b.size += more
	h.b.setCut(0)
	if now := h.b.owner(); now != owner { // It was closed in between.
		owner.sub(more)
		now.add(more)
	}
	return h.s.slice(h.i, size)
}
