// Package protobuf measures decoders of protobuf messages: proto.Unmarshal; vtprotobuf, without its
// pools and with them; hyperpb, whose messages are read through reflection only; and arenapb, which
// resets the arena after each message, or makes a new one for each.
//
// A process has one processor and 48 MB of live memory, and does nothing but decode, each message
// again and again. That is what pools are best at: the mixed messages are different ones. Other
// workloads say how much memory messages take that are kept, when all else is gone. vtprotobuf's
// pools are not in these, since they are for messages that are not kept. Others decode messages in
// JSON: protojson.Unmarshal, and arenapb with an arena that is Reset, a new one for each message,
// and none.
package protobuf

import (
	"hash/crc64"
	"runtime"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
	"google.golang.org/protobuf/proto"
)

const (
	aboutDecoding = ` A process with one processor and 48 MB of live memory decodes so many messages in a round, is done with each at once, and does nothing else; ` +
		`what it decodes is compared with what proto.Unmarshal makes. The same messages come again and again, which is what pools are best at. ` +
		`hyperpb's messages are read through reflection only: "hyperpb-read" reads all of each. vtprotobuf does not check UTF-8.`
	aboutKeeping = ` So many messages are decoded and kept: "kept" is what is on the heap for each of them then, when all else is gone. ` +
		`arenapb makes an arena for each of them, or one for all, and frees none. What is kept is compared with what proto.Unmarshal makes.`
)

// Workloads returns the decoding of messages, then the keeping, and then the decoding of JSON.
func Workloads() (all []suite.Workload) {
	for _, s := range sets {
		w := s.workload("protobuf-", "Protobuf: ", aboutDecoding, s.decoded)
		for _, d := range decoders {
			if d.vt && s.plain {
				continue
			}
			w.Implementations = append(w.Implementations, suite.Implementation{Name: d.name, Environment: d.environment, Missing: missing(d.open == nil), Open: s.open(d)})
		}
		all = append(all, w)
	}
	for _, s := range sets {
		w := s.workload("protobuf-kept-", "Protobuf, kept: ", aboutKeeping, s.kept)
		w.Values, w.Rounds, w.Quick = []suite.Value{{Name: "kept", Unit: "B"}}, 2, nil
		for _, k := range keepers {
			if k.vt && s.plain {
				continue
			}
			w.Implementations = append(w.Implementations, suite.Implementation{Name: k.name, Missing: missing(k.open == nil), Measure: s.measure(k)})
		}
		all = append(all, w)
	}
	return append(all, jsonWorkloads()...)
}

func (s *set) workload(name, title, about string, n int) suite.Workload {
	w := suite.Workload{
		Name: name + s.name, Title: title + s.title, About: s.about + about,
		Unit: "messages", Sizes: []int{n}, Longer: 3, Environment: []string{"GOMAXPROCS=1"},
	}
	if s.quick {
		w.Quick = w.Sizes
	}
	return w
}

// missing is what the program was built without where it has no hyperpb.
func missing(yes bool) string {
	if yes {
		return "hyperpb, which is for amd64 and arm64"
	}
	return ""
}

// open returns the Open of a decoder, or nil if there is none.
func (s *set) open(d decoder) func(n int) func() uint64 {
	if d.open == nil {
		return nil
	}
	return func(n int) func() uint64 {
		inputs, decode := s.inputs(), d.open()
		var sum uint64
		for range 2 { // The second time in memory that others have used.
			for _, in := range inputs {
				decode(in, func(m proto.Message) { sum = digest(sum, in.kind, m) })
			}
		}
		ballast := make([]byte, 48<<20)
		return func() uint64 {
			for i := range n {
				decode(inputs[i%len(inputs)], nil)
			}
			runtime.KeepAlive(ballast)
			return sum
		}
	}
}

// measure returns the Measure of a keeper, or nil if there is none.
func (s *set) measure(k keeper) func(n int, _ time.Duration) suite.Result {
	if k.open == nil {
		return nil
	}
	return func(n int, _ time.Duration) suite.Result {
		inputs, kept := s.inputs(), make([]proto.Message, n)
		fill := func(decode func(input) proto.Message) {
			for i := range kept {
				kept[i] = decode(inputs[i%len(inputs)])
			}
		}
		fill(k.open()) // What is made once, for a type or a meter, is no part of what is kept.
		suite.CollectorCPU()
		clear(kept)
		m := suite.NewMeter()
		m.Rounds = 1
		before := suite.Live()
		m.Start()
		fill(k.open())
		m.Stop()
		m.Values = map[string]float64{"kept": float64(suite.Live()-before) / float64(n)}
		for i, message := range kept {
			m.Check = digest(m.Check, inputs[i%len(inputs)].kind, message)
		}
		return m.Result
	}
}

var polynomial = crc64.MakeTable(crc64.ECMA)

// digest returns a number for m, whatever its Go type, and for what was before.
func digest(before uint64, k *kind, m proto.Message) uint64 { return digestOf(before, k.new(), m) }

// digestOf is digest with same, an empty message of m's type.
func digestOf(before uint64, same, m proto.Message) uint64 {
	check(proto.Unmarshal(must(proto.Marshal(m)), same))
	b := must(proto.MarshalOptions{Deterministic: true}.Marshal(same))
	return crc64.Update(before, polynomial, b)
}
