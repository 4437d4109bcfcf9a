package arena

import (
	"errors"
	"fmt"
)

// ErrLimit is what errors.Is finds in every [*LimitError].
var ErrLimit = errors.New("arena: limit exceeded")

// A LimitError is the value of the panic by which an allocation fails that
// would take an arena over its Options.Limit. The arena is as it was before.
type LimitError struct {
	Name     string // Options.Name
	Limit    int64  // Options.Limit, in bytes
	Reserved int64  // bytes held by the arena
	Needed   int64  // bytes that the allocation needed on top
}

func (e *LimitError) Error() string {
	name := ""
	if e.Name != "" {
		name = " " + e.Name
	}
	return fmt.Sprintf("arena: limit exceeded: arena%s holds %d bytes, needs %d more, and may hold %d (Options.Limit)",
		name, e.Reserved, e.Needed, e.Limit)
}

// Unwrap returns [ErrLimit].
func (e *LimitError) Unwrap() error { return ErrLimit }

// Try calls f and returns nil, or the *LimitError with which f panicked. Any
// other panic goes on. What f allocated before stays allocated, until Reset.
func Try(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*LimitError)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	f()
	return nil
}

// reserve returns how many slots of size bytes a new chunk may have: want, or
// fewer, down to need, where the limit forces it. It panics where not even
// those fit; it does not count what it allows.
func (st *stores) reserve(size, want, need int) int {
	want = max(want, need)
	if size == 0 {
		return want
	}
	if need > maxBytes/size {
		panicSize("an allocation", need, size)
	}
	if o := st.arena.opt; o != nil && o.Limit > 0 {
		bytes := int64(need) * int64(size)
		if excess := st.reserved + bytes - o.Limit; excess > 0 {
			st.trim(trimUnused, excess)
		}
		room := o.Limit - st.reserved
		if bytes > room {
			panic(&LimitError{o.Name, o.Limit, st.reserved, bytes})
		}
		want = max(int(min(int64(want), room/int64(size))), need)
	}
	return want
}

// maxBytes bounds a single allocation: what an address can reach, as for make.
const maxBytes = 1<<(31+16*(^uint(0)>>63)) - 1

// panicSize reports n values of size bytes, which no memory can hold.
func panicSize(what string, n, size int) {
	panic(fmt.Sprintf("arena: %s of %d values of %d bytes is larger than memory can be", what, n, size))
}
