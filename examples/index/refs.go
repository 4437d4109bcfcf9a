package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
)

// A refIndex is an index in an arena, with references in the place of pointers. Whether the arena is in the Go heap, in memory from the
// system or in a file makes no difference to the code.
type refIndex struct {
	a    *arena.Arena
	root *refRoot // in a
	ref  arena.Ref[refRoot]
	mem  *offheap.File // nil if it is in no file
	draft
}

// A refRoot is what all of the index is reached from.
type refRoot struct {
	entries arena.RefTextMap[refEntry]
	order   arena.RefTextTree[uint32] // how often each word is there, in the order of the words
	docs    arena.RefSlice[refDoc]
}

type refEntry struct {
	count uint32
	at    arena.RefSlice[place]
}

type refDoc struct {
	name         arena.RefString
	bytes, lines uint32
}

// A draft has what was added, until finish knows how long each list is. It has an arena of its own, which is freed then.
type draft struct {
	tmp    *arena.Arena // nil if nothing is to be added
	chains arena.RefTextMap[chain]
}

// A chain has the places of a word, in blocks of which each has room for as many as are in all before it, up to maxBlock.
type chain struct {
	count       uint32
	lines       uint32 // number of places
	first, last arena.Ref[block]
}

type block struct {
	next arena.Ref[block]
	used uint32
	at   arena.RefSlice[place]
}

const maxBlock = 512

// schema is for files; it changes with what the types above mean.
const schema = "github.com/arena-go/arena/examples/index 2"

// newRefIndex returns an empty index, in an arena with the given options. That of the draft has the same limit.
func newRefIndex(o arena.Options) *refIndex {
	x := &refIndex{a: arena.NewWith(o)}
	x.mem, _ = o.Memory.(*offheap.File)
	x.tmp = arena.NewWith(arena.Options{Name: o.Name + " draft", Limit: o.Limit})
	return x
}

// openIndex opens the file of an index that was saved.
func openIndex(path string) (*refIndex, error) {
	f, err := offheap.Open(path, offheap.FileOptions{Schema: schema})
	if err != nil {
		return nil, err
	}
	x := &refIndex{a: arena.NewWith(arena.Options{Memory: f}), mem: f}
	if x.ref, err = offheap.Root[refRoot](f, x.a); err == nil && x.ref.IsNil() {
		err = fmt.Errorf("%s has no index in it", path)
	}
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	x.root = x.ref.Get(x.a)
	return x, nil
}

// save writes an index that is in a file to its path.
func (x *refIndex) save() error { return offheap.Save(x.mem, x.a, x.ref) }

func (d *draft) add(word string, at place) {
	c := d.chains.Entry(d.tmp, word)
	c.count++
	last := c.last.Get(d.tmp)
	if last != nil {
		if all := last.at.Get(d.tmp); all[last.used-1] == at {
			return
		} else if int(last.used) < len(all) {
			all[last.used] = at
			last.used++
			c.lines++
			return
		}
	}
	r, b := arena.NewRef[block](d.tmp)
	var all []place
	b.at, all = arena.NewRefSlice[place](d.tmp, int(min(max(c.lines, 1), maxBlock)))
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
	x.ref, x.root = arena.NewRef[refRoot](x.a)
	words := make([]string, 0, x.chains.Len())
	for word := range x.chains.All(x.tmp) {
		words = append(words, word)
	}
	slices.Sort(words)
	x.root.entries.Grow(x.a, len(words))
	for _, word := range words {
		c := x.chains.Lookup(x.tmp, word)
		x.root.order.Set(x.a, word, c.count)
		e := x.root.entries.Entry(x.a, word)
		e.count = c.count
		var all []place
		e.at, all = arena.NewRefSlice[place](x.a, int(c.lines))
		for b := c.first.Get(x.tmp); b != nil; b = b.next.Get(x.tmp) {
			all = all[copy(all, b.at.Get(x.tmp)[:b.used]):]
		}
	}
	x.tmp.Free() // and words with it
	x.draft = draft{}
	var docs []refDoc
	x.root.docs, docs = arena.NewRefSlice[refDoc](x.a, len(files))
	for i, d := range files {
		docs[i] = refDoc{arena.NewRefString(x.a, d.name), uint32(d.bytes), uint32(d.lines)}
	}
}

func (x *refIndex) files() int { return x.root.docs.Len() }

func (x *refIndex) file(i int) document {
	d := x.root.docs.At(x.a, i)
	return document{d.name.Get(x.a), int(d.bytes), int(d.lines)}
}

func (x *refIndex) words() int { return x.root.order.Len() }

func (x *refIndex) beginning(prefix string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for word, count := range x.root.order.From(x.a, prefix) {
			if !strings.HasPrefix(word, prefix) || !yield(word, int(count)) {
				return
			}
		}
	}
}

func (x *refIndex) count(word string) int {
	if e := x.root.entries.Lookup(x.a, word); e != nil {
		return int(e.count)
	}
	return 0
}

func (x *refIndex) places(word string) []place {
	if e := x.root.entries.Lookup(x.a, word); e != nil {
		return e.at.Get(x.a)
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
