package gogo_test

import (
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/testpb"
)

func ExampleUnmarshal() {
	a := arena.NewArena()
	defer a.Free()
	for _, b := range [][]byte{[]byte("\x0a\x03job\x12\x07kubelet"), []byte("\x0a\x04node\x12\x02n1")} {
		label := gogo.New[testpb.Label](a)
		if err := gogo.Unmarshal(a, b, label); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(label.Name, label.Value)
		a.Reset() // label is stale from here on
	}
	// Output:
	// job kubelet
	// node n1
}

func ExampleFallbacks() {
	for _, s := range gogo.Fallbacks(new(testpb.Series)) {
		fmt.Println(s)
	}
	// Output:
	// testpb.Series: field 6 is a map, which is Go's
	// testpb.Own: its Unmarshal is handwritten: the name of its file does not end in .pb.go
	// testpb.Series: field 14 is a map, which is Go's
}

// Copied has an Unmarshal that somebody has written, and that does what gogo's does.
func ExampleTrust() {
	gogo.Trust[testpb.Copied]()
	fmt.Println(len(gogo.Fallbacks(new(testpb.Copied))))
	// Output: 0
}
