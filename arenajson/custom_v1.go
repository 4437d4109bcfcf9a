//go:build !goexperiment.jsonv2

package arenajson

import "reflect"

// hasUnmarshalerFrom tells whether t has the method that the second version of encoding/json prefers to UnmarshalJSON.
func hasUnmarshalerFrom(reflect.Type) bool { return false }

// endsAll tells whether an error of UnmarshalJSON ends the decoding. The first version of encoding/json goes no further after any.
func endsAll(error) bool { return true }
