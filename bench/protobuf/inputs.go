package protobuf

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/arena-go/arena/bench/protobuf/messages"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A set is messages that a program decodes, in turns.
type set struct {
	name, title, about string
	inputs             func() []input
	decoded, kept      int // How many messages are decoded in a round, and kept.
	quick              bool
	plain              bool // vtprotobuf does not have these messages.
}

// An input is a message to decode.
type input struct {
	kind  *kind
	bytes []byte
}

var sets = []*set{
	{name: "profile-726kB", title: "CPU profile, 726 kB", decoded: 1, kept: 24,
		about:  "The profile that the Go compiler is compiled with: 726 kB in many small messages and packed numbers.",
		inputs: one(profiles, bigProfile)},
	{name: "profile-6kB", title: "CPU profile, 5.6 kB", decoded: 100, kept: 200,
		about:  "Eight samples of the profile that the Go compiler is compiled with, and what they refer to.",
		inputs: one(profiles, func() *messages.Profile { return cutProfile(8) })},
	{name: "profile-3kB", title: "CPU profile, 2.8 kB", decoded: 100, kept: 200,
		about:  "A small profile of the Go compiler's tests.",
		inputs: one(profiles, smallProfile)},
	{name: "profile-281B", title: "CPU profile, 281 bytes", decoded: 1000, kept: 200, quick: true,
		about:  "The least profile that has all there is in one.",
		inputs: one(profiles, tinyProfile)},
	{name: "descriptor", title: "file descriptor, 13.6 kB", decoded: 100, kept: 200,
		about:  "The descriptor of the file that describes descriptors.",
		inputs: one(descriptors, descriptor)},
	{name: "logs", title: "log records, 19.7 kB", decoded: 100, kept: 200, quick: true,
		about:  "95 log records with attributes, in maps too, and values of several types.",
		inputs: one(logs, func() *messages.Logs { return someLogs(rng(1), 95) })},
	{name: "tree", title: "tree, 4.8 kB", decoded: 100, kept: 200,
		about:  "A syntax tree of some hundred nodes, up to a hundred deep.",
		inputs: one(trees, func() *messages.Node { return tree(rng(2)) })},
	{name: "mixed", title: "40 mixed messages", decoded: 40, kept: 200,
		about:  "What a service gets that many others send something to: 40 messages of all these types and many sizes, of which no two of one type that follow each other are alike.",
		inputs: sync.OnceValue(mixed)},
	{name: "opaque", title: "log records, opaque API, 19.7 kB", decoded: 100, kept: 200, plain: true,
		about:  "The log records in the opaque API, where each number and text has presence. vtprotobuf does not have that.",
		inputs: sync.OnceValue(func() []input { return []input{{opaqueLogs, encode(logs, someLogs(rng(1), 95)).bytes}} })},
	{name: "options", title: "descriptors with options", decoded: 20, kept: 100, plain: true,
		about:  "The descriptors of a service with the options of google.api: HTTP rules, signatures, resources, behaviour of fields. Options are extensions, which vtprotobuf does not have.",
		inputs: one(options, annotated)},
	{name: "objects", title: "objects with labels", decoded: 100, kept: 200,
		about:  "100 objects with labels, annotations, quantities, conditions and ports, each in a small map.",
		inputs: one(objects, func() *messages.Objects { return labelled(rng(4), 100) })},
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// one returns what makes a set of one message, once.
func one[M proto.Message](k *kind, m func() M) func() []input {
	return sync.OnceValue(func() []input { return []input{encode(k, m())} })
}

func encode(k *kind, m proto.Message) input {
	return input{k, must(proto.MarshalOptions{Deterministic: true}.Marshal(m))}
}

// mixed returns messages of all kinds, of which no two of one kind that follow each other are
// alike.
func mixed() (all []input) {
	r := rng(3)
	for i := range 40 {
		switch i % 5 {
		case 0:
			all = append(all, encode(profiles, cutProfile(1<<(i/5))))
		case 1, 2:
			all = append(all, encode(logs, someLogs(r, 1+int(120*r.Float64()*r.Float64()))))
		case 3:
			all = append(all, encode(descriptors, part(descriptor(), i)))
		case 4:
			all = append(all, encode(trees, tree(r)))
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// bigProfile is the compiler's profile, with which the compiler is compiled.
func bigProfile() *messages.Profile { return decodeProfile(bigFile()) }

var bigFile = sync.OnceValue(func() []byte { return goFile("default.pgo") })

// smallProfile is one of the compiler's tests.
func smallProfile() *messages.Profile {
	return decodeProfile(goFile("internal/test/testdata/pgo/devirtualize/devirt.pprof"))
}

// goFile returns a file of the compiler's sources, decompressed.
func goFile(name string) []byte {
	root := must(exec.Command("go", "env", "GOROOT").Output())
	file := must(os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/cmd/compile", filepath.FromSlash(name))))
	if z, err := gzip.NewReader(bytes.NewReader(file)); err == nil {
		file = must(io.ReadAll(z))
	}
	return file
}

func decodeProfile(b []byte) *messages.Profile {
	p := new(messages.Profile)
	check(proto.Unmarshal(b, p))
	return p
}

// cutProfile returns the compiler's profile with n samples, from its middle, and what they refer
// to.
func cutProfile(n int) *messages.Profile {
	p := bigProfile()
	from := len(p.Sample) / 2
	p.Sample = p.Sample[from:min(from+n, len(p.Sample))]
	used := map[uint64]bool{}
	for _, s := range p.Sample {
		for _, id := range s.LocationId {
			used[id] = true
		}
	}
	functions := map[uint64]bool{}
	p.Location = keepIf(p.Location, func(l *messages.Location) bool {
		for _, line := range l.Line {
			functions[line.FunctionId] = functions[line.FunctionId] || used[l.Id]
		}
		return used[l.Id]
	})
	p.Function = keepIf(p.Function, func(f *messages.Function) bool { return functions[f.Id] })

	table, indices := []string{""}, map[int64]int64{0: 0}
	text := func(i *int64) {
		j, ok := indices[*i]
		if !ok {
			j = int64(len(table))
			indices[*i] = j
			table = append(table, p.StringTable[*i])
		}
		*i = j
	}
	for _, t := range append(p.SampleType, p.PeriodType) {
		text(&t.Type)
		text(&t.Unit)
	}
	for _, m := range p.Mapping {
		text(&m.Filename)
		text(&m.BuildId)
	}
	for _, s := range p.Sample {
		for _, l := range s.Label {
			text(&l.Key)
			text(&l.Str)
			text(&l.NumUnit)
		}
	}
	for _, f := range p.Function {
		text(&f.Name)
		text(&f.SystemName)
		text(&f.Filename)
	}
	p.Comment = nil
	p.StringTable = table
	return p
}

func keepIf[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// tinyProfile is the least that has all there is in one.
func tinyProfile() *messages.Profile {
	return &messages.Profile{
		SampleType: []*messages.ValueType{{Type: 1, Unit: 2}},
		Sample:     []*messages.Sample{{LocationId: []uint64{1, 2, 3}, Value: []int64{5}}, {LocationId: []uint64{1, 2}, Value: []int64{7}}},
		Location: []*messages.Location{
			{Id: 1, Address: 0x400123, Line: []*messages.Line{{FunctionId: 1, Line: 12}}},
			{Id: 2, Address: 0x400456, Line: []*messages.Line{{FunctionId: 2, Line: 99}}},
			{Id: 3, Line: []*messages.Line{{FunctionId: 1, Line: 3}}},
		},
		Function: []*messages.Function{{Id: 1, Name: 3, SystemName: 3, Filename: 4}, {Id: 2, Name: 5, SystemName: 5, Filename: 6}, {Id: 3, Name: 7, SystemName: 7, Filename: 6}},
		StringTable: []string{
			"", "cpu", "nanoseconds", "runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go", "main.main", "/home/user/src/main.go",
			"main.(*server).handleRequest", "example.com/service/internal/requests.Decode",
		},
	}
}

// descriptor is the descriptor of the file that describes descriptors.
func descriptor() *messages.FileDescriptorProto {
	d := new(messages.FileDescriptorProto)
	check(proto.Unmarshal(must(proto.Marshal(protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto))), d))
	return d
}

// part returns a file with some of the messages of d.
func part(d *messages.FileDescriptorProto, n int) *messages.FileDescriptorProto {
	d.MessageType = d.MessageType[n%7 : n%7+1+n/4]
	return d
}

// someLogs returns n records of services, of two sources.
func someLogs(r *rand.Rand, n int) *messages.Logs {
	l := new(messages.Logs)
	for i := range 2 {
		s := &messages.Source{
			Labels:     map[string]string{"cluster": "production-3", "namespace": "payments", "node": fmt.Sprint("node-", r.IntN(500))},
			Attributes: []*messages.Attribute{textAttribute("service.name", "checkout"), textAttribute("host.name", fmt.Sprint("checkout-", r.IntN(1000)))},
		}
		scope := &messages.Scope{Name: "example.com/checkout/handlers", Version: "1.14.2"}
		for j := i; j < n; j += 2 {
			scope.Records = append(scope.Records, record(r, j))
		}
		s.Scopes = append(s.Scopes, scope)
		l.Sources = append(l.Sources, s)
	}
	return l
}

func record(r *rand.Rand, i int) *messages.Record {
	time := 1_700_000_000_000_000_000 + uint64(i)*1_234_567
	rec := &messages.Record{
		Time: time, Observed: time + 1000, Severity: messages.Severity(1 + r.IntN(4)),
		Body: &messages.Value{Value: &messages.Value_Text{Text: fmt.Sprintf("request %d for /api/v1/orders/%d has been answered", i, r.IntN(100000))}},
		Attributes: []*messages.Attribute{
			textAttribute("http.method", []string{"GET", "POST", "PUT"}[r.IntN(3)]),
			{Key: "http.status", Value: &messages.Value{Value: &messages.Value_Number{Number: int64(200 + r.IntN(300))}}},
			{Key: "cached", Value: &messages.Value{Value: &messages.Value_Flag{Flag: r.IntN(2) == 0}}},
		},
		Trace: randomBytes(r, 16), Span: randomBytes(r, 8),
	}
	if i%3 == 0 {
		rec.Duration = proto.Float64(r.Float64())
		rec.Tags = map[string]string{"team": "orders", "region": "eu-central-1"}
	}
	if i%4 == 0 {
		list := &messages.Values{}
		for range r.IntN(5) {
			list.Values = append(list.Values, &messages.Value{Value: &messages.Value_Real{Real: r.NormFloat64()}})
		}
		rec.Attributes = append(rec.Attributes, &messages.Attribute{Key: "samples", Value: &messages.Value{Value: &messages.Value_List{List: list}}})
	}
	if i%5 == 0 {
		object := &messages.Attributes{Attributes: []*messages.Attribute{textAttribute("user", "anonymous"), textAttribute("session", fmt.Sprint(r.Uint64()))}}
		rec.Attributes = append(rec.Attributes, &messages.Attribute{Key: "context", Value: &messages.Value{Value: &messages.Value_Object{Object: object}}})
	}
	return rec
}

func textAttribute(key, value string) *messages.Attribute {
	return &messages.Attribute{Key: key, Value: &messages.Value{Value: &messages.Value_Text{Text: value}}}
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// tree returns one of some hundred nodes, some of them in a hundred others.
func tree(r *rand.Rand) *messages.Node {
	root := node(r, 0)
	open := []*messages.Node{root}
	for range 200 + r.IntN(400) {
		parent := open[len(open)-1-int(r.ExpFloat64()*3)%len(open)]
		child := node(r, len(open))
		parent.Children = append(parent.Children, child)
		if r.IntN(3) > 0 && len(open) < 100 {
			open = append(open, child)
		} else if len(open) > 90 {
			open = open[:1+r.IntN(len(open))]
		}
	}
	return root
}

func node(r *rand.Rand, depth int) *messages.Node {
	n := &messages.Node{Name: []string{"call", "identifier", "block", "if", "binary expression"}[r.IntN(5)], Line: int32(r.IntN(2000)), Column: int32(r.IntN(100) - 20)}
	if r.IntN(4) == 0 {
		n.Type = &messages.Node{Name: []string{"int", "string", "error"}[r.IntN(3)], Line: int32(depth)}
	}
	return n
}

// must returns v. An error ends the process: its output goes to that which has started it.
func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
