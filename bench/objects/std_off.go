//go:build !goexperiment.arenas

package objects

import "github.com/arena-go/arena/bench/internal/suite"

// standard is in programs that are built with GOEXPERIMENT=arenas.
var standard = origin{Implementation: suite.Implementation{Name: "std", Program: suite.Experiment}, only: standardWorkloads}
