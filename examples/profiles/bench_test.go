package main

import (
	"testing"
)

// BenchmarkIngest merges the profiles of testdata, one window per iteration.
func BenchmarkIngest(b *testing.B) {
	inputs, err := readAll(nil, nil, 32<<20)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []string{onHeap, inArena} {
		b.Run("way="+way, func(b *testing.B) {
			s := newService(config{}, way)
			for b.Loop() {
				s.newWindow()
				for _, in := range inputs {
					if err := s.ingest(in); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkDecode is the decoding alone.
func BenchmarkDecode(b *testing.B) {
	inputs, err := readAll(nil, nil, 32<<20)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []string{onHeap, inArena} {
		b.Run("way="+way, func(b *testing.B) {
			s := newService(config{}, way)
			for b.Loop() {
				for _, in := range inputs {
					if _, err := Decode(s.profile, in.data); err != nil {
						b.Fatal(err)
					}
					s.profile.Reset()
				}
			}
		})
	}
}
