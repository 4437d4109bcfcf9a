package json

import (
	"bytes"
	"math"
	"runtime"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// keptDocuments is how many bytes of documents are decoded, and their values kept, where a document
// is smaller.
const keptDocuments = 8_000_000

// Kept returns the name of the value of json-kept that is about a document, decoded into an any or
// not.
func Kept(document string, anything bool) string {
	if anything {
		return "any " + document
	}
	return document
}

// kept is the workload of what decoded values take.
func kept() suite.Workload {
	w := suite.Workload{
		Name: "json-kept", Title: "JSON: memory of decoded values", Unit: "runs",
		About: `The memory of the heap that a decoded value takes, for each document: what is reachable after a collection, with enough values to make documents of 8 MB together. The program keeps the values, and not the documents, ` +
			`except those whose bytes the values share. arenajson-reset has all of them in one arena, which is kept too. arenajson-free has each in an arena of its own. CPU is the time of finding that out.`,
		Sizes: []int{1}, Rounds: 2, // it takes more than all of a quick run
	}
	for _, d := range documents {
		w.Values = append(w.Values, suite.Value{Name: Kept(d.name, false), Unit: "B"})
		if d.any {
			w.Values = append(w.Values, suite.Value{Name: Kept(d.name, true), Unit: "B"})
		}
	}
	for _, c := range general() {
		i := suite.Implementation{Name: c.name, Missing: c.missing}
		if i.Missing == "" {
			i.Measure = func(int, time.Duration) suite.Result {
				m := suite.NewMeter()
				m.Start()
				m.Values = map[string]float64{}
				for _, d := range documents {
					if d.missing() != "" {
						continue
					}
					m.Values[Kept(d.name, false)] = d.kept(c.open, d.value)
					if d.any {
						m.Values[Kept(d.name, true)] = d.kept(c.open, func() any { return new(any) })
					}
				}
				m.Stop()
				m.Rounds, m.Check = 1, 1
				return m.Result
			}
		}
		w.Implementations = append(w.Implementations, i)
	}
	return w
}

// kept returns the bytes that a value of d takes.
func (d *document) kept(open func() codec, value func() any) float64 {
	data := d.data()
	n := max(keptDocuments/len(data), 1)
	values := make([]any, n)
	all := func() codec {
		c := open()
		for i := range values {
			values[i] = value()
			check(c.decode(bytes.Clone(data), values[i]))
			c.kept()
		}
		return c
	}
	all() // What is made once, for a type, is no part of it.
	clear(values)
	least := math.MaxInt
	for range 2 { // The runtime makes a few kilobytes now and then.
		before := suite.Live()
		c := all()
		least = min(least, suite.Live()-before)
		runtime.KeepAlive(c)
		runtime.KeepAlive(values)
		clear(values)
	}
	return float64(max(least, 0)) / float64(n)
}
