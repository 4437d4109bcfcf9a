//go:build arenadebug

package tools

// Debugging says that the program is built with the tag arenadebug.
const Debugging = true
