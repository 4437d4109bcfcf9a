package arenajson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type (
	waitLarge struct {
		P *[200]int64
		M map[string]waitLarge
		L []map[string]any
		Q *waitLarge
		A [60]int64 `json:"-"`
	}
	waitMethod  struct{ B []byte }
	waitMethods struct {
		M map[string]*waitMethods
		V waitMethod
	}
	waitText struct {
		M map[textName]waitText
		A [60]int64 `json:"-"`
	}
	waitNumbers struct {
		M map[int]waitNumbers
		P *[100]int64
	}
	waitLists struct {
		M map[string]waitLists
		L [][]int64
	}
)

func (w *waitMethod) UnmarshalJSON([]byte) error {
	w.B = make([]byte, 1<<12)
	return nil
}

// TestRepeatedMemory decodes documents that have a name again and again, in maps in maps, with
// values of many kinds, up to the innermost one. What waits then is at most a few times the
// document, and in an arena what encoding/json allocates in all.
func TestRepeatedMemory(t *testing.T) {
	if watched {
		return // all takes more then
	}
	for _, c := range []struct {
		name, open, value, close string
		v                        func() any
	}{
		{"any, numbers", `{`, "0", "}", func() any { return new(any) }},
		{"any, maps", `{`, `{"":0}`, "}", func() any { return new(any) }},
		{"any, lists", `{`, `[[],[]]`, "}", func() any { return new(any) }},
		{"any, both", `[{`, `[{"":{}},""]`, "}]", func() any { return new(any) }},
		{"map of any", `{`, `{"":0}`, "}", func() any { return new(map[string]any) }},
		{"structs", `{"M":{`, `{}`, "}}", func() any { return new(waitLarge) }},
		{"pointers", `{"M":{`, `{"P":[]}`, "}}", func() any { return new(waitLarge) }},
		{"lists of maps", `{"M":{`, `{"L":[{"":{}}]}`, "}}", func() any { return new(waitLarge) }},
		{"fields again", `{"Q":{"Q":null},"M":{`, `{"Q":{},"Q":null,"P":[],"P":null,"L":[{}],"L":null}`, "}}", func() any { return new(waitLarge) }},
		{"kinds in turn", `{`, `{"":0},"":[{}],"":null,"":"x"`, "}", func() any { return new(any) }},
		{"text keys", `{"M":{`, `{}`, "}}", func() any { return new(waitText) }},
		{"methods", `{"M":{`, `{"V":1}`, "}}", func() any { return new(waitMethods) }},
		{"lists", `{"M":{`, `{"L":[[1],[2]]}`, "}}", func() any { return new(waitLists) }},
		{"integers", `{"M":{`, `{"P":[1]}`, "}}", func() any { return new(waitNumbers) }},
	} {
		for _, n := range []int{10, 20, 40} {
			open := strings.Repeat(c.open+strings.Repeat(`"7":`+c.value+",", 254)+`"8":`, n)
			doc := []byte(open + "{}" + strings.Repeat(c.close, n))
			want := c.v()
			var wantErr error
			total := allocated(func() { wantErr = json.Unmarshal(doc, want) })
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				got := c.v()
				if err := arenajson.Unmarshal(a, doc, got); err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, want %v", c.name, err, wantErr)
				}
				if a != nil {
					a = arena.NewArena()
				}
				bytes, limit := arenajson.Waiting(a, c.v(), []byte(open)), 12*len(doc)+256<<10
				if a != nil {
					limit += 2 * int(total) // an arena keeps values that are overwritten
				}
				if t.Logf("%s, %d levels, in an arena: %v: %d kB for a document of %d kB", c.name, n, a != nil, bytes>>10, len(doc)>>10); bytes > limit {
					t.Errorf("%s, %d levels, in an arena: %v: %d kB for a document of %d kB", c.name, n, a != nil, bytes>>10, len(doc)>>10)
				}
			}
		}
	}
}

// A textName is a key with a method.
type textName string

func (n *textName) UnmarshalText(b []byte) error {
	*n = textName(b)
	return nil
}
