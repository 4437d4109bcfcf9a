package arenajson_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type (
	ownJSON struct{ X int }
	ownText struct{ X int }
	oddTree struct {
		Name  string
		Kids  []*oddTree
		Price *ownJSON
	}
	fallen struct {
		When   time.Time
		Labels map[string]ownText `json:"labels"`
		Extra  []any
		Trees  [2]oddTree
		Again  oddTree
		Err    error
		Chan   chan int `json:",omitempty"`
		Skip   chan int `json:"-"`
	}
	both struct {
		M arena.Map[string, int]
		P ownJSON
	}
)

func (*ownJSON) UnmarshalJSON([]byte) error { return nil }
func (*ownText) UnmarshalText([]byte) error { return nil }

// TestFallbacks checks what is named, and what it means.
func TestFallbacks(t *testing.T) {
	check := func(got []string, want ...string) {
		t.Helper()
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], ", since")
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check(arenajson.Fallbacks[struct {
		A string
		B []*float64
		T time.Time
		R *struct{ C [3]bool }
	}]())
	check(arenajson.Fallbacks[fallen](),
		"fallen.labels: map[string]arenajson_test.ownText: the map lies on the heap",
		"fallen.labels[]: arenajson_test.ownText: UnmarshalText decodes it",
		"fallen.Extra[]: interface {}: the maps of objects in it lie on the heap",
		"fallen.Trees[].Price: arenajson_test.ownJSON: UnmarshalJSON decodes it",
		"fallen.Err: error: encoding/json decodes each document in which it is not null",
		"fallen.Chan: chan int: encoding/json decodes each document",
	)
	check(arenajson.Fallbacks[both](),
		"both: arenajson_test.both: encoding/json decodes each document",
		"both.P: arenajson_test.ownJSON: UnmarshalJSON decodes it")
	check(arenajson.Fallbacks[map[string]int](), "map[string]int: map[string]int: the map lies on the heap")

	// What is not named lies in the arena.
	type order struct {
		Names []string
		At    *time.Time
		Next  *struct{ Text string }
	}
	if got := arenajson.Fallbacks[order](); len(got) > 0 {
		t.Error(got)
	}
	a := arena.NewArena()
	in := []byte(`{"Names": ["one", "two and more"], "At": "2026-01-02T03:04:05Z", "Next": {"Text": "text"}}`)
	objects := testing.AllocsPerRun(100, func() {
		var o order
		if err := arenajson.Unmarshal(a, in, &o); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	})
	if objects > 1 && !watched { // o
		t.Errorf("%v objects on the heap", objects)
	}
	var f struct{ Err error }
	if err := arenajson.Unmarshal(a, []byte(`{"Err": {}}`), &f); err == nil {
		t.Error(fmt.Sprint(f))
	}
}
