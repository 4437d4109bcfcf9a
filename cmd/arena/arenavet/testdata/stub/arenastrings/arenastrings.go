// Package arenastrings has the names of the package that it stands for, and does nothing.
package arenastrings

import "github.com/arena-go/arena"

func Fields(a *arena.Arena, s string) []string               { return nil }
func Split(a *arena.Arena, s, sep string) []string           { return nil }
func ToLower(a *arena.Arena, s string) string                { return s }
func ToUpper(a *arena.Arena, s string) string                { return s }
func Repeat(a *arena.Arena, s string, n int) string          { return s }
func ReplaceAll(a *arena.Arena, s, old, new string) string   { return s }
func Map(a *arena.Arena, f func(rune) rune, s string) string { return s }
func Itoa(a *arena.Arena, n int) string                      { return "" }
func FormatInt(a *arena.Arena, n int64, base int) string     { return "" }
func Quote(a *arena.Arena, s string) string                  { return "" }
