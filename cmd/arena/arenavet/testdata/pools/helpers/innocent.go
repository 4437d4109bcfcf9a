package helpers

import "bytes"

func copied() []byte {
	r := rows.Get().(*row)
	defer rows.Put(r)
	return bytes.Clone(behind(r.cells))
}

func counted() (n int) {
	with(func(r *row) { n = len(r.cells) })
	return n
}

func printed() {
	r := rows.Get().(*row)
	defer r.put()
	log(r)
}

func (r reader) size() int {
	x := r.from.open()
	defer r.from.close(x)
	return len(x.cells)
}

func full() *bytes.Buffer {
	b := buffers.take()
	if b.Len() > 0 {
		return b
	}
	buffers.leave(b)
	return new(bytes.Buffer)
}
