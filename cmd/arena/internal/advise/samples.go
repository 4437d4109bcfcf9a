package advise

import (
	"errors"
	"fmt"
)

// Fewer samples than these say nothing.
const (
	minCPU  = 300
	minHeap = 200
)

// A TooFewError says that a profile has too few samples to advise by.
type TooFewError struct {
	Profile   string // cpu or allocs
	Have, Min int
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("arena advise: the %s profile has %d samples, and fewer than %d say nothing: profile the program for longer, under load", e.Profile, e.Have, e.Min)
}

// How long profiles are taken for more samples: at most maxRounds times, each at most maxLonger
// times as long as the first.
const (
	maxRounds = 4
	maxLonger = 20
)

// few returns what in has too few samples of, or nil.
func (in Input) few() *TooFewError {
	var few *TooFewError
	if _, err := Analyze(in); !errors.As(err, &few) {
		return nil
	}
	return few
}

// longer returns for how many times as long as before profiles are taken again, so that there are
// enough samples.
func (e *TooFewError) longer() float64 {
	return min(max(1.2*float64(e.Min-e.Have)/float64(max(e.Have, 1)), 1), maxLonger)
}
