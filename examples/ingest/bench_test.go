package main

import (
	"context"
	"io"
	"testing"
)

// BenchmarkIngest takes the profiles of testdata, forty in a window, on the heap and in arenas.
func BenchmarkIngest(b *testing.B) {
	c, err := parse(io.Discard, nil)
	if err != nil {
		b.Fatal(err)
	}
	inputs, err := readInputs(nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []string{onHeap, inArena} {
		b.Run("way="+way, func(b *testing.B) {
			s := newService(c, way == onHeap)
			n, at, err := s.about("bench", "")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for range 40 / len(inputs) {
					for _, in := range inputs {
						if err := s.ingest(context.Background(), n, at, in.data); err != nil {
							b.Fatal(err)
						}
					}
				}
				at = at.Add(c.window)
			}
		})
	}
}
