// Package model contains tests of package arena as programs see it: its text, slices, maps and
// copies next to the standard library's, random programs next to models of them, all functions in
// all states of an arena, and mistakes.
package model
