package arenajson_test

import (
	"encoding/json"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/child"
)

// mostLive returns how many bytes more the collector found alive at once while f was called than before. The collector runs as often as it can: how many it finds
// depends on when it runs, but never exceeds what was alive.
func mostLive(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	live := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	for range 3 {
		runtime.GC()
	}
	before := live()
	var most atomic.Uint64
	done := make(chan bool)
	sampled := make(chan bool)
	go func() {
		defer close(sampled)
		for {
			select {
			case <-done:
				return
			default:
				most.Store(max(most.Load(), live()))
				runtime.Gosched()
			}
		}
	}()
	f()
	close(done)
	<-sampled
	return most.Load() - min(before, most.Load())
}

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

// TestRepeatedMemory decodes documents that have a name again and again, in maps in maps, with values of many kinds. What is alive at once is at most a few times the document, and
// in an arena what encoding/json allocates in all.
func TestRepeatedMemory(t *testing.T) {
	if watched {
		return // all takes more then
	}
	// What a concurrent collection finds alive includes all that is allocated beside it.
	const exact = "gcstoptheworld=1"
	if os.Getenv("GODEBUG") != exact {
		out, err := child.Command(t.Context(), []string{"-test.run=^TestRepeatedMemory$", "-test.v", "-test.short=" + strconv.FormatBool(testing.Short())}, "GODEBUG="+exact).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestRepeatedMemory") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	levels := []int{10, 20, 40}
	if testing.Short() {
		levels = levels[2:]
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
		for _, n := range levels {
			doc := []byte(strings.Repeat(c.open+strings.Repeat(`"7":`+c.value+",", 254)+`"8":`, n) + "{}" + strings.Repeat(c.close, n))
			want := c.v()
			var wantErr error
			std := mostLive(func() { wantErr = json.Unmarshal(doc, want) })
			total := allocated(func() { json.Unmarshal(doc, c.v()) })
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				got := c.v()
				var err error
				bytes := mostLive(func() { err = arenajson.Unmarshal(a, doc, got) })
				if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, want %v", c.name, err, wantErr)
				}
				limit := 16*uint64(len(doc)) + 512<<10
				if a != nil {
					limit += 2 * total // an arena keeps values that are overwritten
				}
				if t.Logf("%s, %d levels, in an arena: %v: %d kB for a document of %d kB, encoding/json %d kB", c.name, n, a != nil, bytes>>10, len(doc)>>10, std>>10); bytes > limit {
					t.Errorf("%s, %d levels, in an arena: %v: %d kB for a document of %d kB, encoding/json %d kB", c.name, n, a != nil, bytes>>10, len(doc)>>10, std>>10)
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
