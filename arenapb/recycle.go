package arenapb

import (
	"reflect"

	"github.com/arena-go/arena/arenapb/internal/slabs"
)

// Input may overwrite the message in a oneof, with its wrapper, and the message that a map has for
// a key. The same call uses their memory again. Package proto leaves it to the collector, but an
// arena takes nothing back before its Reset: some hundred kB of input could take 200 times as much
// of it. Only what this call has made is used again, because nobody else has seen it.

// overwrite recycles the value of the oneof at x, in the message at p. f is about to replace it.
func (d *decoder) overwrite(p pointer, m *plan, f *field, x *face) {
	was := m.wrappers[x.word]
	if was == nil || !d.undo.made(p, f.offset, x.data) {
		return
	}
	d.recycleWrapper(was, x.data)
	*x = face{}
}

// replace recycles the message for a key in all, the map at p, or keeps it for undo. Another
// message is about to replace it.
func (d *decoder) replace(p pointer, f *field, all, key reflect.Value) {
	ours := true
	if d.undo != nil {
		ours = d.undo.entry(p, f.entry, all, key)
	}
	if f.sub == nil || !ours {
		return
	}
	if v := all.MapIndex(key); v.IsValid() && !v.IsNil() {
		d.recycle(addressOf(v), f.sub)
	}
}

// recycle recycles the message at p and the messages in it. It walks once through the messages that
// this call has made.
func (d *decoder) recycle(p pointer, m *plan) {
	for _, f := range m.holders {
		q := at(p, f.offset)
		switch f.form {
		case formOneof:
			if x := faceAt(q); x.word == f.wrapper && x.data != nil {
				d.recycleWrapper(f, x.data)
			}
		case formRepeated:
			if f.header != 0 {
				if q = loadPointer(q); q == nil {
					continue
				}
			}
			for _, sub := range *sliceAt[pointer](q) {
				d.recycle(sub, f.sub)
			}
			if f.header != 0 {
				d.takeBack(f.header, slabs.Type(f.header), q)
			}
		case formMap:
			for i := valueAt(f.entry.typ, q).MapRange(); i.Next(); {
				d.recycle(addressOf(i.Value()), f.sub)
			}
		default:
			if sub := loadPointer(q); sub != nil {
				d.recycle(sub, f.sub)
			}
		}
	}
	if m.extensions != 0 {
		d.recycleExtensions(p, m)
	}
	d.takeBack(m.slab, m.typ, p)
}

// recycleWrapper recycles the wrapper at p, of the field f.
func (d *decoder) recycleWrapper(f *field, p pointer) {
	if f.sub != nil {
		if sub := loadPointer(p); sub != nil {
			d.recycle(sub, f.sub)
		}
	}
	d.takeBack(f.slab, slabs.Type(f.slab), p)
}

// takeBack makes the t at p, which is of the slab of a number, one that is used again.
func (d *decoder) takeBack(i int, t reflect.Type, p pointer) {
	if faulty {
		step()
	}
	valueAt(t, p).SetZero()
	if d.free == nil {
		d.free = map[int][]pointer{}
	}
	d.free[i] = append(d.free[i], p)
}

// reuse returns a recycled value of the slab with number i, or nil.
func (d *decoder) reuse(i int) pointer {
	list := d.free[i]
	if len(list) == 0 {
		return nil
	}
	p := list[len(list)-1]
	d.free[i] = list[:len(list)-1]
	return p
}
