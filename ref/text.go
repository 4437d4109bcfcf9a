package ref

import "errors"

// notText is embedded in types that mean nothing without their Space. It makes packages that encode
// values return an error. Without it they would find a struct without exported fields, and leave
// everything out.
type notText struct{}

var errNotText = errors.New("ref: a reference, a Space or a Slab cannot be encoded or decoded: encode the values that Get or All return, " +
	"and make new ones of what is decoded; type File of package offheap writes references as they are")

// MarshalText returns an error. See [Of].
func (notText) MarshalText() ([]byte, error) { return nil, errNotText }

// UnmarshalText returns an error. See [Of].
func (*notText) UnmarshalText([]byte) error { return errNotText }
