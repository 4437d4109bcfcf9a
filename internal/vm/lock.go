package vm

// Lock keeps b, committed pages of one reservation, in memory: all of it is there when Lock
// returns, and is never written to a swap area. Systems have a limit for that. When Lock fails,
// some of b may be locked.
func Lock(b []byte) error { return change("lock", b, lock) }

// Unlock ends what Lock has begun. It has to come before Decommit.
func Unlock(b []byte) error { return change("unlock", b, unlock) }
