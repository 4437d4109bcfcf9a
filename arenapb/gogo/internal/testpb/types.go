// Package testpb has messages for the tests of package gogo, as gogo generates them, but for what
// would need its packages.
package testpb

import "errors"

// Count is a casttype.
type Count int64

// Own is a customtype, which keeps the bytes that its Unmarshal gets.
type Own struct{ Bytes []byte }

// ErrOwn is the error of the bytes "error".
var ErrOwn = errors.New("testpb: the error of Own")

// Unmarshal panics where the bytes are "panic".
func (o *Own) Unmarshal(b []byte) error {
	switch string(b) {
	case "error":
		return ErrOwn
	case "panic":
		panic("Own panics")
	}
	o.Bytes = b
	return nil
}

// MarshalTo is the inverse of Unmarshal.
func (o *Own) MarshalTo(b []byte) (int, error) { return copy(b, o.Bytes), nil }

// Size returns how many bytes MarshalTo writes.
func (o *Own) Size() int { return len(o.Bytes) }

// Handwritten has an Unmarshal that does not do what the tag says.
type Handwritten struct {
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
}

// Unmarshal does not look at b.
func (h *Handwritten) Unmarshal(b []byte) error {
	h.Name = "handwritten"
	return nil
}

// Copied has the Unmarshal of a Label, written by hand, and a field without a tag.
type Copied struct {
	Name  string `protobuf:"bytes,1,opt,name=name,proto3"`
	Value string `protobuf:"bytes,2,opt,name=value,proto3"`
	Extra int

	XXX_unrecognized []byte
}

// Unmarshal does what the tags say.
func (c *Copied) Unmarshal(b []byte) error {
	l := Label{Name: c.Name, Value: c.Value, XXX_unrecognized: c.XXX_unrecognized}
	err := l.Unmarshal(b)
	c.Name, c.Value, c.XXX_unrecognized = l.Name, l.Value, l.XXX_unrecognized
	return err
}

// Embedding has the Unmarshal of a Label.
type Embedding struct{ Label }
