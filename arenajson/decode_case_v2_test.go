//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arenajson_test

import (
	jsonv1 "encoding/json"
	"encoding/json/v2"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// TestCaseSensitiveV2 compares with the option of the second version of encoding/json, for
// documents of all kinds.
func TestCaseSensitiveV2(t *testing.T) {
	defer func(all []reflect.Type) { leavesV2 = all }(leavesV2)
	leavesV2 = nil // some have methods that see the option there, and others are refused
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 5))
	types := append(writtenTypes(), randomTypes(r, 200)...)
	rounds := 60
	if !testrun.Long() {
		rounds = 10
	}
	for _, typ := range types {
		for range rounds {
			in := document(r, typ)
			o := arenajson.UnmarshalOptions{CaseSensitiveNames: true, DisallowUnknownFields: r.IntN(4) == 0}
			got, want := reflect.New(typ), reflect.New(typ)
			gotErr := o.Unmarshal(nil, in, got.Interface())
			wantErr := json.Unmarshal(in, want.Interface(), jsonv1.DefaultOptionsV1(), json.MatchCaseInsensitiveNames(false), json.RejectUnknownMembers(o.DisallowUnknownFields))
			if arenajson.IsRefusal(gotErr) {
				continue
			}
			if (gotErr == nil) != (wantErr == nil) || !reflect.DeepEqual(plain(got), plain(want)) {
				t.Fatalf("%v, %+v\ninput: %s\n got %s (%v)\nwant %s (%v)", typ, o, in, show(got), gotErr, show(want), wantErr)
			}
		}
	}
}
