//go:build !goexperiment.jsonv2

package arenajson

import "reflect"

// onV2 says that package encoding/json is built on encoding/json/v2, as it is from Go 1.27 on.
const onV2 = false

// These are interfaces that only the second version of encoding/json looks for.
var marshalerToType, unmarshalerFromType, textAppenderType reflect.Type

// textKeys says that keys of maps whose kind is string are encoded by their methods, if they have some.
const textKeys = false
