package entries

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/allegro/bigcache/v3"
)

type bigCache struct {
	*bigcache.BigCache
	value [8]byte
}

func newBigcache(n int) table[string] { return openBigcache(n, 20) }

func openBigcache(n, key int) *bigCache {
	o := bigcache.DefaultConfig(24 * time.Hour)
	o.CleanWindow, o.Verbose = 0, false
	o.MaxEntriesInWindow, o.MaxEntrySize = n, key+8+20 // It writes some 20 bytes beside key and value.
	c, err := bigcache.New(context.Background(), o)
	if err != nil {
		panic(err)
	}
	return &bigCache{BigCache: c}
}

func (c *bigCache) set(k string, v uint64) {
	binary.LittleEndian.PutUint64(c.value[:], v)
	if err := c.Set(k, c.value[:]); err != nil {
		panic(err)
	}
}

func (c *bigCache) get(k string) (uint64, bool) {
	b, err := c.Get(k)
	if err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

func (c *bigCache) wait() {}

// An intBigCache makes text of numbers.
type intBigCache struct{ *bigCache }

func newIntBigcache(n int) table[uint64] { return intBigCache{openBigcache(n, 8)} }

func intText(k uint64) string {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], k)
	return string(b[:])
}

func (c intBigCache) set(k, v uint64)             { c.bigCache.set(intText(k), v) }
func (c intBigCache) get(k uint64) (uint64, bool) { return c.bigCache.get(intText(k)) }
