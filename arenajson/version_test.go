package arenajson_test

import (
	"encoding/json"
	"errors"
	"go/build"
	"reflect"
	"slices"
	"testing"

	"github.com/arena-go/arena/arenajson"
)

// hasTestsV2 is set by the tests of the second version of encoding/json, which only build where its
// packages are.
var hasTestsV2 bool

// TestVersion asks encoding/json which version it is, by what it does where they differ.
func TestVersion(t *testing.T) {
	invalid, _ := json.Marshal("\xff")
	var errs [2]stubborn
	json.Unmarshal([]byte(`[0,0]`), &errs)
	type inside struct{ B int }
	type around struct{ A inside }
	wrong, _ := json.Unmarshal([]byte(`{"A":{"B":"text"}}`), new(around)).(*json.UnmarshalTypeError)
	for what, v2 := range map[string]bool{
		"it writes bytes that are not UTF-8 as U+FFFD itself":                   string(invalid) == "\"\ufffd\"",
		"it goes on after an error of a method":                                 bool(errs[1]),
		"an error has the name of the type that is decoded and not of a struct": wrong != nil && wrong.Struct == "around",
	} {
		if v2 != arenajson.OnV2 {
			t.Errorf("%s: %v, and this package takes encoding/json for the second version: %v", what, v2, arenajson.OnV2)
		}
	}
	if arenajson.OnV2 && slices.Contains(build.Default.ReleaseTags, "go1.27") && !hasTestsV2 {
		t.Error("encoding/json is built on encoding/json/v2, and the tests for that are not: mend the constraints in the files with v2 in their names, and in encoding_v2.go of package arena")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[almostTo](), reflect.TypeFor[*almostTo]()} {
		if arenajson.IsCoder(typ) {
			t.Errorf("%v has no method of the second version", typ)
		}
	}
}

type stubborn bool

func (s *stubborn) UnmarshalJSON([]byte) error {
	*s = true
	return errors.New("no")
}

// almostTo has methods named like the second version's.
type almostTo struct{}

func (almostTo) MarshalJSONTo(*json.Encoder) error      { return nil }
func (*almostTo) UnmarshalJSONFrom(*json.Decoder) error { return nil }
