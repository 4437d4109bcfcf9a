//go:build arenadebug

package tools

// Debugging says that the program is built with the tag arenadebug.
const Debugging = true

// Filling says that plain memory is filled at Reset and Free. It is a variable for the tests of
// what ordinary programs do, with the tag.
var Filling = true

func leaveUnfilled() { Filling = false }
