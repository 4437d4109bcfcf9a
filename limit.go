package arena

import (
	"errors"
	"fmt"
)

// Every [*LimitError] matches ErrLimit: errors.Is(err, ErrLimit) is true for it.
var ErrLimit = errors.New("arena: limit exceeded")

// A LimitError says that an allocation would take an arena over its Options.Limit. The allocation panics with it,
// and the arena stays as it was. Packages with limits of their own, such as arenaarrow, also use it, and say in
// Option which limit it was.
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

// Limit returns the Options.Limit of a, which is that of all arenas of a [Group] together, or 0 if there is none. It is for packages that build on
// arenas: what fits into a limit should not depend on what they have learnt from other arenas.
func (a *Arena) Limit() int64 {
	if a == nil || a.opt == nil {
		return 0
	}
	return a.opt.Limit
}

// Try calls f and returns nil. If f panics with a [*LimitError] or a [*MemoryError], Try returns that. Any other
// panic goes on. What f allocated before stays allocated until Reset.
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
