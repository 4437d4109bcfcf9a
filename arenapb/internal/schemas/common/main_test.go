package main

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/arena-go/arena/arenapb/internal/schemas"
)

var seedFlag = flag.Uint64("seed", 0, "seed of all that is random (0 is a random one)")

func TestMain(m *testing.M) {
	schemas.Child()
	m.Run()
}

// TestSchemas decodes some messages of all types, in two orders of planning, and lets a sample of
// the types be the first in a process.
func TestSchemas(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d", seed)
	orders, first := schemas.Run(schemas.Options{
		Seed: seed, Orders: 2, Messages: 3, First: 300, Each: 4, Parallel: runtime.GOMAXPROCS(0), Log: t.Logf,
	})
	if orders.Types < 5000 || orders.Left > orders.Types/100 || orders.Accepted < orders.Messages/2 {
		t.Errorf("too little was compared: %v", orders)
	}
	if len(orders.Differences) > 0 {
		t.Errorf("in random orders:\n%s", orders.Report())
	}
	if len(first.Differences) > 0 {
		t.Errorf("with the type first:\n%s", first.Report())
	}
}
