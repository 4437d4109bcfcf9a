package ref

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// A Bool is a bool for plain types, which have none: values with a reference, see [Of], and those
// that lie in the Options.Memory of an arena. It is a number, so each byte is a valid one: 0 is
// false, and all others are true. [BoolOf] makes a Bool. Encoders of JSON and package fmt treat it
// as a bool.
type Bool uint8

// BoolOf returns v as a Bool: 0 or 1.
func BoolOf(v bool) Bool {
	if v {
		return 1
	}
	return 0
}

// Is returns b as a bool.
func (b Bool) Is() bool { return b != 0 }

// String returns "true" or "false".
func (b Bool) String() string { return strconv.FormatBool(b.Is()) }

// Format makes package fmt print b as a bool.
func (b Bool) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), b.Is()) }

// MarshalJSON returns true or false.
func (b Bool) MarshalJSON() ([]byte, error) { return json.Marshal(b.Is()) }

// UnmarshalJSON takes true or false. null leaves b unchanged.
func (b *Bool) UnmarshalJSON(text []byte) error {
	v := b.Is()
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	*b = BoolOf(v)
	return nil
}
