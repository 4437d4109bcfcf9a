package arena

// GetText is [Map.Get] of a key that is the text of s, a string or bytes. It makes no string of bytes.
func GetText[K ~string, V any, S ~string | ~[]byte](m *Map[K, V], s S) (v V, ok bool) {
	return m.Get(K(viewOf(s)))
}

// EntryText is [Map.Entry] of a key that is the text of s, a string or bytes: *EntryText(m, line)++ counts lines. If
// the key is missing, EntryText adds it with a copy of the text in the arena of m. So s may change, or end, while
// the map is in use. A key that is there stays as it is, and nothing is copied.
//
// EntryText panics as Entry does, and when a key is new and the arena of m has been freed.
func EntryText[K ~string, V any, S ~string | ~[]byte](m *Map[K, V], s S) *V {
	if e := m.find(K(viewOf(s))); e != nil {
		return &e.Val
	}
	return m.Entry(K(String(m.arena, s)))
}
