package json

import (
	"bytes"
	std "encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"time"
	"unicode/utf8"

	"github.com/arena-go/arena/bench/internal/suite"
)

// Checks are what json-checks finds out of a decoder, in the order of columns.
var Checks = []suite.Value{
	{Name: "UTF-8", Unit: "%", More: true},
	{Name: "control characters", Unit: "%", More: true},
	{Name: "skipped values", Unit: "%", More: true},
	{Name: "untouched", Unit: "%", More: true},
	{Name: "pinned", Unit: "B"},
}

func checks() suite.Workload {
	w := suite.Workload{
		Name: "json-checks", Title: "JSON: what decoders check", Unit: "runs",
		About: `Each decoder is given wrong documents. "UTF-8": so many of those with invalid UTF-8 in a string are refused, or decoded into valid text. ` +
			`"control characters": so many of those with one in a string are refused. "skipped values": so many are refused that have a mistake in a value for which the struct has no field. ` +
			`"untouched": so many of those with a mistake in their syntax leave the struct as it was. "pinned" is what a string of 14 bytes out of a document of 1 MB keeps alive when nothing else is kept, ` +
			`the document neither. CPU is the time of finding that out.`,
		Sizes: []int{1}, Quick: []int{1}, Rounds: 2, Values: Checks,
	}
	for _, c := range general() {
		i := suite.Implementation{Name: c.name, Missing: c.missing}
		if i.Missing == "" {
			i.Measure = func(int, time.Duration) suite.Result {
				m := suite.NewMeter()
				m.Start()
				m.Values = find(c.open)
				m.Stop()
				m.Rounds, m.Check = 1, 1 // What is found differs, so there is nothing to compare.
				return m.Result
			}
		}
		w.Implementations = append(w.Implementations, i)
	}
	return w
}

// A checked is what the wrong documents are for.
type checked struct {
	A string `json:"a"`
	B int    `json:"b"`
	C []int  `json:"c"`
}

var (
	invalidUTF8 = []string{"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "long enough for a word of the processor \xe2\x82", "\x80 at the begin"}
	controls    = []string{"\x00", "\x01", "\n", "\t", "\x1f", "long enough for a word of the processor \n and more", "\\n\r"}
	mistakes    = []string{`01`, `-`, `1.`, `1e`, `nul`, `trux`, `[1,]`, `[1 2]`, `{"x" 1}`, `{"x":1,}`, `{1:2}`, `"\x"`, `"\u12"`, "\"\n\"", "[\"\x01\"]", `[1}`}
	syntax      = []string{
		`{"a":"new","b":2,"c":[8,9`, `{"a":"new","b":2,}`, `{"a":"new" "b":2}`, `{"a":"new","b":2}x`, `{"a":"new","b":tru}`,
		`{"a":"new","c":[8,9,]}`, `{"c":[8],"b":01}`, `{"b":2,"a":"new}`,
	}
)

// find returns the Checks of a codec.
func find(open func() codec) map[string]float64 {
	c := open()
	refused := func(document string) bool {
		defer c.done()
		return c.decode([]byte(document), new(checked)) != nil
	}
	return map[string]float64{
		"UTF-8": share(invalidUTF8, func(text string) bool {
			defer c.done()
			v := new(checked)
			return c.decode([]byte(`{"a":"`+text+`"}`), v) != nil || utf8.ValidString(v.A)
		}),
		"control characters": share(controls, func(text string) bool { return refused(`{"a":"` + text + `"}`) }),
		"skipped values":     share(mistakes, func(value string) bool { return refused(`{"a":"","unknown":` + value + `,"b":1}`) }),
		"untouched": share(syntax, func(document string) bool {
			defer c.done()
			v := checked{"old", 1, []int{7, 7}}
			err := c.decode([]byte(document), &v)
			return err != nil && reflect.DeepEqual(v, checked{"old", 1, []int{7, 7}})
		}),
		"pinned": float64(pinned(open)),
	}
}

// share returns for how many of all it is so, in percent.
func share(all []string, is func(string) bool) float64 {
	n := 0
	for _, s := range all {
		if is(s) {
			n++
		}
	}
	return 100 * float64(n) / float64(len(all))
}

// pinned returns how many bytes a short string of a long document keeps alive. The program keeps
// neither the document, nor the value, nor what has decoded it.
func pinned(open func() codec) int {
	list := make([]string, 60_000) // all differ, since some decoders have equal strings share their memory
	for i := range list {
		list[i] = fmt.Sprintf("string %07d", i)
	}
	text := must(std.Marshal(list))
	one := func() string {
		var all []string
		check(open().decode(bytes.Clone(text), &all))
		return all[len(all)/2]
	}
	one() // What is made once, for a type, is no part of it.
	least := math.MaxInt
	for range 3 { // The runtime makes a few kilobytes now and then.
		before := suite.Live()
		kept := one()
		least = min(least, suite.Live()-before)
		runtime.KeepAlive(kept)
	}
	runtime.KeepAlive(text)
	return max(least, 0)
}
