package vm

// Prefer asks the system to take the memory of b, whole pages of one reservation, from the NUMA
// node with this number as long as there is some. That is for pages that are written to later; it
// lasts until Release, or until [DecommitHuge]. It is an error if there is no such node.
func Prefer(b []byte, node int) error {
	return change("prefer a node for", b, func(b []byte) error { return prefer(b, node) })
}
