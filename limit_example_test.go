package arena_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

// The error of a limit says whose it was, and what was asked for.
func ExampleLimitError_Error() {
	a := arena.NewWith(arena.Options{Name: "upload", Limit: 1 << 20})
	err := arena.Try(func() { arena.MakeSlice[byte](a, 2<<20, 2<<20) })
	var limit *arena.LimitError
	if errors.As(err, &limit) {
		fmt.Println(limit.Name, limit.Limit, limit.Needed)
	}
	fmt.Println(err)
	// Output:
	// upload 1048576 2097152
	// arena: limit exceeded: arena upload holds 0 bytes, needs 2097152 more, and may hold 1048576 (Options.Limit)
}

// Code that need not know the numbers asks for ErrLimit, also where the error was wrapped.
func ExampleLimitError_Unwrap() {
	a := arena.NewWith(arena.Options{Limit: 1 << 20})
	err := arena.Try(func() { arena.MakeSlice[byte](a, 2<<20, 2<<20) })
	err = fmt.Errorf("upload: %w", err)
	fmt.Println(errors.Is(err, arena.ErrLimit))
	// Output: true
}

// A package that keeps what it has seen before asks for the limit, and takes no memory on suspicion if there is one.
func ExampleArena_Limit() {
	last := 1000 // fields of the line before
	fields := func(a *arena.Arena, line string) []string {
		room := 0
		if a.Limit() == 0 {
			room = last
		}
		list := arena.MakeSlice[string](a, 0, room)
		for field := range strings.SplitSeq(line, ",") {
			list = arena.Push(a, list, field)
		}
		last = len(list)
		return list
	}
	a := arena.NewWith(arena.Options{Limit: 1 << 10})
	fmt.Println(a.Limit(), fields(a, "a,b,c"))
	// Output: 1024 [a b c]
}
