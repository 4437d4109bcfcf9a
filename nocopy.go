package arena

// noCopy lets go vet find copies of an Arena.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// panicCopy panics because a what was copied.
func panicCopy(what, pointer string) {
	panic("arena: " + what + " was copied after its first use; pass a " + pointer)
}
