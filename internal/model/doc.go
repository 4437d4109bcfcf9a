// Package model has tests of package arena as programs see it: its text, slices, maps and copies beside the standard
// library's, random programs beside models of them, all functions in all states of an arena, and mistakes.
package model
