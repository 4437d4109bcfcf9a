package ref

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/swiss"
)

// A hashKind says how the keys of a Map are hashed. It is stored in the map, and so is its seed:
// another process, and another version of this package, have to find the same keys. So what one of
// these numbers means must never change, nor anything else that a map in a file depends on: what is
// made in another way gets a new number.
type hashKind uint8

const (
	kindUnset  hashKind = iota // of a map that was never written to
	kindWord                   // up to 8 bytes that all count: by multiplication
	kindBytes                  // in old files: kindBytes2 with secret0 as its secret
	kindParts                  // in old files: kindParts2 in the same way
	kindText                   // in old files: kindText2 in the same way
	kindAlike                  // in tests: there are four hashes
	kindBytes2                 // more bytes that all count
	kindParts2                 // values with floating-point numbers, padding, or blank fields
	kindText2                  // text
)

// Two odd numbers without a meaning. Everybody knows them, and so can make keys for which the
// factor k^secret0 is 0. The product is then 0 whatever the other factor is, and all such keys have
// the same hash. In hashInt that is one key.
const (
	secret0 = 0x9e3779b97f4a7c15
	secret1 = 0xd1342543de82ef95
)

// kindOf returns how keys of the plain type t are hashed.
func kindOf(t reflect.Type) hashKind {
	p, size := partsOf(t), int(t.Size())
	switch {
	case len(p) != 1 || p[0].float || p[0].size != size:
		return kindParts2
	case size <= 8 && size&(size-1) == 0 && (size == t.Align() || reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr):
		return kindWord
	}
	return kindBytes2
}

// secretOf returns what the keys of a map with the given seed are combined with. So nobody who does
// not know the seed can make a factor 0. No value of it is worse than another.
func secretOf(seed uint64) uint64 { return swiss.Mix(seed, secret0) }

// newSeed returns a random seed. It has none of the factors of 1<<64-1. The halves of a product add
// up to what the product is modulo that. If the seed has a common factor f with it, there are f
// keys for which they add up to 1<<64-1 in hashInt, which is then what mix returns, and these are
// the same keys for all such seeds.
func newSeed() uint64 {
	for {
		n := rand.Uint64() | 1
		if n%3 != 0 && n%5 != 0 && n%17 != 0 && n%257 != 0 && n%641 != 0 && n%65537 != 0 && n%6700417 != 0 {
			return n
		}
	}
}

// A keyPart is a part of a key that counts when keys are compared.
type keyPart struct {
	at, size int
	float    bool // a floating-point number, of 4 or 8 bytes
}

var partsKnown sync.Map // of reflect.Type to []keyPart

// partsOf returns the parts of the plain type t, from the first to the last.
func partsOf(t reflect.Type) []keyPart {
	if p, ok := partsKnown.Load(t); ok {
		return p.([]keyPart)
	}
	p := appendParts(nil, t, 0)
	partsKnown.Store(t, p)
	return p
}

func appendParts(p []keyPart, t reflect.Type, at int) []keyPart {
	size := int(t.Size())
	switch k := t.Kind(); {
	case size == 0:
	case k == reflect.Float32, k == reflect.Float64:
		p = append(p, keyPart{at, size, true})
	case k == reflect.Complex64, k == reflect.Complex128:
		p = append(p, keyPart{at, size / 2, true}, keyPart{at + size/2, size / 2, true})
	case k == reflect.Array:
		for i := range t.Len() {
			p = appendParts(p, t.Elem(), at+i*int(t.Elem().Size()))
		}
	case k == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				p = appendParts(p, f.Type, at+int(f.Offset))
			}
		}
	default:
		if n := len(p); n > 0 && !p[n-1].float && p[n-1].at+p[n-1].size == at {
			p[n-1].size += size
		} else {
			p = append(p, keyPart{at, size, false})
		}
	}
	return p
}

// hashParts returns the hash of a key, the memory of which is b. One that has a NaN gets another
// hash each time.
func hashParts(b []byte, parts []keyPart, seed, secret uint64) uint64 {
	h := seed
	for _, p := range parts {
		s := b[p.at : p.at+p.size]
		if !p.float {
			h = hashBytes(mem.StringOf(s), h, secret)
			continue
		}
		var f float64
		if p.size == 4 {
			f = float64(math.Float32frombits(binary.NativeEndian.Uint32(s)))
		} else {
			f = math.Float64frombits(binary.NativeEndian.Uint64(s))
		}
		if f != f {
			return rand.Uint64()
		}
		h = swiss.Mix(math.Float64bits(f+0)^secret, h) // -0 + 0 is 0
	}
	return swiss.Mix(h^secret0, secret1)
}

// hashInt returns the hash of an integer. The seed is odd, so that no bit is lost. The key secret0
// makes a factor 0 and its hash 0, which is as good as any for one key.
func hashInt(w, seed uint64) uint64 { return swiss.Mix(secret1, swiss.Mix(w^secret0, seed)) }

// hashBytes returns the hash of s by wyhash (Wang Yi, 2019). No s is as long as secret1, so the
// last factor with the length is never 0.
func hashBytes(s string, seed, secret uint64) uint64 {
	n := len(s)
	a, b := uint64(0), uint64(0)
	switch {
	case n > 16:
		for t := s; len(t) > 16; t = t[16:] {
			seed = swiss.Mix(swiss.Bytes8(t)^secret, swiss.Bytes8(t[8:])^seed)
		}
		a, b = swiss.Bytes8(s[n-16:]), swiss.Bytes8(s[n-8:])
	case n >= 8:
		a, b = swiss.Bytes8(s), swiss.Bytes8(s[n-8:])
	case n >= 4:
		a, b = swiss.Bytes4(s), swiss.Bytes4(s[n-4:])
	case n > 0:
		a = uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return swiss.Mix(secret1^uint64(n), swiss.Mix(a^secret, b^seed))
}
