package arena

import (
	"errors"
	"fmt"
)

// Every [*LimitError] matches ErrLimit: errors.Is(err, ErrLimit) is true for it.
var ErrLimit = errors.New("arena: limit exceeded")

// A LimitError says that an allocation would take an arena over its Options.Limit. The allocation
// panics with it, and the arena stays as it was. Packages with limits of their own, such as
// arenaarrow, also use it, and say in Option which limit it was.
type LimitError struct {
	Name     string // Options.Name
	Limit    int64  // in bytes
	Reserved int64  // bytes that the arena holds, or all of its Group
	Needed   int64  // bytes that the allocation needed on top
	Option   string // the option that has set Limit; "" is Options.Limit
}

// Error returns the message, with the name, the limit and the bytes.
func (e *LimitError) Error() string {
	name, option := "", "Options.Limit"
	if e.Name != "" {
		name = " " + e.Name
	}
	if e.Option != "" {
		option = e.Option
	}
	return fmt.Sprintf("arena: limit exceeded: arena%s holds %d bytes, needs %d more, and may hold %d (%s)",
		name, e.Reserved, e.Needed, e.Limit, option)
}

// Unwrap returns [ErrLimit].
func (e *LimitError) Unwrap() error { return ErrLimit }

// Limit returns the Options.Limit of a, or 0 if there is none. All arenas of a [Group] share one
// limit. It is for packages that build on arenas: what fits into a limit should not depend on what
// they have learnt from other arenas.
func (a *Arena) Limit() int64 {
	if a == nil || a.opt == nil {
		return 0
	}
	return a.opt.Limit
}

// Try calls f and returns nil. If f panics with a [*LimitError] or a [*MemoryError], Try returns
// that. Any other panic goes on. What f allocated before stays allocated until Reset.
func Try(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			switch e := r.(type) {
			case *LimitError:
				err = e
			case *MemoryError:
				err = e
			default:
				panic(r)
			}
		}
	}()
	f()
	return nil
}

// reserve returns how many slots of size bytes a new chunk may have, and counts
// them: want, or fewer, down to need, where the limit forces it. It panics
// where not even those fit, having changed nothing.
func (st *stores) reserve(size, want, need int) int {
	want = max(want, need)
	if size == 0 {
		return want
	}
	if need > maxBytes/size {
		panicSize("an allocation", need, size)
	}
	o := st.arena.opt
	switch {
	case o == nil:
	case o.group != nil:
		want = o.group.reserve(st, size, want, need)
	case o.Limit > 0:
		bytes := int64(need) * int64(size)
		if bytes <= o.Limit {
			st.release(spareUnused, st.reserved+bytes-o.Limit)
		}
		want = o.fit(st.reserved, size, want, need)
	}
	bytes := int64(want) * int64(size)
	st.reserved += bytes
	if o != nil && o.member != nil {
		o.member.held.Add(bytes)
	}
	return want
}

// isLimited tells whether the arena, or its Group, has a Limit.
func (st *stores) isLimited() bool { return st.arena.opt != nil && st.arena.opt.Limit > 0 }

// fit returns how many of the wanted slots fit, with what is reserved, into
// Limit. It panics when those that are needed do not.
func (o *settings) fit(reserved int64, size, want, need int) int {
	room := o.Limit - reserved
	if bytes := int64(need) * int64(size); bytes > room {
		o.hits.Add(1)
		panic(&LimitError{Name: o.Name, Limit: o.Limit, Reserved: reserved, Needed: bytes})
	}
	return max(int(min(int64(want), room/int64(size))), need)
}

// unreserve undoes reserve. It is inlined, because Free calls it.
func (st *stores) unreserve(bytes int64) {
	st.reserved -= bytes
	if st.record != nil || st.arena.opt != nil {
		st.unreserved(bytes)
	}
}

// unreserved also tells the watchers that count the bytes of the arena.
func (st *stores) unreserved(bytes int64) {
	if st.record != nil {
		st.record.hold(st.reserved)
	}
	if o := st.arena.opt; o != nil {
		if o.member != nil {
			o.member.held.Add(-bytes)
		} else if o.group != nil {
			o.group.unreserve(bytes)
		}
	}
}

// retain releases chunks until no more than the given bytes are held. 0 is no bound, and
// less than 0 keeps nothing.
func (st *stores) retain(bytes int64) {
	if bytes != 0 {
		most := max(bytes, 0)
		st.release(spareAll, st.reserved-most)
		st.locals.Retain(max(most-st.reserved, 0))
	}
}

// name returns Options.Name.
func (st *stores) name() string {
	if o := st.arena.opt; o != nil {
		return o.Name
	}
	return ""
}

// A MemoryError says that Options.Memory has no memory for an allocation, or cannot be written to.
// The allocation panics with it, and the arena stays as it was. See [Try].
type MemoryError struct {
	Name string // Options.Name
	Size int64  // bytes that were asked for, or 0 for a write to what is there already
	Err  error  // the reason
}

// Error returns the message, with the name, the bytes and the reason.
func (e *MemoryError) Error() string {
	name := ""
	if e.Name != "" {
		name = " " + e.Name
	}
	if e.Size == 0 {
		return fmt.Sprintf("arena: arena%s cannot write to its Memory: %v", name, e.Err)
	}
	return fmt.Sprintf("arena: no memory for arena%s: %d bytes: %v", name, e.Size, e.Err)
}

// Unwrap returns e.Err.
func (e *MemoryError) Unwrap() error { return e.Err }
