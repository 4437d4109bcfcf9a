package keeps

import "sync"

// What goes into an error and elsewhere is kept for both.

type failed struct{ on *Both }

func (f *failed) Error() string { return f.on.Text }

// A Both goes two ways.
type Both struct{ Text string }

var (
	bothKept []*Both
	bothPool sync.Pool
)

func both(b []byte) {
	first := &Both{string(b) + "1"} // stays: a value, text
	_ = failsFirst(first)
	last := &Both{string(b) + "2"} // stays: a value, text
	_ = failsLast(last)
	pooled := &Both{string(b) + "3"} // stays: a value, text
	_ = failsPooled(pooled)
	_ = failsResult(b)
}

func failsFirst(n *Both) error {
	if n.Text == "" {
		return &failed{n} // stays: a value
	}
	bothKept = append(bothKept, n) // stays: append
	return nil
}

func failsLast(n *Both) error {
	bothKept = append(bothKept, n) // stays: append
	if n.Text == "" {
		return &failed{n} // stays: a value
	}
	return nil
}

func failsPooled(n *Both) error {
	if n.Text == "" {
		return &failed{n}
	}
	bothPool.Put(n)
	return nil
}

func failsResult(b []byte) error {
	n := anew(b)
	if n.Text == "" {
		return &failed{n} // stays: a value
	}
	bothKept = append(bothKept, n) // stays: append
	return nil
}

func anew(b []byte) *Both { return &Both{string(b) + "4"} }
