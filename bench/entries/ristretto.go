package entries

import "github.com/dgraph-io/ristretto/v2"

type ristrettoCache[K ristretto.Key] struct {
	*ristretto.Cache[K, uint64]
}

func newRistretto[K ristretto.Key](n int) table[K] {
	c, err := ristretto.NewCache(&ristretto.Config[K, uint64]{
		NumCounters:        10 * int64(n), // as it recommends
		MaxCost:            2 * int64(n),
		BufferItems:        64,
		IgnoreInternalCost: true,
	})
	if err != nil {
		panic(err)
	}
	return ristrettoCache[K]{c}
}

func (c ristrettoCache[K]) set(k K, v uint64)      { c.Set(k, v, 1) }
func (c ristrettoCache[K]) get(k K) (uint64, bool) { return c.Get(k) }
func (c ristrettoCache[K]) wait()                  { c.Wait() }
