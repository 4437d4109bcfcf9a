package entries

import (
	"encoding/binary"

	"github.com/coocood/freecache"
)

type freeCache struct {
	*freecache.Cache
	key   []byte
	value [8]byte
}

func newFreecache(n int) table[string] { return openFreecache(n, 20) }

func openFreecache(n, key int) *freeCache {
	return &freeCache{Cache: freecache.NewCache(n * (24 + key + 8) * 3 / 2)} // It writes 24 bytes beside key and value.
}

func (c *freeCache) set(k string, v uint64) {
	c.key = append(c.key[:0], k...)
	c.put(c.key, v)
}

func (c *freeCache) get(k string) (uint64, bool) {
	c.key = append(c.key[:0], k...)
	return c.find(c.key)
}

func (c *freeCache) put(k []byte, v uint64) {
	binary.LittleEndian.PutUint64(c.value[:], v)
	if err := c.Set(k, c.value[:], 0); err != nil {
		panic(err)
	}
}

func (c *freeCache) find(k []byte) (uint64, bool) {
	b, err := c.GetWithBuf(k, c.value[:])
	if err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

func (c *freeCache) wait() {}

// An intFreeCache makes bytes of numbers.
type intFreeCache struct{ *freeCache }

func newIntFreecache(n int) table[uint64] { return intFreeCache{openFreecache(n, 8)} }

func (c intFreeCache) bytes(k uint64) []byte {
	c.key = binary.LittleEndian.AppendUint64(c.key[:0], k)
	return c.key
}

func (c intFreeCache) set(k, v uint64)             { c.put(c.bytes(k), v) }
func (c intFreeCache) get(k uint64) (uint64, bool) { return c.find(c.bytes(k)) }
