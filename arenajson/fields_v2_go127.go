//go:build goexperiment.jsonv2 && go1.27

package arenajson

import (
	"encoding"
	"encoding/json/v2"
	"reflect"
)

// onV2 says that package encoding/json is built on encoding/json/v2, as it is from Go 1.27 on.
const onV2 = true

var (
	// v2Marshalers are interfaces that only the second version of encoding/json looks for when it encodes.
	v2Marshalers = []reflect.Type{reflect.TypeFor[json.MarshalerTo](), reflect.TypeFor[encoding.TextAppender]()}

	// v2Methods are all interfaces that only the second version looks for.
	v2Methods = append([]reflect.Type{reflect.TypeFor[json.UnmarshalerFrom]()}, v2Marshalers...)
)
