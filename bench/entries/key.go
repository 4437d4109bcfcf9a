package entries

import (
	"encoding/binary"
	"encoding/hex"
)

// intKey returns the key of the entry i: all are different, and in no order.
func intKey(i int) uint64 {
	k := uint64(i) * 0x9e3779b97f4a7c15
	k = (k ^ k>>30) * 0xbf58476d1ce4e5b9
	return k ^ k>>31
}

// textKey returns the key of the entry i, of 20 bytes.
func textKey(i int) string {
	var k [8]byte
	binary.LittleEndian.PutUint64(k[:], intKey(i))
	b := []byte("key:................")
	hex.Encode(b[4:], k[:])
	return string(b)
}
