package detached

// kept returns what the batch has still.
func kept() []byte {
	b := batches.Get().(*batch)
	buf := b.buf
	b.reset()
	b.free()
	return buf // want `syncpool: .* is returned after batch.free`
}

// replaced takes the events out too late.
func replaced() []byte {
	p := full.Get().(*[]byte)
	b := *p
	full.Put(p)
	*p = nil // want `syncpool: .* is used after sync.Pool.Put`
	return b // want `syncpool: .* is returned after sync.Pool.Put`
}

func moved(to map[string][]byte) {
	b := batches.Get().(*batch)
	b.buf = append(b.buf, 'x')
	to["x"] = b.buf // want `syncpool: .* is stored in the elements of to, which lives longer`
	b.end()
}

func encodeLate(s string) []byte {
	e := borrow()
	e.buf = append(e.buf, s...)
	defer func() { e.release() }()
	return e.buf // want `syncpool: `
}

func encodeByMethodLate(s string) ([]byte, error) {
	e := borrow()
	defer func() {
		e.keys = make([]string, 0, 8)
		e.release()
	}()
	return e.encode(s) // want `syncpool: `
}
