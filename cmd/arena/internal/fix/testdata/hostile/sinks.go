package hostile

// Types that keep what they are given, behind interfaces that others implement, too.

type sink interface{ take(n *Node) }

type counting struct {
	n    int
	last *Node
}

func (c *counting) take(*Node) { c.n++ }

type keeping[T any] struct {
	all  [8]*Node
	next T
}

func (k *keeping[T]) take(n *Node) { k.all[len(n.Text)%8] = n }

type pair interface {
	first(n *Node)
	second(n *Node)
}

type neither struct{}

func (neither) first(*Node)  {}
func (neither) second(*Node) {}

type other1st struct{}

func (other1st) first(n *Node) { global = n }

type other2nd struct{}

func (other2nd) second(n *Node) { nodes = append(nodes, n) }

var keepsAll = &keeping[int]{}

func sinks(many bool) sink {
	if many {
		return keepsAll
	}
	return counted
}

var counted = &counting{}

// A shelf embeds what keeps.
type shelf struct{ sink }

var bothOf = func() pair {
	type both struct {
		other1st
		other2nd
	}
	return both{}
}()

func pairs(many bool) pair {
	if many {
		return bothOf
	}
	return neither{}
}

func fromSinks(b []byte) {
	{
		n := &Node{Text: string(b) + "g1"}
		sinks(len(b) > 0).take(n)
	}
	{
		n := &Node{Text: string(b) + "g2"}
		pairs(len(b) > 0).first(n)
	}
	{
		n := &Node{Text: string(b) + "g3"}
		pairs(len(b) > 0).second(n)
	}
	{
		n := &Node{Text: string(b) + "g4"}
		w := shelf{keepsAll}
		w.take(n)
	}
}
