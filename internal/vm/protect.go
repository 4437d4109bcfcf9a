package vm

// Protect makes b inaccessible, which must be whole pages, of the Go heap or of a reservation. The contents
// stay, and so does the memory. Pages of the Go heap must have no pointers in them, or the collector would
// look for these, and must be Unprotected before the collector frees what they are part of.
//
// It fails where the system has no such thing, and where the limit of [Decommit] is reached.
func Protect(b []byte) error { return setAccess("protect", b, false) }

// Unprotect makes b accessible, which must be whole pages. It may fail, for the reasons that Protect
// may, when only a part of what was protected by one call is given to it.
func Unprotect(b []byte) error { return setAccess("unprotect", b, true) }

func setAccess(op string, b []byte, access bool) error {
	s, page := spanOf(b), uintptr(PageSize())
	if s.base%page != 0 || s.end%page != 0 {
		return failed(op, b, errPages)
	}
	if len(b) == 0 {
		return nil
	}
	if err := protect(b, access); err != nil {
		return failed(op, b, err)
	}
	return nil
}
