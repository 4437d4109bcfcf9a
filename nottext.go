package arena

import "errors"

// notText is embedded in types that mean nothing without their arena. It makes packages that encode values return
// an error. Without it they would find a struct without exported fields, and leave everything out.
type notText struct{}

var errNotText = errors.New("arena: an arena, a slab or a reference cannot be encoded or decoded: encode the values that Get or All return, " +
	"and make new ones of what is decoded; type File of package offheap writes references as they are")

// MarshalText returns an error. See [Ref].
func (notText) MarshalText() ([]byte, error) { return nil, errNotText }

// UnmarshalText returns an error. See [Ref].
func (*notText) UnmarshalText([]byte) error { return errNotText }
