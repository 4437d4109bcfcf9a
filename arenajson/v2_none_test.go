//go:build !go1.27 || !(goexperiment.jsonv2 || go1.29)

package arenajson_test

import (
	"strings"
	"testing"

	"github.com/arena-go/arena/arenajson"
)

// TestNoV2 checks that the option V2 is an error without encoding/json/v2.
func TestNoV2(t *testing.T) {
	v := 1
	err := arenajson.UnmarshalOptions{V2: true}.Unmarshal(nil, []byte("2"), &v)
	if err == nil || v != 1 || !strings.Contains(err.Error(), "Go 1.27") {
		t.Error(v, err)
	}
	if b, err := (arenajson.MarshalOptions{V2: true}).Marshal(nil, 1); err == nil || b != nil {
		t.Error(b, err)
	}
	if b, err := arenajson.Marshal(nil, []int(nil)); err != nil || string(b) != "null" {
		t.Errorf("%s %v", b, err)
	}
	if got := arenajson.FallbacksV2[int](); len(got) != 1 {
		t.Error(got)
	}
}
