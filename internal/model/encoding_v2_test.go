//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package model_test

import (
	"encoding/json/v2"
	"maps"
	"math"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
)

// TestMapJSONv2 proves that the options of encoding/json/v2 reach what is in a Map: nil slices,
// names and merging are as in a map of Go's.
func TestMapJSONv2(t *testing.T) {
	type point struct {
		X, Y int
		List []int
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		m, want := arena.NewMap[string, point](a, 0), map[string]point{}
		for i := range 20 {
			want[text(i)] = point{X: i}
			m.Set(text(i), want[text(i)])
		}
		for _, options := range [][]json.Options{nil, {json.FormatNilSliceAsNull(true)}, {json.StringifyNumbers(true)}} {
			options = append(options, json.Deterministic(true))
			got, err := json.Marshal(m, options...)
			text, _ := json.Marshal(want, options...)
			if err != nil || string(got) != string(text) {
				t.Fatalf("%s, %v, Go's map: %s", got, err, text)
			}
		}
		for _, text := range []string{`{"` + text(1) + `": {"Y": 7}, "new": {"x": 1}}`, `{}`, `null`, `{"a": 7}`} {
			for _, options := range [][]json.Options{nil, {json.MatchCaseInsensitiveNames(true)}} {
				err1 := json.Unmarshal([]byte(text), m, options...)
				err2 := json.Unmarshal([]byte(text), &want, options...)
				if want == nil {
					want = map[string]point{}
				}
				if (err1 == nil) != (err2 == nil) {
					t.Fatalf("%s: %v, Go's map: %v", text, err1, err2)
				}
				if got := maps.Collect(m.All()); err1 == nil && !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: %v, Go's map: %v", text, got, want)
				}
			}
		}
	}
	nans := arena.NewMap[float64, int](nil, 0)
	nans.Set(math.NaN(), 1)
	for range 2 {
		if err := json.Unmarshal([]byte(`{"1": 1}`), nans); err != nil || nans.Len() != 2 {
			t.Errorf("a NaN, which stays as it is: %v, %v", nans.Len(), err)
		}
	}
	var zero arena.Map[string, int]
	if err := json.Unmarshal([]byte(`{"a": 1}`), &zero); err != nil || zero.Len() != 1 {
		t.Errorf("a zero Map: %v, %v", zero.Len(), err)
	}
}
