// Package quotes has mistakes with copies of messages, which have the text of the original.
package quotes

import (
	"google.golang.org/protobuf/proto"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
)

type quote struct {
	Symbol string
	Price  int64
}

func (*quote) ProtoReflect() {}
func (*quote) Reset()        {}

var last = map[string]*quote{}

func read(a *arena.Arena, b []byte) (*quote, error) {
	q := arenapb.New[quote](a)
	return q, arenapb.Unmarshal(a, b, q)
}

type cache struct{ all map[int]*quote }

func (c *cache) put(n int, q *quote) { c.all[n] = proto.Clone(q).(*quote) }

func (c *cache) fill(docs [][]byte) {
	a := arena.NewArena()
	for n, b := range docs {
		q, err := read(a, b)
		if err != nil {
			return
		}
		c.put(n, q) // want `outlives: `
		a.Reset()
	}
}

func newest(p *arena.Pool, b []byte) error {
	a := p.Get()
	defer p.Put(a)
	q, err := read(a, b)
	if err != nil {
		return err
	}
	last["new"] = proto.CloneOf(q) // want `outlives: `
	return nil
}

func copied(b []byte) *quote {
	a := arena.NewArena()
	defer a.Reset()
	q, err := read(a, b)
	if err != nil {
		return nil
	}
	return proto.Clone(q).(*quote) // want `outlives: `
}
