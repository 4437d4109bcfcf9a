//go:build goexperiment.jsonv2

package arenajson

import (
	"io"
	"reflect"
)

// hasUnmarshalerFrom tells whether t has the method that the second version of encoding/json prefers to UnmarshalJSON.
func hasUnmarshalerFrom(t reflect.Type) bool { return t.Implements(unmarshalerFromType) }

// endsAll tells whether an error of a method ends the decoding. The second version of encoding/json goes on after most.
func endsAll(err error) bool {
	_, ok := err.(*syntacticError)
	return ok || reflect.TypeOf(err) == readErrorType
}

// readErrorType is the type of errors that come of a reader, which jsontext does not export.
var readErrorType = reflect.TypeOf(readBy(noReader{}))

type noReader struct{}

func (noReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
