//go:build goexperiment.jsonv2

package json

import (
	"encoding/json"
	"errors"

	"github.com/arena-go/arena/arenajson"
)

// What follows are names that tests have from inside of the package.

var errUnexpectedEnd = errors.New("unexpected end of JSON input")

func checkValid(data []byte) error {
	if arenajson.Valid(data) {
		return nil
	}
	return own(json.Unmarshal(data, new(any)))
}

func isValidNumber(s string) bool {
	b, err := Marshal(Number(s))
	return err == nil && string(b) == s
}

// ReportErrorsWithLegacySemantics is an option that a test gives to the second version.
func ReportErrorsWithLegacySemantics(v bool) json.Options {
	return json.ReportErrorsWithLegacySemantics(v)
}
