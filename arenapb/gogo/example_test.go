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

// A name and its value, as somebody has written them by hand, and the tags of their encoding.
type (
	pair struct{ Name, Value string }
	tags struct {
		Name  string `protobuf:"bytes,1,opt,name=name,proto3"`
		Value string `protobuf:"bytes,2,opt,name=value,proto3"`
	}
)

func (p *pair) Unmarshal(b []byte) error {
	l := testpb.Label{Name: p.Name, Value: p.Value}
	err := l.Unmarshal(b)
	p.Name, p.Value = l.Name, l.Value
	return err
}

func ExampleTrustAs() {
	fmt.Println(gogo.Fallbacks(new(pair))[0])
	if err := gogo.TrustAs[pair, tags](); err != nil {
		panic(err)
	}
	fmt.Println(len(gogo.Fallbacks(new(pair))))
	// Output:
	// gogo_test.pair: its Unmarshal is handwritten: the name of its file does not end in .pb.go
	// 0
}

// Copied has an Unmarshal that somebody has written, and that does what gogo's does.
func ExampleTrust() {
	gogo.Trust[testpb.Copied]()
	fmt.Println(len(gogo.Fallbacks(new(testpb.Copied))))
	// Output: 0
}
