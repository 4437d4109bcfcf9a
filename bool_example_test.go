package arena_test

import (
	"encoding/json"
	"fmt"

	"github.com/arena-go/arena"
)

// A Bool makes a type plain that could not have a reference with a bool in it.
func ExampleBool() {
	type task struct {
		done arena.Bool
	}
	a := arena.NewArena()
	_, t := arena.NewRef[task](a)
	t.done = arena.BoolOf(true)
	fmt.Println(t.done, t.done.Is())
	// Output: true true
}

func ExampleBoolOf() {
	fmt.Println(arena.BoolOf(1 < 2))
	// Output: true
}

func ExampleBool_String() {
	fmt.Println(arena.BoolOf(true), arena.Bool(0))
	// Output: true false
}

func ExampleBool_MarshalJSON() {
	text, err := json.Marshal(struct{ Done arena.Bool }{arena.BoolOf(true)})
	fmt.Printf("%s %v\n", text, err)
	// Output: {"Done":true} <nil>
}

func ExampleBool_UnmarshalJSON() {
	var task struct{ Done arena.Bool }
	err := json.Unmarshal([]byte(`{"Done": true}`), &task)
	fmt.Println(task.Done.Is(), err)
	// Output: true <nil>
}

func ExampleBool_Format() {
	fmt.Printf("%t %5t\n", arena.BoolOf(true), arena.Bool(0))
	// Output: true false
}
