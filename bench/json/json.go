// Package json measures decoders and encoders of JSON: encoding/json, go-json, sonic as it behaves
// like encoding/json, go-json-experiment, segmentio/encoding, easyjson for one type, jx and
// simdjson-go for any; and arenajson with an arena that is Reset after each document, with a new
// one for each, and without any.
//
// A process has one processor and 48 MB of live pointers, and does nothing but decode, or encode,
// one document again and again. What each of them validates, and what its strings keep alive, is
// found out by the workload json-checks, and what values take by json-kept.
package json

import (
	std "encoding/json"
	"hash/crc64"
	"runtime"

	"github.com/arena-go/arena/bench/internal/suite"
)

const (
	aboutDecoding = " A process with one processor and 48 MB of live pointers decodes it so many times in a round, each time into a new value with which it is done at once; " +
		"what it decodes is compared with what encoding/json makes. json-checks says what each decoder validates. " +
		`"bound" is what none can do without: a scan that finds mistakes and stores nothing, and Go's maps of these sizes, filled with what is there already. Maps with text as keys are emptied first, and others are new.`
	aboutEncoding = " A process with one processor and 48 MB of live pointers encodes so many times in a round what encoding/json has decoded from it; " +
		"what it encodes is decoded by encoding/json, and compared. " +
		`"by-hand" does the least for this type: package strconv writes numbers, package slices sorts keys, text is copied without a look, and the result too is in memory that is used again.`
)

// Workloads returns the decoding of documents into their types and into an any, the encoding, and
// what decoders check.
func Workloads() (all []suite.Workload) {
	for _, encode := range []bool{false, true} {
		for _, anything := range []bool{false, true} {
			for _, d := range documents {
				if d.any || !anything {
					all = append(all, d.workload(encode, anything))
				}
			}
		}
	}
	return append(all, checks(), kept())
}

// workload returns one about a document.
func (d *document) workload(encode, anything bool) suite.Workload {
	name, title, about, value := "json-", "JSON: ", aboutDecoding, d.value
	if encode {
		name, title, about = "json-encode-", "JSON, encoded: ", aboutEncoding
	}
	if anything {
		name, title, value = name+"any-", title+"any, ", func() any { return new(any) }
	}
	w := suite.Workload{
		Name: name + d.name, Title: title + d.name, About: d.about + about, Unit: "documents", Sizes: []int{d.n},
		Longer: 2, Environment: []string{"GOMAXPROCS=1"},
	}
	if d.quick && !anything {
		w.Quick = w.Sizes
	}
	for _, c := range codecs {
		if encode && c.decodesOnly || c.only != nil && !c.only(value()) {
			continue
		}
		i := suite.Implementation{Name: c.name, Missing: c.missing}
		if i.Missing == "" {
			i.Missing = d.missing()
		}
		if i.Missing == "" {
			i.Open = func(n int) func() uint64 { return d.decoding(c.open(), value, n) }
			if encode {
				i.Open = func(n int) func() uint64 { return d.encoding(c.open(), value, n) }
			}
		}
		w.Implementations = append(w.Implementations, i)
	}
	last, open := boundName, d.bound
	if encode {
		last, open = byHandName, d.byHand
	}
	if !encode || d.hasByHand(anything) {
		i := suite.Implementation{Name: last, Missing: d.missing()}
		if i.Missing == "" {
			i.Open = func(n int) func() uint64 { return open(value, n) }
		}
		w.Implementations = append(w.Implementations, i)
	}
	return w
}

func (d *document) decoding(c codec, value func() any, n int) func() uint64 {
	data := d.data()
	sum := decodedSum(c, data, value)
	live := ballast()
	return func() uint64 {
		for range n {
			check(c.decode(data, value()))
			c.done()
		}
		runtime.KeepAlive(live)
		return sum
	}
}

// decodedSum returns a number for what a codec decodes, and decodes it twice: the second time in
// memory that the first one has used.
func decodedSum(c codec, data []byte, value func() any) (sum uint64) {
	for range 2 {
		v := value()
		check(c.decode(data, v))
		sum = digest(sum, must(std.Marshal(v)))
		c.done()
	}
	return sum
}

func (d *document) encoding(c codec, value func() any, n int) func() uint64 {
	v := value()
	check(std.Unmarshal(d.data(), v))
	sum := encodedSum(c, v, value)
	live := ballast()
	return func() uint64 {
		for range n {
			must(c.encode(v))
			c.done()
		}
		runtime.KeepAlive(live)
		return sum
	}
}

// encodedSum returns a number for the value that a codec encodes, and encodes it twice. How numbers
// are written, and which characters have escapes, makes no difference.
func encodedSum(c codec, v any, value func() any) (sum uint64) {
	for range 2 {
		again := value()
		check(std.Unmarshal(must(c.encode(v)), again))
		sum = digest(sum, must(std.Marshal(again)))
		c.done()
	}
	return sum
}

var polynomial = crc64.MakeTable(crc64.ECMA)

func digest(before uint64, data []byte) uint64 { return crc64.Update(before, polynomial, data) }

// ballast returns 48 MB that the collector has to walk.
func ballast() []*[6]*int {
	live := make([]*[6]*int, 850_000)
	for i := range live {
		live[i] = new([6]*int)
	}
	return live
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
