package guard

import "testing"

type flags struct {
	a, b bool
	n    int32
}

type node struct {
	_, _ *node
	_    int
}

// TestQuarantine checks how much is in quarantine, and that a write is found when it leaves.
func TestQuarantine(t *testing.T) {
	Empty()
	a := newArena(MaxFenced)
	stale := put(a, flags{n: 1})
	a.end(Reset)
	stale.n, stale.b = 2, true
	for i := range 3 * MaxEndings {
		put(a, node{})
		a.bytes(1 + i%20000)
		a.end(Reset)
		quarantine.Lock()
		bytes, n := 0, len(quarantine.endings)
		for _, e := range quarantine.endings {
			bytes += e.bytes
		}
		if quarantine.bytes != bytes || bytes > MaxQuarantine || n > MaxEndings || i >= 100 && n < 100 {
			t.Fatalf("round %d: %d endings of %d bytes, said to be %d", i, n, bytes, quarantine.bytes)
		}
		quarantine.Unlock()
	}
	if len(a.found) != 1 || !a.found[0].Written || a.found[0].End.Event != Reset || a.found[0].Detail != "byte 1 of a value of type guard.flags" {
		t.Errorf("found: %+v", a.found)
	}
	a.end(Free)
	Empty()
	wardsLeft(t, 0)
}

// TestMany checks that not each of very many writes is reported, and none twice.
func TestMany(t *testing.T) {
	Empty()
	a := newArena(MaxFenced)
	var stale []*flags
	for range 100 {
		stale = append(stale, put(a, flags{}))
	}
	a.end(Free)
	for _, p := range stale {
		p.a = true
	}
	for range 2 {
		Check()
		if len(a.found) != 16 || a.found[15].Detail != "byte 0 of a value of type guard.flags, and 84 others" {
			t.Fatalf("found: %+v", a.found)
		}
	}
	Empty()
}
