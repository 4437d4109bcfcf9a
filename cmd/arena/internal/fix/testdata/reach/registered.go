package reach

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// A cursor leads to the arena.
type cursor struct {
	text string
	at   int
	zone *time.Location
}

func (c *cursor) word() string {
	from := c.at
	for c.at < len(c.text) && c.text[c.at] != ' ' {
		c.at++
	}
	return c.text[from:c.at] + ";" // moves: text
}

func (c *cursor) kids(n int) []*Node { return make([]*Node, 0, n+c.at) } // moves: a slice

// A rule is registered before anything is parsed, by a literal that uses nothing around it.
type rule func(c *cursor, n *Node)

var rules = map[byte]rule{}

func register(key byte, do rule) { rules[key] = do }

func group(add func(key byte)) { add('*') }

func init() {
	register('+', func(c *cursor, n *Node) {
		n.Kids = append(n.Kids, &Node{Text: c.word()}) // moves: append, a value
	})
	group(func(key byte) {
		register(key, func(c *cursor, n *Node) { n.Kids = append(c.kids(1), n.Kids...) }) // moves: append
	})
}

var (
	defaults = map[string]*Node{"none": {Text: "default"}}
	heard    string
	tellers  []func(text string)
)

func tell(to func(text string)) { tellers = append(tellers, to) }

// Two listeners: one looks at what it hears, and one keeps it in a variable that it uses.
func init() {
	tell(func(text string) {
		if text == "" {
			panic("nothing")
		}
	})
	var own string
	tell(func(text string) { heard, own = own, text })
}

// Told gives what it makes to functions that are registered.
func Told(s string) string {
	text := s + "!" // stays: text
	for _, to := range tellers {
		to(text)
	}
	return heard
}

// Registered calls functions that are registered, with what is copied out of a package's map.
func Registered(s string) *Node {
	c := &cursor{text: s, zone: time.UTC}
	n := &Node{} // moves: a value
	own := map[string]*Node{}
	maps.Copy(own, defaults)
	own["other"] = &Node{Text: s + "?"}                                       // moves: a value, text
	n.Kids = append(n.Kids, own["none"], own["other"])                        // moves: append
	if when, err := time.ParseInLocation("2006", s[:4], c.zone); err == nil { //
		n.Text = when.Format("06") + "." // moves: text
		c.zone = when.Location()
	}
	for c.at < len(c.text) {
		key := c.text[c.at]
		c.at++
		if do := rules[key]; do != nil {
			do(c, n)
		}
	}
	return n
}

// A Lazy has locks and numbers, which keep nothing of it.
type Lazy struct {
	sync.Once
	atomic.Int32
	n    int64
	mu   sync.RWMutex
	text string
	kids []*Node
}

// All returns what is made once.
func (l *Lazy) All() []*Node {
	l.Do(func() { l.kids = append(l.kids, &Node{Text: l.text}) })
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.kids
}

func (l *Lazy) add(n *Node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kids = append(l.kids, n) // moves: append
	l.Add(1)
	atomic.AddInt64(&l.n, 1)
}

// Locked makes a Lazy.
func Locked(s string) *Lazy {
	l := &Lazy{text: s + "!"}      // moves: a value, text
	l.add(&Node{Text: l.text[1:]}) // moves: a value
	l.All()
	return l
}
