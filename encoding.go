package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// notText is embedded in what means nothing without its arena, so that packages which encode values have an error where they
// would find a struct without exported fields and leave everything out.
type notText struct{}

var errNotText = errors.New("arena: an arena, its slabs, and references cannot be encoded or decoded: encode what they lead to, " +
	"as Get or All return it, and decode that and make them anew; type File of package offheap writes references as they are")

// MarshalText returns an error; see [Ref].
func (notText) MarshalText() ([]byte, error) { return nil, errNotText }

// UnmarshalText returns an error; see [Ref].
func (*notText) UnmarshalText([]byte) error { return errNotText }

// collect returns the entries in a map of Go's.
func (t mapTable[K, V]) collect() map[K]V {
	entries := make(map[K]V, t.n)
	for i := range t.groups {
		g := &t.groups[i]
		for full := g.ctrl & eachFull; full != 0; full &= full - 1 {
			s := g.slot(full)
			entries[s.key] = s.val
		}
	}
	return entries
}

// Format makes package fmt print the Map as one of Go's.
func (t mapTable[K, V]) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), t.collect())
}

// MarshalJSON returns what encoding/json makes of a map of Go's with the same entries, which it takes
// a copy of on the heap for: an object, sorted by its keys. A Map that contains itself cannot be marshalled.
func (t mapTable[K, V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // left to the encoder around this one
	err := e.Encode(t.collect())
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON adds the entries of an object, as encoding/json adds them to a map of Go's; null removes all that the Map has.
// What it makes for them, the text of keys for instance, lies on the heap. The Map must be one that NewMap has made, with the
// arena where its storage is to be: for a zero Map, which is what encoding/json makes of a nil pointer, there
// is an error, as there is when the limit of the arena is exceeded. Where there is an error the Map is as it was.
func (m *Map[K, V]) UnmarshalJSON(text []byte) error {
	var entries map[K]V
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	return m.setAll(entries)
}

var errZeroMap = errors.New("arena: a zero Map cannot be decoded into, since it has no arena; set it to a NewMap before, of a nil arena for one on the heap")

// setAll sets the entries, or removes all if they are nil. It sets all or none.
func (m *Map[K, V]) setAll(entries map[K]V) error {
	if entries == nil {
		m.Clear()
		return nil
	}
	if m.mode == hashUnset {
		return errZeroMap
	}
	return Try(func() {
		if n := m.n + len(entries); n > m.room {
			m.grow(groupsFor(n))
		}
		for k, v := range entries {
			m.Set(k, v)
		}
	})
}

// MarshalText returns an error, for encoders that have no maps.
func (mapTable[K, V]) MarshalText() ([]byte, error) {
	return nil, errors.New("arena: a Map is not text; encode what All returns")
}

// UnmarshalText returns an error; see MarshalText.
func (*mapTable[K, V]) UnmarshalText([]byte) error {
	return errors.New("arena: a Map is not text; decode into something else, and Set what there is in it")
}

// MarshalText returns a copy of what was built.
func (b *Builder) MarshalText() ([]byte, error) { return bytes.Clone(b.buf), nil }

// UnmarshalText makes text, of which it takes a copy into the arena, that which was built.
func (b *Builder) UnmarshalText(text []byte) error {
	b.Reset()
	b.Write(text)
	return nil
}
