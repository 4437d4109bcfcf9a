//go:build goexperiment.jsonv2 && !go1.27

package arenajson

import (
	"encoding/json/jsontext"
	"reflect"
)

// hasUnmarshalerFrom tells whether t has the method that the second version of encoding/json prefers to UnmarshalJSON.
func hasUnmarshalerFrom(t reflect.Type) bool { return t.Implements(unmarshalerFromType) }

// endsAll tells whether an error of UnmarshalJSON ends the decoding. The second version of encoding/json goes on after most.
func endsAll(err error) bool {
	_, ok := err.(*jsontext.SyntacticError)
	return ok
}
