package arenapb_test

import (
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/proto"
)

func Example() {
	input, err := proto.Marshal(&profilepb.Profile{StringTable: []string{"", "cpu", "nanoseconds"}, Period: 10_000_000})
	if err != nil {
		panic(err)
	}

	a := arena.NewArena()
	for range 3 {
		p := arenapb.New[profilepb.Profile](a)
		if err := arenapb.Unmarshal(a, input, p); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.StringTable[1], p.Period)
		a.Reset() // p is stale from here on
	}
	// Output:
	// cpu 10000000
	// cpu 10000000
	// cpu 10000000
}

func ExampleClone() {
	a := arena.NewArena()
	p := arenapb.New[profilepb.Profile](a)
	input, err := proto.Marshal(&profilepb.Profile{StringTable: []string{"", "main.main"}})
	if err == nil {
		err = arenapb.Unmarshal(a, input, p)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	kept, err := arenapb.Clone(p)
	a.Reset()
	fmt.Println(kept.StringTable[1], err)
	// Output: main.main <nil>
}
