package vm

// HugePageSize returns the size of a huge page, or 0 if there are none, or none that this package
// knows of.
func HugePageSize() int { return hugePageSize() }

// AdviseHuge asks the system to use huge pages for b, whole pages of one reservation, when they are
// written to. It gives them to what is committed and aligned to [HugePageSize], if it has them at
// hand, and does not tell. The wish lasts until Release, or until [DecommitHuge]. It is an error if
// the system is set up never to do it.
func AdviseHuge(b []byte) error { return change("advise huge pages for", b, adviseHuge) }

// CommitHuge is [Commit] with pages of the pool of huge pages, which an administrator sets up: all
// of b's are set aside at once, or it fails. b must be aligned to [HugePageSize], address and
// length, and not be committed. When CommitHuge fails, b is as it was.
func CommitHuge(b []byte) error {
	return change("commit huge pages:", b, func(b []byte) error {
		if huge := HugePageSize(); huge > 0 && (Addr(b)%uintptr(huge) != 0 || len(b)%huge != 0) {
			return errHugePages
		}
		return commitHuge(b)
	})
}

// DecommitHuge is [Decommit] of what CommitHuge has committed, all of it, and forgets what was
// asked for with [AdviseHuge] and [Prefer]. When it fails, b is as it was.
func DecommitHuge(b []byte) error { return change("decommit huge pages:", b, decommitHuge) }
