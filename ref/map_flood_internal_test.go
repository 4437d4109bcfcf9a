package ref

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/arena-go/arena"
)

// floodWords are the constants of the hashes, what makes a factor 0 or 1 with them, and words that
// are the same in another order of bytes.
func floodWords() (words []uint64) {
	for _, secret := range []uint64{secret0, secret1} {
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

func floodRefMap[K comparable]() floodMap[K] {
	a, m := arena.NewArena(), new(Map[K, byte])
	s := In(a)
	return floodMap[K]{
		set:    func(k K) { m.Set(s, k, 1) },
		hash:   func(k K) uint64 { return hashOfKey(k, m.seed, m.hash) },
		splits: func() uint32 { return m.splits },
	}
}

func floodTextMap() floodMap[string] {
	a, m := arena.NewArena(), new(TextMap[byte])
	s := In(a)
	return floodMap[string]{
		set:    func(k string) { m.Set(s, k, 1) },
		hash:   m.hashKey,
		splits: func() uint32 { return m.splits },
	}
}

// flood sets keys in maps: keys that are made of a word of floodWords and a number. Their hashes
// differ, and no table is split because many are almost the same.
func flood[K comparable](t *testing.T, what string, key func(word, i uint64) K, maps ...func() floodMap[K]) {
	for _, w := range floodWords() {
		n := few(2_000)
		if w == secret0 {
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
		flood(t, "text of "+what, func(w, i uint64) string { return string(text(w, i)) }, floodTextMap)
	}
	flood(t, "[16]byte", func(w, i uint64) [16]byte { return [16]byte(bytes(w, i)) }, floodRefMap[[16]byte])
	flood(t, "[17]byte", func(w, i uint64) [17]byte { return [17]byte(append(bytes(w, i), 'x')) }, floodRefMap[[17]byte])
	flood(t, "[3]uint64", func(w, i uint64) [3]uint64 { return [3]uint64{i, w, i} }, floodRefMap[[3]uint64])
	flood(t, "uint64", func(w, i uint64) uint64 { return w ^ i }, floodRefMap[uint64])
	flood(t, "uint64 times", func(w, i uint64) uint64 { return w ^ i*0x0001000100010001 }, floodRefMap[uint64])
	type point struct{ x, y float64 }
	flood(t, "a point", func(w, i uint64) point { return point{float64(i), math.Float64frombits(w)} }, floodRefMap[point])
	type mixed struct {
		f float64
		n uint64
		_ int32
		m uint32
	}
	flood(t, "floats and integers", func(w, i uint64) mixed { return mixed{f: float64(i), n: w, m: uint32(w)} }, floodRefMap[mixed])
}

// TestSeed proves that no seed has a common factor with 1<<64-1. The multiples of 1<<64-1 by that
// factor would have the same hash.
func TestSeed(t *testing.T) {
	for range 1000 {
		seed := newSeed()
		x, y := seed, uint64(math.MaxUint64)
		for y != 0 {
			x, y = y, x%y
		}
		if x != 1 || seed&1 == 0 {
			t.Fatalf("the seed %#x has the factor %d", seed, x)
		}
	}
}

// TestMapOld proves that maps of old files are read, and can be copied and written to, by the hash
// that they have.
func TestMapOld(t *testing.T) {
	a := arena.NewArena()
	s := In(a)
	var raw Map[[5]uint32, int]
	raw.start("", kindBytes)
	oldMap(t, a, &raw, func(i int) [5]uint32 { return [5]uint32{uint32(i), 4: 7} }, kindBytes2)
	var floats Map[float64, int]
	floats.start("", kindParts)
	oldMap(t, a, &floats, func(i int) float64 { return float64(i) / 8 }, kindParts2)

	var texts, fresh TextMap[int]
	texts.start("", kindText)
	for i := range 3000 {
		texts.Set(s, fmt.Sprint(i), i)
	}
	Copy(In(arena.NewArena()), &fresh, s, &texts)
	if texts.hash != kindText || fresh.hash != kindText2 || fresh.Len() != 3000 {
		t.Errorf("the hash of text is %d, and that of the copy %d", texts.hash, fresh.hash)
	}
	for k, v := range texts.All(s) {
		if got, ok := texts.Get(s, k); !ok || got != v || texts.hashKey(k) != hashBytes(k, texts.seed, secret0)&^(1<<25-1) {
			t.Fatalf("%q is %d, %t", k, got, ok)
		}
	}
	if !texts.Delete(s, "7") || texts.Len() != 2999 {
		t.Error("a key of text is not deleted")
	}
}

func oldMap[K comparable](t *testing.T, a *arena.Arena, m *Map[K, int], key func(i int) K, now hashKind) {
	old := m.hash
	for i := range 3000 {
		m.Set(In(a), key(i), i)
	}
	var fresh Map[K, int]
	to := arena.NewArena()
	inTo := In(to)
	Copy(inTo, &fresh, In(a), m)
	if m.hash != old || fresh.hash != now || fresh.Len() != 3000 {
		t.Errorf("the hash is %d, and that of the copy %d", m.hash, fresh.hash)
	}
	for i := range 3000 {
		got, ok := m.Get(In(a), key(i))
		copied, too := fresh.Get(inTo, key(i))
		if !ok || !too || got != i || copied != i {
			t.Fatalf("%v is %d, %t, and in the copy %d, %t", key(i), got, ok, copied, too)
		}
	}
	if !m.Delete(In(a), key(7)) || m.Len() != 2999 {
		t.Errorf("%v is not deleted", key(7))
	}
}
