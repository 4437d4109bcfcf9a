package fields

import (
	"io"
	"slices"
	"sort"
	"sync"
)

// A field that only serves the function.

type table struct {
	text [][]string
	keys *keys
	mem  []byte
}

func (t *table) Len() int           { return len(t.text) }
func (t *table) Less(i, j int) bool { return t.keys.all[i] < t.keys.all[j] }
func (t *table) Swap(i, j int)      { t.text[i], t.text[j] = t.text[j], t.text[i] }

func (t *table) sort() {
	t.keys = sorted.Get().(*keys)
	defer sorted.Put(t.keys)
	sort.Sort(t)
}

type encoder struct {
	s   *space
	cur *keys
	w   io.Writer
}

func (e *encoder) encode(text string) {
	e.s = spaces.Get().(*space)
	e.write(text)
	spaces.Put(e.s)
}

func (e *encoder) write(text string) {
	copy(e.s.mem, text)
	e.w.Write(e.s.mem[:len(text)])
}

func (e *encoder) each(f func(*encoder)) {
	e.cur = sorted.Get().(*keys)
	f(e)
	sorted.Put(e.cur)
}

func (e *encoder) Key() int { return e.cur.all[0] }

type job struct{ k *keys }

func (j *job) run() {
	if j.k != nil {
		panic("runs already")
	}
	j.k = sorted.Get().(*keys)
	j.k.all = j.k.all[:0]
	sorted.Put(j.k)
	j.k = nil
}

func (j *job) running() bool { return j.k != nil }

// Slices of others.

type holder struct {
	given []byte
	made  []byte
}

func (h *holder) text() []byte {
	s := spaces.Get().(*space)
	defer spaces.Put(s)
	n := copy(s.mem, h.given)
	return slices.Clone(s.mem[:n])
}

func newHolder(b []byte) *holder { return &holder{given: b, made: make([]byte, 8)} }

func (c *conn) okReceive(b []byte) error {
	m := messages.Get().(*message)
	defer m.recycle()
	if err := m.decode(b); err != nil {
		return err
	}
	last := *m
	last.body, last.fields = nil, slices.Clone(m.fields)
	c.last[m.kind] = last
	return nil
}

func (f *filter) okAdd(now int, body []byte) {
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	sum := slices.Clone(d.digest(body))
	kept := f.recent[:0]
	for _, s := range f.recent {
		if s.at+10 > now {
			kept = append(kept, s)
		}
	}
	f.recent = append(kept, seen{sum, now})
}

func okPath(next [][]int) (n int, err error) {
	var path []int
	err = searches.With(func(s *search) error {
		s.path = append(s.path, len(next))
		path = slices.Clone(s.path)
		return nil
	})
	return len(path), err
}

func okMergeAll(names []string) *keys {
	parts := make([]*keys, len(names))
	for i := range names {
		parts[i] = sorted.Get().(*keys)
	}
	sum := new(keys)
	for i, p := range parts {
		sum.merge(p)
		parts[i] = nil
	}
	for _, p := range parts {
		if p != nil {
			sorted.Put(p)
		}
	}
	return sum
}

func okTwice(names []string) {
	var parts []*keys
	for range 2 {
		parts = parts[:0]
		for range names {
			parts = append(parts, sorted.Get().(*keys))
		}
		for _, p := range parts {
			sorted.Put(p)
		}
	}
}

func okNumbers(p *sync.Pool, n int) []int {
	k := getOf[keys](p)
	defer putOf(p, k)
	k.all = append(k.all[:0], n)
	return slices.Clone(k.all)
}

func (o *output) end() {
	outs.Put(o.buf)
	o.buf = nil
}

func okCloses() {
	o := &output{buf: outs.Get().(*keys)}
	defer o.Close()
	if len(o.buf.all) > 3 {
		o.end()
		return
	}
	o.Close()
	o.Close()
}
