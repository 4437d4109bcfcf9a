//go:build !asan && !race

package arena_test

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

// A report is an error of several lines, with the stacks that are known.
func ExampleReport_Error() {
	var err error
	a := arena.NewWith(arena.Options{Name: "upload", Guard: true, Report: func(r *arena.Report) { err = r }})
	a.Free()
	a.Free() // a mistake

	first, stacks, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(first)
	for line := range strings.Lines(stacks) {
		if !strings.HasPrefix(line, "\t") {
			fmt.Print(line)
		}
	}
	// Output:
	// arena: second Free: arena upload
	// used at:
	// ended at:
}

func ExampleStack_String() {
	var used arena.Stack
	a := arena.NewWith(arena.Options{Guard: true, Report: func(r *arena.Report) { used = r.Used }})
	a.Free()
	a.Free() // a mistake

	for line := range strings.Lines(used.String()) {
		fmt.Println(strings.TrimSpace(line)) // a function, and below it the line of the source
		break
	}
	// Output: github.com/arena-go/arena.(*Arena).Free
}
