package offheap_test

import (
	"errors"
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
)

// The zero value serves all arenas of a program.
func ExampleMmap() {
	var memory offheap.Mmap
	a := arena.NewWith(arena.Options{Memory: &memory})
	squares := arena.MakeSlice[int64](a, 100_000, 100_000)
	for i := range squares {
		squares[i] = int64(i) * int64(i)
	}
	fmt.Println(squares[99_999], memory.Stats().Blocks > 0)

	a.Free() // The system has its memory back, and a use of squares would be a fault.
	fmt.Println(memory.Stats().Blocks, memory.Stats().InUse)
	// Output:
	// 9999800001 true
	// 0 0
}

// What falls back is counted.
func ExampleMmap_hugePages() {
	memory := offheap.Mmap{HugePages: offheap.ExplicitHugePages}
	b, err := memory.Alloc(64 << 20)
	if err != nil {
		fmt.Println("no huge pages on this system")
		return
	}
	defer memory.Free(b)
	if s := memory.Stats(); s.Fallbacks > 0 {
		fmt.Printf("%d of %d bytes are on pages of the pool\n", s.HugePool, s.HugeAsked)
	}
}

// A loop that must not wait for the system has its memory before it starts.
func ExampleFixed() {
	memory, err := offheap.NewFixed(16 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := arena.NewWith(arena.Options{Memory: memory})
	for range 60 {
		positions := arena.MakeSlice[[3]float32](a, 10_000, 10_000)
		positions[0][0] = 1
		a.Reset()
	}
	_, err = memory.Alloc(1 << 30)
	full := new(offheap.FullError)
	fmt.Println(errors.As(err, &full), full.Size)

	a.Free()
	fmt.Println(memory.Close())
	// Output:
	// true 1073741824
	// <nil>
}

// A program that is built without the library says what is missing.
func ExampleMimalloc() {
	memory, err := offheap.Mimalloc()
	if err != nil {
		fmt.Println("not in this program")
		return
	}
	b, err := memory.Alloc(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer memory.Free(b)
	fmt.Println(memory.Stats())
}
