package arena_test

import (
	"fmt"
	"strconv"

	"github.com/arena-go/arena"
)

// A list of references has nothing that the collector looks at, however long it is.
func ExampleRef() {
	type entry struct {
		key  int64
		next arena.Ref[entry]
	}
	a := arena.NewArena()
	defer a.Free()

	var list arena.Ref[entry]
	for key := range int64(3) {
		r, e := arena.NewRef[entry](a)
		e.key, e.next = key, list
		list = r
	}
	for r := list; !r.IsNil(); r = r.Get(a).next {
		fmt.Println(r.Get(a).key)
	}
	// Output:
	// 2
	// 1
	// 0
}

func ExampleNewRef() {
	a := arena.NewArena()
	r, p := arena.NewRef[int64](a)
	*p = 7
	fmt.Println(*r.Get(a), r.Get(a) == p)
	// Output: 7 true
}

// References go by their numbers to where there is no type for them, such as a network or another program, and come back.
func ExampleRef_Offset() {
	a := arena.NewArena()
	r, p := arena.NewRef[int64](a)
	*p = 7
	cookie := strconv.FormatUint(uint64(r.Offset()), 10)

	offset, err := strconv.ParseUint(cookie, 10, 32)
	if err != nil {
		fmt.Println(err)
	}
	back, err := arena.RefAt[int64](a, uint32(offset))
	fmt.Println(back == r, *back.Get(a), err)
	// Output: true 7 <nil>
}

// RefAt sees whether there can be such a value, and not whether there is one.
func ExampleRefAt() {
	a := arena.NewArena()
	arena.NewRef[int64](a)
	_, err := arena.RefAt[int64](a, 1<<30)
	fmt.Println(err != nil)
	// Output: true
}

func ExampleNewRefSlice() {
	a := arena.NewArena()
	r, s := arena.NewRefSlice[float64](a, 3)
	for i := range s {
		s[i] = float64(i) / 2
	}
	fmt.Println(r.Get(a), r.Len())
	// Output: [0 0.5 1] 3
}

// A matrix is one value and one slice, with numbers in place of pointers.
func ExampleRefSlice() {
	type matrix struct {
		width int32
		cells arena.RefSlice[float64]
	}
	a := arena.NewArena()
	r, m := arena.NewRef[matrix](a)
	m.width = 3
	m.cells, _ = arena.NewRefSlice[float64](a, 2*3)
	*m.cells.At(a, 1*3+2) = 6 // row 1, column 2

	m = r.Get(a)
	fmt.Println(m.cells.Get(a), m.cells.Len()/int(m.width), "rows")
	// Output: [0 0 0 0 0 6] 2 rows
}

func ExampleRefString() {
	type user struct {
		name arena.RefString
		age  int32
	}
	a := arena.NewArena()
	_, u := arena.NewRef[user](a)
	u.name, u.age = arena.NewRefString(a, "Ada"), 36
	fmt.Println(u.name.Get(a), u.name.Len(), u.age)
	// Output: Ada 3 36
}
