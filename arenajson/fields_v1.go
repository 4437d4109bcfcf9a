//go:build !goexperiment.jsonv2

package arenajson

import "reflect"

// onV2 says that package encoding/json is built on encoding/json/v2, as it is from Go 1.27 on.
const onV2 = false

// v2Marshalers and v2Methods are interfaces that only the second version of encoding/json looks for.
var v2Marshalers, v2Methods []reflect.Type
