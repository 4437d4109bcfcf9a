package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

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

// Format makes package fmt print the Map as a map of Go.
func (t mapTable[K, V]) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), t.collect())
}

// MarshalJSON returns what encoding/json makes of a map of Go with the same entries: an object, sorted by its
// keys. It copies the entries to the heap for that. A Map that contains itself cannot be marshalled.
func (t mapTable[K, V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // left to the encoder around this one
	err := e.Encode(t.collect())
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON adds the entries of a JSON object, as encoding/json adds them to a map of Go. null removes all
// entries of the Map. What decoding makes for the entries, such as the text of keys, lies on the heap.
//
// The storage lies in the arena that NewMap was given. So the Map must be one of NewMap: a zero Map, which
// encoding/json makes of a nil pointer, is an error. Exceeding the limit of the arena is an error, too. After an
// error the Map is as it was.
func (m *Map[K, V]) UnmarshalJSON(text []byte) error {
	var entries map[K]V
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	return m.setAll(entries)
}

var errZeroMap = errors.New("arena: a zero Map has no arena to decode into; set it to a NewMap first, of a nil arena for one on the heap")

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

// MarshalText returns an error. It is for encoders that have no maps.
func (mapTable[K, V]) MarshalText() ([]byte, error) {
	return nil, errors.New("arena: a Map is not text; encode what All returns")
}

// UnmarshalText returns an error. See MarshalText.
func (*mapTable[K, V]) UnmarshalText([]byte) error {
	return errors.New("arena: a Map is not text; decode into something else, and Set its entries")
}

// MarshalText returns a copy of what was built, on the heap.
func (b *Builder) MarshalText() ([]byte, error) { return bytes.Clone(b.buf), nil }

// UnmarshalText empties the Builder and writes text to it.
func (b *Builder) UnmarshalText(text []byte) error {
	b.Reset()
	b.Write(text)
	return nil
}
