package arena

import (
	"math/rand/v2"
	"testing"
)

// TestIndex compares an index with a map: with ids that lie close to each other, as the addresses of types do, and with any.
func TestIndex(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var x index[*int]
		if random.IntN(2) == 0 {
			x.entries = make([]entry[*int], fewTypes+1)
		}
		want := map[uintptr]*int{}
		base, step := uintptr(random.Uint32()), uintptr(1+random.IntN(100))
		for range random.IntN(150) {
			id := base + step*uintptr(random.IntN(100)) + 1
			if random.IntN(10) == 0 {
				id = uintptr(random.Uint32()) + 1
			}
			v := new(int)
			x.set(id, v)
			want[id] = v
			if err := x.check(); err != nil {
				t.Fatal(err)
			}
			if got := x.find(id + step); got != want[id+step] {
				t.Fatalf("find of the next id is %p, want %p", got, want[id+step])
			}
		}
		for id, v := range want {
			if x.find(id) != v {
				t.Fatalf("%d: another value", id)
			}
		}
		if x.count != len(want) {
			t.Fatalf("count is %d, want %d", x.count, len(want))
		}
	}
}
