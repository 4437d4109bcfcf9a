//go:build go1.27

package main

import "github.com/arena-go/arena"

func newByMethod(a *arena.Arena) *person              { return a.New[person]() }        // inlines (*Arena).New[go.shape.struct { main.name string; main.next *main.person }]
func ptrByMethod(a *arena.Arena) *point               { return a.Ptr(point{1, 2}) }     // inlines (*Arena).Ptr[go.shape.struct { main.x int; main.y int }]
func boxByMethod(a *arena.Arena, s string) any        { return a.Box(s) }               // inlines (*Arena).Box[go.shape.string]
func slabByMethod(a *arena.Arena) *arena.Slab[int]    { return a.SlabOf[int]() }        // inlines (*Arena).SlabOf[go.shape.int]
func mapByMethod(a *arena.Arena) *arena.Map[int, int] { return a.NewMap[int, int](8) }  // inlines (*Arena).NewMap[go.shape.int,go.shape.int]
func makeByMethod(a *arena.Arena, n int) []int        { return a.MakeSlice[int](n, n) } // inlines (*Arena).MakeSlice[go.shape.int]
func sliceByMethod(a *arena.Arena) []int              { return a.SliceOf(1, 2) }        // inlines (*Arena).SliceOf[go.shape.int]
func appendByMethod(a *arena.Arena, s []int) []int    { return a.Append(s, 1) }         // inlines (*Arena).Append[go.shape.int,go.shape.[]int]
func pushByMethod(a *arena.Arena, s []int) []int      { return a.Push(s, 1) }           // inlines (*Arena).Push[go.shape.int,go.shape.[]int]
func growByMethod(a *arena.Arena, s []int) []int      { return a.Grow(s, 1) }           // inlines (*Arena).Grow[go.shape.[]int,go.shape.int]
func textByMethod(a *arena.Arena, b []byte) string    { return a.String(b) }            // inlines (*Arena).String[go.shape.[]uint8]
func bytesByMethod(a *arena.Arena, s string) []byte   { return a.Bytes(s) }             // inlines (*Arena).Bytes[go.shape.string]
