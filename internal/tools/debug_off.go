//go:build !arenadebug

package tools

// Debugging says that the program is built with the tag arenadebug.
const Debugging = false

// Filling says that plain memory is filled at Reset and Free.
const Filling = false

func leaveUnfilled() {}
