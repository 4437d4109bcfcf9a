// Package json is what Go's tests of package encoding/json see in its place: its types, and functions that call arenajson. suite_test.go copies
// the tests and this file into one directory.
package json

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type (
	Delim                 = json.Delim
	InvalidUTF8Error      = json.InvalidUTF8Error
	InvalidUnmarshalError = json.InvalidUnmarshalError
	Marshaler             = json.Marshaler
	Number                = json.Number
	RawMessage            = json.RawMessage
	Token                 = json.Token
	UnmarshalFieldError   = json.UnmarshalFieldError
	UnmarshalTypeError    = json.UnmarshalTypeError
	Unmarshaler           = json.Unmarshaler
	UnsupportedTypeError  = json.UnsupportedTypeError
	UnsupportedValueError = json.UnsupportedValueError
)

// onHeap has everything on the heap. Otherwise each value is in an arena of its own, which is freed before the test looks at the value.
var onHeap = os.Getenv("ARENAJSON_SUITE") == "heap"

// Calls counts what arenajson did.
var Calls atomic.Int64

func do(f func(a *arena.Arena) error) error {
	Calls.Add(1)
	if onHeap {
		return own(f(nil))
	}
	a := arena.NewArena()
	defer a.Free()
	return own(f(a))
}

// Two types of errors have fields that only package json can set, as the tests do. So there are types for them here.
type (
	SyntaxError struct {
		msg    string
		Offset int64
	}
	MarshalerError struct {
		Type       reflect.Type
		Err        error
		sourceFunc string
	}
)

func (e *SyntaxError) Error() string { return e.msg }
func (e *MarshalerError) Error() string {
	return "json: error calling " + cmp.Or(e.sourceFunc, "MarshalJSON") + " for type " + e.Type.String() + ": " + e.Err.Error()
}
func (e *MarshalerError) Unwrap() error { return e.Err }

// own returns err with the types that are here.
func own(err error) error {
	switch e := err.(type) {
	case *json.SyntaxError:
		return &SyntaxError{reflect.ValueOf(e).Elem().FieldByName("msg").String(), e.Offset}
	case *json.MarshalerError:
		return &MarshalerError{e.Type, own(e.Err), reflect.ValueOf(e).Elem().FieldByName("sourceFunc").String()}
	}
	return err
}

func Unmarshal(data []byte, v any) error {
	return do(func(a *arena.Arena) error { return arenajson.Unmarshal(a, data, v) })
}

func Marshal(v any) (b []byte, err error) {
	err = do(func(a *arena.Arena) error {
		b, err = arenajson.Marshal(a, v)
		return err
	})
	return b, err
}

func MarshalIndent(v any, prefix, indent string) (b []byte, err error) {
	if prefix == "" && indent == "" {
		return json.MarshalIndent(v, prefix, indent) // line ends only, which arenajson does not write
	}
	err = do(func(a *arena.Arena) error {
		b, err = arenajson.MarshalOptions{Prefix: prefix, Indent: indent}.Marshal(a, v)
		return err
	})
	return b, err
}

func Valid(data []byte) bool { return arenajson.Valid(data) }

// arenajson has no functions for the following.
func Compact(dst *bytes.Buffer, src []byte) error { return own(json.Compact(dst, src)) }
func Indent(dst *bytes.Buffer, src []byte, prefix, indent string) error {
	return own(json.Indent(dst, src, prefix, indent))
}
func HTMLEscape(dst *bytes.Buffer, src []byte) { json.HTMLEscape(dst, src) }

type Encoder struct{ *arenajson.Encoder }

func NewEncoder(w io.Writer) *Encoder { return &Encoder{arenajson.NewEncoder(w)} }

func (e *Encoder) Encode(v any) error {
	return do(func(a *arena.Arena) error { return e.Encoder.Encode(a, v) })
}

type Decoder struct{ *arenajson.Decoder }

func NewDecoder(r io.Reader) *Decoder { return &Decoder{arenajson.NewDecoder(r)} }

func (d *Decoder) Decode(v any) error {
	return do(func(a *arena.Arena) error { return d.Decoder.Decode(a, v) })
}

func (d *Decoder) Token() (Token, error) {
	t, err := d.Decoder.Token()
	return t, own(err)
}
