//go:build goexperiment.jsonv2 && !go1.27

package arenajson

import (
	"encoding"
	"encoding/json/v2"
	"reflect"
)

// onV2 says that package encoding/json is built on encoding/json/v2, as it is from Go 1.27 on.
const onV2 = true

// These are interfaces that only the second version of encoding/json looks for.
var (
	marshalerToType     = reflect.TypeFor[json.MarshalerTo]()
	unmarshalerFromType = reflect.TypeFor[json.UnmarshalerFrom]()
	textAppenderType    = reflect.TypeFor[encoding.TextAppender]()
)

// textKeys says that keys of maps whose kind is string are encoded by their methods, if they have some.
const textKeys = true
