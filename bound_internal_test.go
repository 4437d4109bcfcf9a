package arena

import (
	"testing"

	"github.com/arena-go/arena/internal/swiss"
)

// BenchmarkMapBound builds maps of ten entries: Go's, one in a new arena that is freed, and one that has all memory that a Map takes
// on the way in one object, beside one of the size of an arena. So no arena can make less of the heap than that.
func BenchmarkMapBound(b *testing.B) {
	keys := make([]uint64, 10)
	for i := range keys {
		keys[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	type block struct {
		m   Map[uint64, uint64]
		one [1]swiss.Group[uint64, uint64]
		two [2]swiss.Group[uint64, uint64]
	}
	var kept struct {
		std   map[uint64]uint64
		arena *Arena
		block *block
	}
	b.Run("impl=gomap", func(b *testing.B) {
		for b.Loop() {
			kept.std = map[uint64]uint64{}
			for _, k := range keys {
				kept.std[k] = k
			}
		}
	})
	b.Run("impl=fresh", func(b *testing.B) {
		for b.Loop() {
			a := NewArena()
			m := NewMap[uint64, uint64](a, 0)
			for _, k := range keys {
				m.Set(k, k)
			}
			a.Free()
		}
	})
	b.Run("impl=bound", func(b *testing.B) {
		for b.Loop() {
			kept.arena, kept.block = new(Arena), new(block)
			m := &kept.block.m
			m.mapTable = emptyTable[uint64, uint64](nil)
			m.use(kept.block.one[:])
			for _, k := range keys {
				if m.n == m.room { // as in move
					m.use(kept.block.two[:])
					for i := range kept.block.one[0].Slots {
						s := kept.block.one[0].Slots[i]
						*m.free(m.hash(s.Key)) = s
					}
				}
				m.Set(k, k)
			}
		}
	})
}
