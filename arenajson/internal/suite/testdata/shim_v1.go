//go:build !goexperiment.jsonv2

package json

import (
	"encoding/json"

	"github.com/arena-go/arena/arenajson"
)

// What follows are names that tests have from inside of the package.

type isZeroer interface{ IsZero() bool }

const startDetectingCyclesAfter = 1000

type scanner struct{}

func checkValid(data []byte, _ *scanner) error {
	if arenajson.Valid(data) {
		return nil
	}
	return own(json.Unmarshal(data, new(any)))
}

func isValidNumber(s string) bool {
	b, err := Marshal(Number(s))
	return err == nil && string(b) == s
}
