package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arena-go/arena/internal/swiss"
)

// collect returns the entries in a map of Go's.
func (t mapTable[K, V]) collect() map[K]V {
	entries := make(map[K]V, t.n)
	t.copyTo(entries)
	return entries
}

// copyTo adds the entries to a map of Go's.
func (t *mapTable[K, V]) copyTo(entries map[K]V) {
	for i := range t.groups {
		g := &t.groups[i]
		for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
			s := g.Slot(full)
			if looking {
				t.keyIsRead(s.Key)
			}
			entries[s.Key] = s.Val
		}
	}
}

// Format makes package fmt print the Map as a map of Go.
func (t mapTable[K, V]) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), t.collect())
}

// MarshalJSON returns what encoding/json makes of a map of Go with the same entries: an object,
// sorted by its keys. It copies the entries to the heap for that. A Map that contains itself cannot
// be marshalled.
func (t mapTable[K, V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // left to the encoder around this one
	err := e.Encode(t.collect())
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON adds the entries of a JSON object, as encoding/json adds them to a map of Go. null
// removes all entries of the Map. What decoding makes for the entries, such as the text of keys,
// lies on the heap.
//
// The storage lies in the arena that NewMap was given. A zero Map, such as encoding/json makes of a
// nil pointer, becomes one on the heap. Package arenajson has it in the arena, with all that the
// entries need. Exceeding the limit of the arena is an error. After an error the Map is as it was.
func (m *Map[K, V]) UnmarshalJSON(text []byte) error {
	var entries map[K]V
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	return Try(func() { m.setAll(nil, entries) })
}

// setAll sets the entries, or removes all if they are nil. It sets all or none. A zero Map becomes
// one in a.
func (m *Map[K, V]) setAll(a *Arena, entries map[K]V) {
	if entries == nil {
		m.Clear()
		return
	}
	if m.mode == hashUnset {
		m.mapTable = emptyTable[K, V](a)
	}
	if n := m.n + len(entries); n > m.room {
		m.grow(groupsFor(n))
	}
	for k, v := range entries {
		m.Set(k, v)
	}
}

// CopyFrom sets the entries of a map of Go, as [Map.UnmarshalJSON] sets those that it has decoded.
// If the map of Go is nil CopyFrom removes all entries. A zero Map becomes one in a; other Maps
// stay in the arena that they are in.
//
// It is for decoders, which know the types at run time only: entries is a *map[K]V. To copy a map
// of known types, see [Map.Insert]. CopyFrom panics if entries is anything else, and as [Map.Set]
// does, before anything is set.
func (m *Map[K, V]) CopyFrom(a *Arena, entries any) {
	from, ok := entries.(*map[K]V)
	if !ok {
		panic(fmt.Sprintf("arena: Map.CopyFrom: entries is a %T, and must be a %T", entries, from))
	}
	m.setAll(a, *from)
}

// CopyTo adds the entries to a map of Go. It is for encoders, as [Map.CopyFrom] is for decoders:
// entries is a *map[K]V, of a map that is not nil. CopyTo panics if it is anything else.
func (t *mapTable[K, V]) CopyTo(entries any) {
	to, ok := entries.(*map[K]V)
	if !ok || *to == nil {
		panic(fmt.Sprintf("arena: Map.CopyTo: entries is a %T, and must be a %T, of a map that is not nil", entries, to))
	}
	t.copyTo(*to)
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
func (b *Builder) MarshalText() ([]byte, error) { return bytes.Clone(b.text()), nil }

// UnmarshalText empties the Builder and writes text to it.
func (b *Builder) UnmarshalText(text []byte) error {
	b.Reset()
	b.Write(text)
	return nil
}
