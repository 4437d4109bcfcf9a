package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

// A refIndex is an index in an arena, with references instead of pointers. Whether the arena is in
// the Go heap, in memory from the system or in a file makes no difference to the code.
type refIndex struct {
	a    *arena.Arena
	in   ref.Space // of a
	root *refRoot  // in a
	ref  ref.Of[refRoot]
	mem  *offheap.File // nil if it is in no file
	draft
}

// A refRoot is what all of the index is reached from.
type refRoot struct {
	entries ref.TextMap[refEntry]
	order   ref.TextTree[uint32] // how often each word is there, in the order of the words
	docs    ref.Slice[refDoc]
}

type refEntry struct {
	count uint32
	at    ref.Slice[place]
}

type refDoc struct {
	name         ref.String
	bytes, lines uint32
}

// A draft has what was added, until finish knows how long each list is. It has an arena of its own,
// which is freed then.
type draft struct {
	tmp    *arena.Arena // nil if nothing is to be added
	inTmp  ref.Space    // of tmp
	chains ref.TextMap[chain]
}

// A chain has the places of a word, in blocks of which each has room for as many as are in all
// before it, up to maxBlock.
type chain struct {
	count       uint32
	lines       uint32 // number of places
	first, last ref.Of[block]
}

type block struct {
	next ref.Of[block]
	used uint32
	at   ref.Slice[place]
}

const maxBlock = 512

// schema is for files; it changes with what the types above mean.
const schema = "github.com/arena-go/arena/examples/index 2"

// newRefIndex returns an empty index, in an arena with the given options. The draft's arena has the
// same limit.
func newRefIndex(o arena.Options) *refIndex {
	x := &refIndex{a: arena.NewWith(o)}
	x.in = ref.In(x.a)
	x.mem, _ = o.Memory.(*offheap.File)
	x.tmp = arena.NewWith(arena.Options{Name: o.Name + " draft", Limit: o.Limit})
	x.inTmp = ref.In(x.tmp)
	return x
}

// openIndex opens the file of an index that was saved.
func openIndex(path string) (*refIndex, error) {
	f, err := offheap.Open(path, offheap.FileOptions{Schema: schema})
	if err != nil {
		return nil, err
	}
	x := &refIndex{a: arena.NewWith(arena.Options{Memory: f}), mem: f}
	x.in = ref.In(x.a)
	if x.ref, err = offheap.Root[refRoot](f, x.in); err == nil && x.ref.IsNil() {
		err = fmt.Errorf("%s has no index in it", path)
	}
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	x.root = x.ref.Get(x.in)
	return x, nil
}

// save writes an index that is in a file to its path.
func (x *refIndex) save() error { return offheap.Save(x.mem, x.in, x.ref) }

func (d *draft) add(word string, at place) {
	c := d.chains.Entry(d.inTmp, word)
	c.count++
	last := c.last.Get(d.inTmp)
	if last != nil {
		if all := last.at.Get(d.inTmp); all[last.used-1] == at {
			return
		} else if int(last.used) < len(all) {
			all[last.used] = at
			last.used++
			c.lines++
			return
		}
	}
	r, b := ref.New[block](d.inTmp)
	var all []place
	b.at, all = ref.NewSlice[place](d.inTmp, int(min(max(c.lines, 1), maxBlock)))
	all[0], b.used = at, 1
	if last == nil {
		c.first = r
	} else {
		last.next = r
	}
	c.last = r
	c.lines++
}

func (x *refIndex) finish(files []document) {
	x.ref, x.root = ref.New[refRoot](x.in)
	words := make([]string, 0, x.chains.Len())
	for word := range x.chains.All(x.inTmp) {
		words = append(words, word)
	}
	slices.Sort(words)
	x.root.entries.Grow(x.in, len(words))
	for _, word := range words {
		c := x.chains.Lookup(x.inTmp, word)
		x.root.order.Set(x.in, word, c.count)
		e := x.root.entries.Entry(x.in, word)
		e.count = c.count
		var all []place
		e.at, all = ref.NewSlice[place](x.in, int(c.lines))
		for b := c.first.Get(x.inTmp); b != nil; b = b.next.Get(x.inTmp) {
			all = all[copy(all, b.at.Get(x.inTmp)[:b.used]):]
		}
	}
	x.tmp.Free() // and words with it
	x.draft = draft{}
	var docs []refDoc
	x.root.docs, docs = ref.NewSlice[refDoc](x.in, len(files))
	for i, d := range files {
		docs[i] = refDoc{ref.NewString(x.in, d.name), uint32(d.bytes), uint32(d.lines)}
	}
}

func (x *refIndex) files() int { return x.root.docs.Len() }

func (x *refIndex) file(i int) document {
	d := x.root.docs.At(x.in, i)
	return document{d.name.Get(x.in), int(d.bytes), int(d.lines)}
}

func (x *refIndex) words() int { return x.root.order.Len() }

func (x *refIndex) beginning(prefix string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for word, count := range x.root.order.Prefix(x.in, prefix) {
			if !yield(word, int(count)) {
				return
			}
		}
	}
}

func (x *refIndex) count(word string) int {
	if e := x.root.entries.Lookup(x.in, word); e != nil {
		return int(e.count)
	}
	return 0
}

func (x *refIndex) places(word string) []place {
	if e := x.root.entries.Lookup(x.in, word); e != nil {
		return e.at.Get(x.in)
	}
	return nil
}

func (x *refIndex) size() int64 { return x.a.Stats().RefBytes }

// close makes all strings and slices of the index invalid.
func (x *refIndex) close() error {
	if x.tmp != nil {
		x.tmp.Free()
	}
	x.a.Free()
	if x.mem != nil {
		return x.mem.Close()
	}
	return nil
}
