package mimir

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/gogotest"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/grafana/mimir/pkg/mimirpb"
)

// The fields of Mimir's messages with their tags, where Mimir's struct has no tags, or its
// Unmarshal refuses what they say.
type (
	label struct {
		Name  string `protobuf:"bytes,1,opt,name=name,proto3"`
		Value string `protobuf:"bytes,2,opt,name=value,proto3"`
	}
	writeRequest struct {
		Timeseries               []mimirpb.PreallocTimeseries    `protobuf:"bytes,1,rep,name=timeseries,proto3,customtype=PreallocTimeseries"`
		Source                   mimirpb.WriteRequest_SourceEnum `protobuf:"varint,2,opt,name=Source,proto3,enum=cortexpb.WriteRequest_SourceEnum"`
		Metadata                 []*mimirpb.MetricMetadata       `protobuf:"bytes,3,rep,name=metadata,proto3"`
		SkipLabelValidation      bool                            `protobuf:"varint,1000,opt,name=skip_label_validation,proto3"`
		SkipLabelCountValidation bool                            `protobuf:"varint,1001,opt,name=skip_label_count_validation,proto3"`
	}
)

// trust tells package gogo of Mimir's types.
func trust(t testing.TB) {
	t.Helper()
	for _, err := range []error{
		gogo.TrustAs[mimirpb.LabelAdapter, label](),
		gogo.TrustAs[mimirpb.PreallocTimeseries, mimirpb.TimeSeries](),
		gogo.TrustAs[mimirpb.WriteRequest, writeRequest](),
		gogo.TrustAs[mimirpb.PreallocWriteRequest, writeRequest](),
		gogo.TrustAs[mimirpb.PreallocatingMetric, mimirpb.Metric](),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	gogo.Trust[mimirpb.TimeSeries]()
}

// messages has all types of package mimirpb that have an Unmarshal.
var messages = []gogo.Message{
	new(mimirpb.BucketSpan), new(mimirpb.ErrorDetails), new(mimirpb.Exemplar), new(mimirpb.ExemplarRW2), new(mimirpb.FloatHistogram), new(mimirpb.FloatHistogramPair),
	new(mimirpb.Histogram), new(mimirpb.HistogramBucket), new(mimirpb.LabelAdapter), new(mimirpb.LabelPair), new(mimirpb.MatrixData), new(mimirpb.MatrixSeries),
	new(mimirpb.MetadataRW2), new(mimirpb.Metric), new(mimirpb.MetricMetadata), new(mimirpb.PreallocWriteRequest), new(mimirpb.PreallocatingMetric), new(mimirpb.QueryResponse),
	new(mimirpb.Sample), new(mimirpb.SampleHistogram), new(mimirpb.SampleHistogramPair), new(mimirpb.ScalarData), new(mimirpb.StringData), new(mimirpb.TimeSeries),
	new(mimirpb.TimeSeriesRW2), new(mimirpb.VectorData), new(mimirpb.VectorHistogram), new(mimirpb.VectorSample), new(mimirpb.WriteRequest), new(mimirpb.WriteRequestRW2),
	new(mimirpb.WriteResponse),
}

// theirs names the types that are left to their own Unmarshal, of which some refuse everything.
var theirs = []string{"mimirpb.ExemplarRW2", "mimirpb.FloatHistogram", "mimirpb.MetadataRW2", "mimirpb.TimeSeriesRW2"}

// TestTrusted compares what package gogo makes of random input, valid and not, with what Mimir's
// own Unmarshal makes of it, which takes what it can from its pools.
func TestTrusted(t *testing.T) {
	trust(t)
	arenapb.OnPanic(func(p *arenapb.Panic) { t.Error(p) })
	defer arenapb.OnPanic(nil)
	seed := testrun.Seed(t)
	f := &gogotest.Filler{R: rand.New(rand.NewPCG(seed, 0))}
	a := arena.NewArena()
	defer a.Free()
	accepted, all := 0, 0
	for _, m := range messages {
		for _, s := range gogo.Fallbacks(m) {
			if !slices.ContainsFunc(theirs, func(t string) bool { return strings.HasPrefix(s, t+": ") }) {
				t.Errorf("%T: %s", m, s)
			}
		}
		var kept []gogotest.Pair
		for range 300 {
			b := f.Input(m)
			for _, b := range [][]byte{b, f.Reorder(b, 0), append(slices.Clone(b), f.Input(m)...), f.Damage(b), f.Damage(f.Reorder(b, 0))} {
				p, ok, difference := compare(a, b, m, gogo.UnmarshalOptions{AliasInput: f.R.IntN(2) == 0})
				if difference != "" {
					t.Fatal(difference)
				}
				all++
				if ok {
					accepted++
					kept = append(kept, p)
				}
			}
			if f.R.IntN(30) > 0 {
				continue
			}
			if f.R.IntN(4) == 0 {
				runtime.GC()
			}
			for _, p := range kept {
				if difference := p.Check(nil); difference != "" {
					t.Fatalf("not what it was: %s", difference)
				}
				switch m := p.Want.(type) {
				case *mimirpb.WriteRequest:
					mimirpb.ReuseSlice(m.Timeseries)
				case *mimirpb.PreallocWriteRequest:
					mimirpb.ReuseSlice(m.Timeseries)
				}
			}
			kept = nil
			a.Reset()
		}
	}
	t.Logf("%d types; %d inputs, %d of them without error", len(messages), all, accepted)
	if accepted < all/3 {
		t.Error("too little was compared")
	}
}

// compare is gogotest.Compare, except for the additions of Mimir's decoder: the bytes of the input,
// and spare capacity of lists.
func compare(a *arena.Arena, b []byte, like gogo.Message, o gogo.UnmarshalOptions) (p gogotest.Pair, ok bool, difference string) {
	typ := reflect.TypeOf(like).Elem()
	p = gogotest.Pair{Got: arena.NewValue(a, typ).Interface().(gogo.Message), Want: reflect.New(typ).Interface().(gogo.Message)}
	want, got := p.Want.Unmarshal(slices.Clone(b)), o.Unmarshal(a, slices.Clone(b), p.Got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return p, false, fmt.Sprintf("%v: %v, want %v\ninput %x", typ, got, want, b)
	}
	for _, m := range []gogo.Message{p.Got, p.Want} {
		if m, ok := m.(interface{ ClearTimeseriesUnmarshalData() }); ok {
			m.ClearTimeseriesUnmarshalData()
		}
		withoutRoom(reflect.ValueOf(m))
	}
	return p, got == nil, p.Check(b)
}

// withoutRoom makes lists nil that have no elements.
func withoutRoom(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			withoutRoom(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			withoutRoom(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 && v.Type().Elem().Kind() != reflect.Uint8 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			withoutRoom(v.Index(i))
		}
	}
}

// TestAlias looks at where labels are: in the input with AliasInput, as with Mimir's decoder, and
// else in the arena.
func TestAlias(t *testing.T) {
	trust(t)
	in, err := remoteWrite(3).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena()
	defer a.Free()
	for _, alias := range []bool{false, true} {
		m := gogo.New[mimirpb.PreallocWriteRequest](a)
		if err := (gogo.UnmarshalOptions{AliasInput: alias}).Unmarshal(a, in, m); err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Timeseries {
			for _, l := range s.Labels {
				at := uintptr(unsafe.Pointer(unsafe.StringData(l.Name))) - uintptr(unsafe.Pointer(unsafe.SliceData(in)))
				if inside := at < uintptr(len(in)); inside != alias {
					t.Fatalf("AliasInput is %v, and whether %q lies in the input is %v", alias, l.Name, inside)
				}
			}
		}
	}
}
