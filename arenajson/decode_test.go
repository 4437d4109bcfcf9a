package arenajson_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// A small is a type of most kinds of fields.
type small struct {
	A int            `json:"a"`
	B string         `json:"b"`
	C []float64      `json:"c"`
	D *small         `json:"d"`
	E map[string]any `json:"e"`
	F any            `json:"f"`
	G []small        `json:"g"`
	H map[string]*small
	I [2]bool
	J []byte
	K json.Number
	L json.RawMessage
	M int8 `json:",string"`
}

func TestFirst(t *testing.T) {
	for _, in := range []string{
		`{"a":1,"b":"x","c":[1,2,3.5,4,5,6,7,8,9,10],"d":{"a":2,"d":{"b":"é\n\u00e9\ud83d\ude00\ud800"}},"e":{"x":[1,"2",null,true,{"y":{}}]},"f":[],"g":[{"a":1},{"a":2,"g":[{"b":"q"}]},{"b":"r"}]}`,
		` { "H" : { "x" : {"a":5}, "y":null }, "I":[true], "j":"aGVsbG8=", "K":12.50, "L": {"x" : 1 } , "M":"12"} `,
		`{"a":"x"}`, `{"a":1`, `null`, ``, `[]`, `{"a":1,"a":2,"unknown":[1,{}]}`,
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			var got, want small
			gotErr, wantErr := arenajson.Unmarshal(a, []byte(in), &got), json.Unmarshal([]byte(in), &want)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotErr, wantErr) {
				t.Errorf("%s:\n%+v %v\n%+v %v", in, got, gotErr, want, wantErr)
			}
		}
	}
}
