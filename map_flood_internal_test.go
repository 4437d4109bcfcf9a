package arena

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// floodWords are constants that hashes have, what makes a factor 0 or 1 with them, and words that are the same in another order of bytes.
func floodWords() (words []uint64) {
	for _, secret := range []uint64{0x9e3779b97f4a7c15, 0xd1342543de82ef95} {
		for _, length := range []uint64{0, 1, 8, 16, 17, 32} {
			words = append(words, secret^length, ^secret^length)
		}
	}
	words = append(words, 0, math.MaxUint64)
	for _, w := range slices.Clone(words) {
		words = append(words, binary.BigEndian.Uint64(binary.LittleEndian.AppendUint64(nil, w)))
	}
	return words
}

// A floodMap is a map of keys of the type K.
type floodMap[K comparable] struct {
	set    func(K)
	hash   func(K) uint64
	splits func() uint32 // tables that were split
}

func floodPlainMap[K comparable]() floodMap[K] {
	m := NewMap[K, byte](NewArena(), 0)
	return floodMap[K]{
		set:    func(k K) { m.Set(k, 1) },
		hash:   m.hash,
		splits: func() uint32 { return 0 },
	}
}

// flood sets keys in maps: keys that are made of a word of floodWords and a number. Their hashes differ, and no table is split because many are almost the same.
func flood[K comparable](t *testing.T, what string, key func(word, i uint64) K, maps ...func() floodMap[K]) {
	for _, w := range floodWords() {
		n := few(2_000)
		if w == 0 {
			n = few(100_000)
		}
		for _, newMap := range maps {
			m := newMap()
			hashes := map[uint64]bool{}
			err := func() (err any) {
				defer func() {
					if v := recover(); v != nil {
						err = v
					}
				}()
				for i := range n {
					k := key(w, uint64(i))
					m.set(k)
					hashes[m.hash(k)] = true
				}
				return nil
			}()
			if err != nil || len(hashes) < n-3 || int(m.splits()) > n/50+20 {
				t.Errorf("%d keys of %s with the word %#x: %d hashes, %d tables were split, panic %v", n, what, w, len(hashes), m.splits(), err)
				break
			}
		}
	}
}

// TestFlood sets keys that have the constants of the hashes in them, in each place of a key.
func TestFlood(t *testing.T) {
	le := binary.LittleEndian
	bytes := func(words ...uint64) (b []byte) {
		for _, w := range words {
			b = le.AppendUint64(b, w)
		}
		return b
	}
	for what, text := range map[string]func(w, i uint64) []byte{
		"12 bytes":      func(w, i uint64) []byte { return le.AppendUint32(bytes(w), uint32(i)) },
		"16 bytes":      func(w, i uint64) []byte { return bytes(w, i) },
		"16 bytes more": func(w, i uint64) []byte { return bytes(i, w) },
		"17 bytes":      func(w, i uint64) []byte { return append(bytes(w, i), 'x') },
		"17 bytes more": func(w, i uint64) []byte { return append([]byte{'x'}, bytes(w, i)...) },
		"24 bytes":      func(w, i uint64) []byte { return bytes(w, i, w) },
		"32 bytes":      func(w, i uint64) []byte { return bytes(i, i, w, i) },
		"80 bytes":      func(w, i uint64) []byte { return bytes(w, i, w, w, i, w, w, w, w, i) },
	} {
		flood(t, "text of "+what, func(w, i uint64) string { return string(text(w, i)) }, floodPlainMap[string])
	}
	flood(t, "[16]byte", func(w, i uint64) [16]byte { return [16]byte(bytes(w, i)) }, floodPlainMap[[16]byte])
	flood(t, "[17]byte", func(w, i uint64) [17]byte { return [17]byte(append(bytes(w, i), 'x')) }, floodPlainMap[[17]byte])
	flood(t, "[3]uint64", func(w, i uint64) [3]uint64 { return [3]uint64{i, w, i} }, floodPlainMap[[3]uint64])
	flood(t, "uint64", func(w, i uint64) uint64 { return w ^ i }, floodPlainMap[uint64])
	flood(t, "uint64 times", func(w, i uint64) uint64 { return w ^ i*0x0001000100010001 }, floodPlainMap[uint64])
	type point struct{ x, y float64 }
	flood(t, "a point", func(w, i uint64) point { return point{float64(i), math.Float64frombits(w)} }, floodPlainMap[point])
	type mixed struct {
		f float64
		n uint64
		_ int32
		m uint32
	}
	flood(t, "floats and integers", func(w, i uint64) mixed { return mixed{f: float64(i), n: w, m: uint32(w)} }, floodPlainMap[mixed])
}
