package arenapb_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// profile returns a file of the compiler's sources, decompressed.
func profile(b *testing.B, file string) []byte {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/cmd/compile", file))
	if err != nil {
		b.Skip(err)
	}
	if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		data, err = io.ReadAll(z)
		if err != nil {
			b.Fatal(err)
		}
	}
	return data
}

var ballast [][]byte

func BenchmarkUnmarshal(b *testing.B) {
	runtime.GOMAXPROCS(1)
	if ballast == nil {
		for range 48 {
			ballast = append(ballast, make([]byte, 1<<20))
		}
	}
	desc, _ := proto.Marshal(protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto))
	big := profile(b, "default.pgo")
	small := profile(b, "internal/test/testdata/pgo/devirtualize/devirt.pprof")
	least := &profilepb.Profile{
		SampleType: []*profilepb.ValueType{{Type: 1, Unit: 2}}, Sample: []*profilepb.Sample{{LocationId: []uint64{1, 2, 3}, Value: []int64{5}}, {LocationId: []uint64{1, 2}, Value: []int64{7}}},
		Location:    []*profilepb.Location{{Id: 1, Address: 0x400123, Line: []*profilepb.Line{{FunctionId: 1, Line: 12}}}, {Id: 2, Address: 0x400456, Line: []*profilepb.Line{{FunctionId: 2, Line: 99}}}, {Id: 3, Line: []*profilepb.Line{{FunctionId: 1, Line: 3}}}},
		Function:    []*profilepb.Function{{Id: 1, Name: 3, SystemName: 3, Filename: 4}, {Id: 2, Name: 5, Filename: 6}},
		StringTable: []string{"", "cpu", "nanoseconds", "runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go", "main.main", "/home/user/src/main.go"},
	}
	tiny, _ := proto.Marshal(least)
	least.Function[1].SystemName = 5
	least.Function = append(least.Function, &profilepb.Function{Id: 3, Name: 7, SystemName: 7, Filename: 6})
	least.StringTable = append(least.StringTable, "main.(*server).handleRequest", "example.com/service/internal/requests.Decode")
	little, _ := proto.Marshal(least)
	for _, in := range []struct {
		name string
		b    []byte
		m    func(a *arena.Arena) proto.Message
	}{
		{"profile500k", big, func(a *arena.Arena) proto.Message { return arenapb.New[profilepb.Profile](a) }},
		{"descriptor10k", desc, func(a *arena.Arena) proto.Message { return arenapb.New[descriptorpb.FileDescriptorProto](a) }},
		{"profile6k", small, func(a *arena.Arena) proto.Message { return arenapb.New[profilepb.Profile](a) }},
		{"profile281", little, func(a *arena.Arena) proto.Message { return arenapb.New[profilepb.Profile](a) }},
		{"profile193", tiny, func(a *arena.Arena) proto.Message { return arenapb.New[profilepb.Profile](a) }},
	} {
		b.Logf("%s: %d bytes", in.name, len(in.b))
		b.Run("in="+in.name+"/how=proto", func(b *testing.B) {
			b.SetBytes(int64(len(in.b)))
			b.ReportAllocs()
			for b.Loop() {
				if err := proto.Unmarshal(in.b, in.m(nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
		// The bound of any decoder that checks as much: it stores nothing.
		b.Run("in="+in.name+"/how=scan", func(b *testing.B) {
			b.SetBytes(int64(len(in.b)))
			m := in.m(nil)
			for b.Loop() {
				if !arenapb.Scan(m, in.b) {
					b.Fatal("an error")
				}
			}
		})
		b.Run("in="+in.name+"/how=reset", func(b *testing.B) {
			b.SetBytes(int64(len(in.b)))
			b.ReportAllocs()
			a := arena.NewArena()
			for b.Loop() {
				if err := arenapb.Unmarshal(a, in.b, in.m(a)); err != nil {
					b.Fatal(err)
				}
				a.Reset()
			}
		})
		b.Run("in="+in.name+"/how=free", func(b *testing.B) {
			b.SetBytes(int64(len(in.b)))
			b.ReportAllocs()
			for b.Loop() {
				a := arena.NewArena()
				if err := arenapb.Unmarshal(a, in.b, in.m(a)); err != nil {
					b.Fatal(err)
				}
				a.Free()
			}
		})
		b.Run("in="+in.name+"/how=pool", func(b *testing.B) {
			b.SetBytes(int64(len(in.b)))
			b.ReportAllocs()
			var pool arena.Pool
			for b.Loop() {
				a := pool.Get()
				if err := arenapb.Unmarshal(a, in.b, in.m(a)); err != nil {
					b.Fatal(err)
				}
				pool.Put(a)
			}
		})
		b.Run("in="+in.name+"/how=group", func(b *testing.B) {
			b.SetBytes(int64(len(in.b)))
			b.ReportAllocs()
			g := arena.NewGroup()
			for b.Loop() {
				a := g.Arena()
				if err := arenapb.Unmarshal(a, in.b, in.m(a)); err != nil {
					b.Fatal(err)
				}
				g.Reset()
			}
		})
	}
}

// BenchmarkMarshalJSON encodes messages as a service does: into room that there is, into an arena
// that is Reset, and onto the heap.
func BenchmarkMarshalJSON(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	filled := func(m proto.Message) proto.Message {
		w := &difftest.Wire{R: r, Budget: 100}
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(w.Filled(nil, m.ProtoReflect().Descriptor(), map[protoreflect.FullName]bool{"google.protobuf.Any": true}), m); err != nil {
			b.Fatal(err)
		}
		m.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
			if fd.Message() != nil && fd.Message().ParentFile().Package() == "google.protobuf" { // random values of which are errors
				m.ProtoReflect().Clear(fd)
			}
			return true
		})
		return m
	}
	p := new(profilepb.Profile)
	if err := proto.Unmarshal(profile(b, "internal/test/testdata/pgo/devirtualize/devirt.pprof"), p); err != nil {
		b.Fatal(err)
	}
	orders := new(structpb.ListValue)
	times := new(testpb.Known3)
	for i := range 20 {
		s, err := structpb.NewStruct(map[string]any{"id": i, "name": fmt.Sprintf("order number %d", i), "paid": i%2 == 0, "price": float64(i) * 1.25, "tags": []any{"new", "late"}})
		if err != nil {
			b.Fatal(err)
		}
		orders.Values = append(orders.Values, structpb.NewStructValue(s))
		times.Times = append(times.Times, timestamppb.New(time.Unix(int64(i)*86400*37, int64(i)*1e6)))
		times.Strings = append(times.Strings, wrapperspb.String(fmt.Sprint("a text that is the value of number ", i)))
	}
	for _, in := range []struct {
		name string
		m    proto.Message
	}{
		{"profile", p}, {"descriptor", protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto)}, {"fields", filled(&testpb.All3{})},
		{"maps", filled(&testpb.Maps3{})}, {"struct", orders}, {"times", times}, {"small", &profilepb.Function{Id: 7, Name: 12, StartLine: 345}},
	} {
		text, err := arenapb.MarshalJSON(nil, in.m)
		if err != nil {
			b.Fatal(err)
		}
		a := arena.NewArena()
		room := make([]byte, 0, 2*len(text))
		for _, how := range []struct {
			name string
			do   func() error
		}{
			{"protojson", func() error { _, err := protojson.Marshal(in.m); return err }},
			{"protojson-room", func() error { _, err := protojson.MarshalOptions{}.MarshalAppend(room, in.m); return err }},
			{"heap", func() error { _, err := arenapb.MarshalJSON(nil, in.m); return err }},
			{"room", func() error { _, err := arenapb.MarshalJSONOptions{}.MarshalAppend(nil, room, in.m); return err }},
			{"reset", func() error { _, err := arenapb.MarshalJSON(a, in.m); a.Reset(); return err }},
		} {
			b.Run("in="+in.name+"/how="+how.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if err := how.do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		a.Free()
	}
}
