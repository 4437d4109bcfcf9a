package main

import (
	"testing"
)

// BenchmarkIngest merges the profiles of testdata, one window per iteration.
func BenchmarkIngest(b *testing.B) {
	benchWays(b, func(s *service, inputs []input) error {
		s.newWindow()
		for _, in := range inputs {
			if err := s.ingest(in); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkDecode is the decoding alone.
func BenchmarkDecode(b *testing.B) {
	benchWays(b, func(s *service, inputs []input) error {
		for _, in := range inputs {
			if _, err := Decode(s.profile, in.data); err != nil {
				return err
			}
			s.profile.Reset()
		}
		return nil
	})
}

// benchWays runs round with the profiles of testdata, on the heap and in arenas.
func benchWays(b *testing.B, round func(s *service, inputs []input) error) {
	inputs, err := readAll(nil, nil, 32<<20)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []string{onHeap, inArena} {
		b.Run("way="+way, func(b *testing.B) {
			s := newService(config{}, way)
			for b.Loop() {
				if err := round(s, inputs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
