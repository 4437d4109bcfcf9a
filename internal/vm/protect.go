package vm

import "fmt"

// Protect makes b inaccessible, which must be whole pages, of the Go heap or of a reservation. The
// contents stay, and so does the memory. Pages of the Go heap must have no pointers in them, or the
// collector would look for these, and must be Unprotected before the collector frees what they are
// part of.
//
// It fails where the system has no such thing, and where the limit of [Decommit] is reached.
func Protect(b []byte) error { return setAccess("protect", b, false) }

// Unprotect makes b accessible, which must be whole pages. It may fail, for the reasons that
// Protect may, when only a part of what was protected by one call is given to it.
func Unprotect(b []byte) error { return setAccess("unprotect", b, true) }

func setAccess(op string, b []byte, access bool) error {
	s, page := spanOf(b), uintptr(PageSize())
	if s.base%page != 0 || s.end%page != 0 {
		return failed(op, b, errPages)
	}
	if len(b) == 0 {
		return nil
	}
	if err := protect(s.base, s.end-s.base, access); err != nil {
		return failed(op, b, err)
	}
	return nil
}

// SetAccess is Protect or Unprotect of size bytes at base, for a caller that knows where they are
// and must not keep them alive. They are still what they were, as long as the caller has not
// Unprotected them for good.
func SetAccess(base, size uintptr, access bool) error {
	if err := protect(base, size, access); err != nil {
		return fmt.Errorf("vm: set access to %d bytes at %#x: %w", size, base, err)
	}
	return nil
}
