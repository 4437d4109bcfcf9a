// Package arenapgx has the names of the package that it stands for, and does nothing.
package arenapgx

import "github.com/arena-go/arena"

type Rows interface{ Next() bool }

func Collect[T any](a *arena.Arena, rows Rows) ([]T, error)            { return nil, nil }
func CollectPointers[T any](a *arena.Arena, rows Rows) ([]*T, error)   { return nil, nil }
func One[T any](a *arena.Arena, rows Rows) (v T, err error)            { return }
func Exactly[T any](a *arena.Arena, rows Rows) (v T, err error)        { return }
func ForEach[T any](a *arena.Arena, rows Rows, f func(*T) error) error { return nil }
func Scan(a *arena.Arena, rows Rows, targets ...any) error             { return nil }
func TextArray[T ~string](a *arena.Arena, list []T) any                { return nil }
func IntArray[T ~int | ~int64](a *arena.Arena, list []T) any           { return nil }
