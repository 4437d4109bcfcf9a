package main

import (
	"runtime"
	"testing"

	"github.com/arena-go/arena/arenapb/internal/schemas"
	"github.com/arena-go/arena/internal/testrun"
)

func TestMain(m *testing.M) {
	schemas.Child()
	m.Run()
}

// TestSchemas decodes some messages of all types, in two orders of planning, and lets a sample of
// the types be the first in a process.
func TestSchemas(t *testing.T) {
	seed := testrun.Seed(t)
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
