package arena

import (
	"hash/maphash"
	"math/bits"
	"reflect"

	"github.com/arena-go/arena/internal/swiss"
)

// A hashMode says how keys are hashed.
type hashMode uint8

const (
	hashUnset hashMode = iota // of a Map that NewMap did not make
	hashWord                  // integers: by multiplication with secrets
	hashText                  // strings: the same, or if they are long, by maphash
	hashAny                   // all others: by maphash
	hashNone                  // in tests: all keys alike
)

var (
	hashSeed = maphash.MakeSeed()
	secret   = [3]uint64{
		maphash.String(hashSeed, "0"),
		maphash.String(hashSeed, "1") | 1, // odd, so that no bit of an integer is lost
		maphash.String(hashSeed, "2"),
	}
)

func hashModeOf(k reflect.Kind) hashMode {
	switch {
	case reflect.Int <= k && k <= reflect.Uintptr:
		return hashWord
	case k == reflect.String:
		return hashText
	}
	return hashAny
}

// hash returns the hash of k. Strings that are not long are hashed by wyhash (Wang
// Yi, 2019), which is also what maphash does where it has no help from the processor. It
// is all in one function, since calls are what takes the time.
func (m *Map[K, V]) hash(k K) uint64 {
	if looking {
		m.keyIsRead(k)
	}
	if m.mode == hashWord {
		return swiss.Mix(secret[2], swiss.Mix(swiss.Word(k)^secret[0], secret[1]))
	}
	if m.mode != hashText || len(text(k)) > 64 {
		return m.hashAny(k)
	}
	s := text(k)
	n := len(s)
	a, b, seed := uint64(0), uint64(0), secret[1]
	switch {
	case n > 16:
		for t := s; len(t) > 16; t = t[16:] {
			seed = swiss.Mix(swiss.Bytes8(t)^secret[0], swiss.Bytes8(t[8:])^seed)
		}
		a, b = swiss.Bytes8(s[n-16:]), swiss.Bytes8(s[n-8:])
	case n >= 8:
		a, b = swiss.Bytes8(s), swiss.Bytes8(s[n-8:])
	case n >= 4:
		a, b = swiss.Bytes4(s), swiss.Bytes4(s[n-4:])
	case n > 0:
		a = uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return swiss.Mix(secret[2]^uint64(n), swiss.Mix(a^secret[0], b^seed))
}

// hashAny returns the hash of k, of any type.
func (m *Map[K, V]) hashAny(k K) uint64 {
	if m.mode == hashNone {
		return 0
	}
	return maphash.Comparable(hashSeed, k)
}

// keyIsRead tells the detectors of mistakes that the text in a key is read.
func (t *mapTable[K, V]) keyIsRead(k K) {
	switch t.mode {
	case hashText:
		textIsRead(text(k))
	case hashAny:
		textInIsRead(reflect.ValueOf(&k).Elem())
	}
}

// textInIsRead tells the detectors of mistakes that the text in v, which is compared with another
// value, is read.
func textInIsRead(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		textIsRead(v.String())
	case reflect.Interface:
		if !v.IsNil() {
			textInIsRead(v.Elem())
		}
	case reflect.Array:
		for i := 0; i < v.Len() && kindOf(v.Type()) != kindPlain; i++ {
			textInIsRead(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			textInIsRead(v.Field(i))
		}
	}
}

// manyGroups are more than the cache next to the processor holds: a lookup waits for memory.
const manyGroups = 1024

// groupsFor returns how many groups a table for n entries has: enough that one
// slot in seven stays free. A table of one group may be full.
func groupsFor(n int) int {
	if n <= swiss.Slots {
		return 1
	}
	return 1 << bits.Len(uint((n-1)/(swiss.Slots-1)))
}
