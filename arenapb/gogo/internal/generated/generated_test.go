package generated

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/gogotest"
	"github.com/grafana/loki/pkg/push"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests (0 is a random one)")

func random(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestGenerated compares what package gogo makes of random input, valid and not, with what the Unmarshal of each type makes of it.
func TestGenerated(t *testing.T) {
	arenapb.OnPanic(func(p *arenapb.Panic) { t.Error(p) })
	defer arenapb.OnPanic(nil)
	f := &gogotest.Filler{R: random(t)}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	gogo.Trust[push.Stream]()
	for _, s := range gogo.Fallbacks(new(push.Stream)) {
		if strings.HasPrefix(s, "push.Stream: ") {
			t.Error(s)
		}
	}
	a := arena.NewArena()
	defer func() { a.Free() }()
	accepted, all, native := 0, 0, 0
	var last []byte
	for _, n := range f.R.Perm(len(Messages)) {
		m := Messages[n]
		var kept []gogotest.Pair
		try := func(b []byte) {
			all++
			p, ok, difference := gogotest.Compare(a, b, m, gogo.UnmarshalOptions{AliasInput: f.R.IntN(4) == 0})
			if difference != "" {
				t.Fatal(difference)
			}
			if ok {
				accepted++
				kept = append(kept, p)
			}
		}
		for range rounds {
			b := f.Input(m)
			try(b)
			try(f.Reorder(b, 0))
			try(append(slices.Clone(b), f.Input(m)...))
			try(f.Damage(b))
			try(f.Damage(f.Reorder(b, 0)))
			try(slices.Concat(b, last))
			last = b
			if f.R.IntN(50) == 0 {
				runtime.GC()
			}
		}
		for _, p := range kept {
			if difference := p.Check(nil); difference != "" {
				t.Fatalf("not what it was: %s", difference)
			}
		}
		if len(gogo.Fallbacks(m)) == 0 {
			native++
		}
		if f.R.IntN(20) == 0 {
			a.Free()
			a = arena.NewArena()
		}
		a.Reset()
	}
	t.Logf("%d types, %d of them without fallbacks; %d inputs, %d of them without error", len(Messages), native, all, accepted)
	if accepted < all/3 || native < len(Messages)/3 {
		t.Error("too little was compared")
	}
}
