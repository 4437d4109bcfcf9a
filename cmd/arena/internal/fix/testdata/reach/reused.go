package reach

// A Reuser is used again and again: what it keeps for the next call outlives an arena.
type Reuser struct {
	toks  []tok
	stack []*Node
	pool  []cell
	used  int
	list  *fields
}

type tok struct{ text string }

type cell struct {
	args  []int
	inner *Node
}

type fields struct {
	at    []int
	nodes []cell
	Nodes []*Node
}

// NewReuser returns a Reuser.
func NewReuser() *Reuser { return &Reuser{pool: make([]cell, 4), list: &fields{}} }

// Parse returns a tree, which nothing of the Reuser refers to.
func (r *Reuser) Parse(text string) *Node {
	r.scan(text)
	root := &Node{Text: text + "!"} // stays: a value, text
	r.push(root)
	for _, t := range r.toks {
		n := &Node{Text: t.text} // stays: a value
		top := r.stack[len(r.stack)-1]
		top.Kids = append(top.Kids, n) // stays: append
		r.push(n)
	}
	r.stack = r.stack[:0]
	r.used = 0
	for i := range r.toks {
		c := r.cell(i)
		c.args = append(c.args[:0], i, len(text))                // stays: append
		root.Text += string(rune('a' + len(c.args) + c.args[0])) // stays: text
	}
	r.places(text)
	for i := range r.toks {
		root.Text += r.again(i).Text
	}
	return root
}

// scan sets the tokens by way of a variable, which is the buffer.
func (r *Reuser) scan(text string) {
	toks := r.toks[:0]
	for i := range text {
		toks = append(toks, tok{text[i:i+1] + ";"}) // stays: append
	}
	r.toks = toks
}

// push grows what Parse cuts. The elements are not read again.
func (r *Reuser) push(n *Node) {
	r.stack = append(r.stack, n) // stays: append
}

func (r *Reuser) cell(i int) *cell {
	return &r.pool[i%4]
}

// places is given to a function that gives it back.
func (r *Reuser) places(text string) {
	r.list.at = grown(r.list.at[:0], len(text))
	for i := range r.list.at {
		r.list.at[i] = i
	}
}

func grown(list []int, n int) []int {
	for range n {
		list = append(list, 0)
	}
	return list
}

// again reads elements of the call before: so these stay, too.
func (r *Reuser) again(i int) *Node {
	nodes := r.list.nodes
	if len(nodes) > i {
		return nodes[i].inner
	}
	if len(nodes) < cap(nodes) {
		r.list.nodes = nodes[:len(nodes)+1]
	} else {
		r.list.nodes = append(nodes, cell{}) // stays: append
	}
	c := &r.list.nodes[len(r.list.nodes)-1]
	if c.inner == nil {
		c.inner = &Node{Text: string(rune('A' + i))} // stays: a value, text
	}
	return c.inner
}
