package arenajson

import (
	"io"

	"github.com/arena-go/arena"
)

// An Encoder writes values to a stream, as json.Encoder does, with a line end behind each. One
// goroutine at a time may use it.
type Encoder struct {
	w       io.Writer
	options MarshalOptions
	err     error // of the writer
}

// NewEncoder returns an Encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w: w} }

// Encode writes v and a line end, in one call of Write. The text is in memory that is used again
// after the call. a is for what [Marshal] needs it for: an [ref.String], and a [MarshalerArena]; it
// may be nil.
//
// If v cannot be encoded nothing is written, and the error is encoding/json's. An error of the
// writer stays: later calls return it.
func (enc *Encoder) Encode(a *arena.Arena, v any) error {
	if enc.err != nil {
		return enc.err
	}
	e := getEncoder()
	b, err := e.encode(a, v, enc.options)
	if err == nil {
		_, err = enc.w.Write(append(b, '\n'))
		enc.err = err
	}
	e.put()
	return err
}

// SetIndent says that each element is to begin on a new line, behind prefix and as many of indent
// as it is deep. Both empty, as at first, is for values in one line.
func (enc *Encoder) SetIndent(prefix, indent string) {
	enc.options.Prefix, enc.options.Indent = prefix, indent
}

// SetEscapeHTML says whether <, > and & in strings are to be escaped, as they are at first.
func (enc *Encoder) SetEscapeHTML(on bool) { enc.options.NoEscapeHTML = !on }
