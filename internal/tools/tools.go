// Package tools knows which tools that find mistakes a program is built with: the race detector,
// the address sanitizer, or the tag arenadebug.
package tools

const (
	// Checking says that invariants are checked after each slow path, and that what breaks no rule
	// of Go's, but is a mistake, is reported.
	Checking = race || Sanitizing || Debugging

	// Looking says that TextIsRead does something.
	Looking = race || Sanitizing
)

// Unwatch has arenas be as in ordinary programs, for tests of those, and of mistakes that would be
// found.
func Unwatch() {
	ignoreRaces()
	leaveUnfilled()
}
