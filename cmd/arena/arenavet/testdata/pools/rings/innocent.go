package rings

import "example.com/pools/rings/ring"

func (r *recorder) give(text string) {
	e := events.Get().(*event)
	e.text = text
	r.last.Add(e)
}

func (r *recorder) copied(text string) {
	e := events.Get().(*event)
	defer events.Put(e)
	e.text = text
	c := *e
	r.last.Add(&c)
}

func count(l *ring.Last[string]) (n int) {
	l.Each(func(text string) {
		e := events.Get().(*event)
		n += len(e.text) + len(text)
		events.Put(e)
	})
	return n
}

func (r *recorder) scope(f func(*event)) {
	e := events.Get().(*event)
	r.open.Push(e)
	f(e)
	r.open.Pop()
	events.Put(e)
}

func (r *recorder) local() int {
	e := events.Get().(*event)
	defer events.Put(e)
	l := ring.New[*event](2)
	l.Add(e)
	return len(e.text)
}
