//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arenajson_test

import (
	jsonv1 "encoding/json"
	"encoding/json/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena/arenajson"
)

// These have methods that return the errors of the second version.
type (
	byV2 struct {
		A string
		B []map[string]int
	}
	keyByV2 string
	holdsV2 struct{ X, Y byV2 }
)

func (x *byV2) UnmarshalJSON(b []byte) error {
	type plain byV2
	return json.Unmarshal(b, (*plain)(x))
}
func (k *keyByV2) UnmarshalText(b []byte) error {
	return json.Unmarshal(b, (*string)(k))
}

type writesV2 struct{ A int }

func (writesV2) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]any{"f": func() {}}) }

// TestMethodsV2 proves that errors of the second version which methods return become those that
// Unmarshal of encoding/json makes of them.
func TestMethodsV2(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[byV2](), reflect.TypeFor[holdsV2](), reflect.TypeFor[[]holdsV2](), reflect.TypeFor[map[keyByV2]byV2](), reflect.TypeFor[*byV2](), reflect.TypeFor[noText](), reflect.TypeFor[map[noKey]int](), reflect.TypeFor[[]brokenIO]()} {
		for _, in := range []string{
			`{"A":1}`, `{"B":[{"x":1.5}]}`, `{"A":"\ud800"}`, `{"A":"","A":""}`, `{"B":[{"x":1e400}]}`, `0`, `"\ud800"`, `true`, "\"\xff\"",
			`{"X":{"A":1}}`, `{"X":{"B":[{},{"a":"b"}]},"Y":{"A":2}}`, `{"X":{"A":"\ud800"},"Y":{"A":2}}`, `[{"Y":{"B":true}},{"X":7}]`, `{"x":{}}`, `{"\"x\"":{"A":1}}`, `{"1":{}}`, `[1,7,2]`,
		} {
			compare(t, nil, arenajson.UnmarshalOptions{}, typ, nil, []byte(in))
			compare(t, nil, arenajson.UnmarshalOptions{DisallowUnknownFields: true}, typ, nil, []byte(in))
			compare(t, nil, arenajson.UnmarshalOptions{}, typ, []byte(`[1,2,3,4]`), []byte(in))
		}
	}
	for _, v := range []any{writesV2{}, &writesV2{}, []writesV2{{}}, map[string]any{"a": writesV2{}}, struct{ X *writesV2 }{&writesV2{}}} {
		_, got := arenajson.Marshal(nil, v)
		_, want := jsonv1.Marshal(v)
		if !sameError(got, want) {
			t.Errorf("Marshal of %T has the error %v, want %v", v, got, want)
		}
	}
}
