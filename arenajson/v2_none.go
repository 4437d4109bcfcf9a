//go:build !go1.27 || !(goexperiment.jsonv2 || go1.29)

package arenajson

import "reflect"

// hasV2 says whether the option V2 can be had.
const hasV2 = false

func (o UnmarshalOptions) stdV2([]byte, any) error { return errNoV2 }

func marshalV2(any) ([]byte, error) { return nil, errNoV2 }

func takesV2(reflect.Type) bool { return false }

func isSyntaxV2(error) bool { return false }
