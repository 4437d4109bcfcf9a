package quotes

import (
	"google.golang.org/protobuf/proto"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
)

// A copy by arenapb has text of its own.
func deep(b []byte) *quote {
	a := arena.NewArena()
	defer a.Reset()
	q, err := read(a, b)
	if err != nil {
		return nil
	}
	c, _ := arenapb.Clone(q)
	return c
}

// The price is no text.
func price(b []byte) int64 {
	a := arena.NewArena()
	q, err := read(a, b)
	if err != nil {
		return 0
	}
	c := proto.Clone(q).(*quote)
	a.Reset()
	return c.Price
}

func encoded(b []byte) ([]byte, error) {
	a := arena.NewArena()
	defer a.Reset()
	q, err := read(a, b)
	if err != nil {
		return nil, err
	}
	c := proto.CloneOf(q)
	c.Price++
	return proto.Marshal(c)
}

type instant struct {
	state   *struct{ text string }
	Seconds int64
	Zones   []int32
}

func (*instant) ProtoReflect() {}
func (*instant) Reset()        {}

// There is no text.
func kept(b []byte) *instant {
	a := arena.NewArena()
	defer a.Reset()
	t := arenapb.New[instant](a)
	if arenapb.Unmarshal(a, b, t) != nil {
		return nil
	}
	return proto.Clone(t).(*instant)
}
