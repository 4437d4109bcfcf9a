package turns

import "io"

func newEachTurn(w io.Writer, all []string) error {
	for _, s := range all {
		p := get()
		p.text.WriteString(s)
		if _, err := p.text.WriteTo(w); err != nil {
			leave(p)
			return err
		}
		leave(p)
	}
	return nil
}

func renewed(all []string) {
	p := get()
	for _, s := range all {
		p.text.WriteString(s)
		if p.text.Len() > 1000 {
			leave(p)
			p = get()
		}
	}
	leave(p)
}

func last(all []string) {
	p := get()
	for i, s := range all {
		p.text.WriteString(s)
		if i == len(all)-1 {
			leave(p)
		}
	}
}

// A view counts its owners without sync/atomic.
type view struct {
	owners int
	size   int
}

func (v *view) drop() {
	if v.owners >= 2 {
		v.owners--
		return
	}
	pages.Put(v)
}

func (v *view) level() int {
	v.owners++
	v.drop()
	return v.size
}

func viewed() int {
	v := pages.Get().(*view)
	v.owners = 2
	v.drop()
	n := v.size
	v.drop()
	return n
}

// A state is no limit.
type state int

type job struct {
	state state
	n     int
}

func (j *job) done() {
	if j.state > 3 {
		return
	}
	pages.Put(j)
}

func pinned() int {
	j := pages.Get().(*job)
	j.state = 4
	j.done()
	return j.n
}

func putOnce(n int) {
	p := get()
	for i := range n {
		p.text.WriteByte(byte(i))
		if i == 3 {
			pages.Put(p)
			break
		}
	}
}

func putAll(all []*page) {
	for _, p := range all {
		p.text.Reset()
		leave(p)
	}
}

func putOne(all []*page) int {
	first, second := all[0], all[1]
	pages.Put(first)
	return second.uses
}

func okDrain(next func() (int, bool)) {
	for {
		b := bags.Get().(*bag)
		for {
			n, ok := next()
			if !ok {
				break
			}
			b.all = append(b.all, n)
		}
		b.put()
	}
}

func okDrainLast(next func() (int, bool)) {
	b := bags.Get().(*bag)
	for {
		for {
			n, ok := next()
			if !ok {
				break
			}
			if n < 0 {
				b.put()
				return
			}
			b.all = append(b.all, n)
		}
		b.all = b.all[:0]
	}
}
