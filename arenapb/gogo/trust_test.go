package gogo_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/gogotest"
	"github.com/arena-go/arena/arenapb/gogo/internal/testpb"
	"google.golang.org/protobuf/encoding/protowire"
)

// Types as somebody writes them by hand, who wants more of the messages of package testpb than gogo
// generates.
type (
	plainLabel struct{ Name, Value string }
	// heldSeries is next to the decoded value.
	heldSeries struct {
		*testpb.Series
		Input []byte
	}
	settings struct {
		Count  int64
		strict bool
	}
	// request refuses field 3, which has a tag.
	request struct {
		settings
		Labels  []plainLabel
		Series  []heldSeries
		Samples []testpb.Sample `protobuf:"bytes,3,rep,name=samples"`
		First   *plainLabel
		One     heldSeries // a second one replaces the first
		Bytes   int        // of the input
		Choice  any
	}
)

// The tags of these types.
type (
	labelTags struct {
		Name  string `protobuf:"bytes,1,opt,name=name"`
		Value string `protobuf:"bytes,2,opt,name=value"`
	}
	requestTags struct {
		Labels []labelTags  `protobuf:"bytes,1,rep,name=labels"`
		Series []heldSeries `protobuf:"bytes,2,rep,name=series"`
		Count  int64        `protobuf:"varint,4,opt,name=count"`
		First  *labelTags   `protobuf:"bytes,5,opt,name=first"`
		One    heldSeries   `protobuf:"bytes,6,opt,name=one"`
	}
)

var errRefused, errDamaged = errors.New("samples are refused"), errors.New("it is damaged")

func (l *plainLabel) Unmarshal(b []byte) error {
	x := testpb.Label{Name: l.Name, Value: l.Value}
	err := x.Unmarshal(b)
	l.Name, l.Value = x.Name, x.Value
	return err
}

// Unmarshal has another signature, so that a heldSeries is no Message.
func (h *heldSeries) Unmarshal(b []byte, strict bool) error {
	h.Series, h.Input = &testpb.Series{Labels: make([]testpb.Label, 0, 4)}, b
	return h.Series.Unmarshal(b)
}

// Unmarshal does what generated code would do, but for the samples.
func (r *request) Unmarshal(b []byte) error {
	r.Bytes += len(b)
	for len(b) > 0 {
		tag, n := gogoVarint(b)
		if b = b[n:]; n == 0 || tag>>3 == 0 {
			return errDamaged
		}
		v, n := gogoVarint(b)
		end := n
		switch tag & 7 {
		case 1:
			end, n = 8, 1
		case 2:
			if n > 0 && v <= uint64(len(b)-n) {
				end += int(v)
			} else {
				n = 0
			}
		case 5:
			end, n = 4, 1
		case 0:
		default:
			n = 0
		}
		if n == 0 || end > len(b) {
			return errDamaged
		}
		var err error
		switch value := b[n:end]; tag {
		case 1<<3 | 2:
			r.Labels = append(r.Labels, plainLabel{})
			err = r.Labels[len(r.Labels)-1].Unmarshal(value)
		case 2<<3 | 2:
			r.Series = append(r.Series, heldSeries{})
			err = r.Series[len(r.Series)-1].Unmarshal(value, r.strict)
		case 3<<3 | 2:
			err = errRefused
		case 4 << 3:
			r.Count = int64(v)
		case 5<<3 | 2:
			if r.First == nil {
				r.First = new(plainLabel)
			}
			err = r.First.Unmarshal(value)
		case 6<<3 | 2:
			err = r.One.Unmarshal(value, r.strict)
		default:
			if tag>>3 <= 6 {
				err = errDamaged
			}
		}
		if err != nil {
			return err
		}
		b = b[end:]
	}
	return nil
}

// gogoVarint returns the varint that b begins with, and its length, or 0 for an error.
func gogoVarint(b []byte) (v uint64, n int) {
	for n < 10 && n < len(b) {
		v |= uint64(b[n]&0x7f) << (7 * n)
		if n++; b[n-1] < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

func trustRequest(t *testing.T) {
	t.Helper()
	for _, err := range []error{
		gogo.TrustAs[plainLabel, labelTags](),
		gogo.TrustAs[heldSeries, testpb.Series](),
		gogo.TrustAs[request, requestTags](),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTrustAs compares random messages of a type that has no tags with what its Unmarshal makes.
func TestTrustAs(t *testing.T) {
	trustRequest(t)
	for _, s := range gogo.Fallbacks(new(request)) {
		if !strings.Contains(s, "a map") && !strings.HasPrefix(s, "testpb.Own: ") {
			t.Error(s)
		}
	}
	f := &gogotest.Filler{R: random(t)}
	bytes := func(number byte, b []byte) []byte {
		return append(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(b))), b...)
	}
	a := arena.NewArena()
	defer a.Free()
	native, all := 0, 0
	for range rounds(3000) {
		var b []byte
		for range f.R.IntN(6) {
			b = append(b, [][]byte{
				bytes(1, f.Input(new(testpb.Label))), bytes(2, f.Input(new(testpb.Series))), bytes(5, f.Input(new(testpb.Label))), bytes(6, f.Input(new(testpb.Series))), {4 << 3, byte(f.R.IntN(128))},
			}[f.R.IntN(5)]...)
		}
		switch f.R.IntN(8) {
		case 0:
			b = append(b, bytes(3, nil)...)
		case 1:
			b = f.Damage(b)
		case 2:
			b = f.Reorder(b, 0)
		}
		want, got := new(request), gogo.New[request](a)
		wantErr, gotErr := want.Unmarshal(b), gogo.UnmarshalOptions{AliasInput: true}.Unmarshal(a, b, got)
		if wantErr != gotErr && fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
			t.Fatalf("%v, want %v\ninput %x", gotErr, wantErr, b)
		}
		if len(got.Series) > 0 && got.Series[0].Input == nil {
			native++
		}
		if all += min(len(got.Series), 1); gotErr == nil {
			loosen(got)
			loosen(want)
			if !gogotest.Same(got, want) {
				t.Fatalf("got %+v\nwant %+v\ninput %x", got, want, b)
			}
		}
		if f.R.IntN(8) == 0 {
			a.Reset()
		}
	}
	if native < all/4 {
		t.Errorf("%d of %d requests were decoded natively", native, all)
	}
}

// loosen drops what the Unmarshals keep, and no message has.
func loosen(r *request) {
	r.Bytes = 0
	list := []*heldSeries{&r.One}
	for i := range r.Series {
		list = append(list, &r.Series[i])
	}
	for _, s := range list {
		if s.Input = nil; s.Series != nil && len(s.Labels) == 0 {
			s.Labels = nil
		}
	}
}

// trustedInner tells whether TestTrustAsOrder has trusted a type, which stays so.
var trustedInner bool

// TestTrustAsOrder calls TrustAs for what is in messages after that for those, and decodes in
// between.
func TestTrustAsOrder(t *testing.T) {
	type inner struct{ Name, Value string }
	type outer struct{ plainOuter[inner] }
	type outerTags struct {
		List []inner `protobuf:"bytes,1,rep,name=list"`
	}
	if err := gogo.TrustAs[outer, outerTags](); err != nil {
		t.Fatal(err)
	}
	why := "List: its Go type is gogo_test.inner"
	if trustedInner { // in another run of this process
		why = "makes something else"
	}
	if got := gogo.Fallbacks(new(outer)); len(got) != 1 || !strings.Contains(got[0], why) {
		t.Errorf("%q", got)
	}
	trustedInner = true
	if err := gogo.TrustAs[inner, labelTags](); err != nil {
		t.Fatal(err)
	}
	if got := gogo.Fallbacks(new(outer)); len(got) != 1 || !strings.Contains(got[0], "makes something else") {
		t.Errorf("%q: its Unmarshal makes nothing", got)
	}
}

type plainOuter[T any] struct{ List []T }

func (o *plainOuter[T]) Unmarshal(b []byte) error { return nil }

// TestTrustAsErrors has types that do not fit.
func TestTrustAsErrors(t *testing.T) {
	type (
		number   struct{ Name, Value int64 }
		behind   struct{ *plainLabel }
		pointers struct{ Name, Value *string }
		bytes    struct{ Name, Value []byte }
		lists    struct{ Name, Value []string }
		listTags struct {
			Name []int64 `protobuf:"varint,1,rep,name=name"`
		}
		choiceTags struct {
			Choice error `protobuf_oneof:"choice"`
		}
		narrow     struct{ N int32 }
		narrowTags struct {
			N int64 `protobuf:"varint,1,opt,name=n"`
		}
		byteMap struct{ M map[string]uint8 }
		mapTags struct {
			M map[string]int64 `protobuf:"bytes,1,rep,name=m"`
		}
	)
	for _, c := range []struct {
		err  error
		want string
	}{
		{gogo.TrustAs[number, labelTags](), "gogo_test.number.Name is of type int64, and that of gogo_test.labelTags of type string"},
		{gogo.TrustAs[bytes, labelTags](), "gogo_test.bytes.Name is of type []uint8, "},
		{gogo.TrustAs[pointers, labelTags](), "gogo_test.pointers.Name is of type *string, "},
		{gogo.TrustAs[behind, labelTags](), "gogo_test.behind has no field Name, "},
		{gogo.TrustAs[settings, labelTags](), "gogo_test.settings has no field Name, "},
		{gogo.TrustAs[lists, listTags](), "gogo_test.lists.Name is of type []string, "},
		{gogo.TrustAs[narrow, narrowTags](), "gogo_test.narrow.N is of type int32, "},
		{gogo.TrustAs[byteMap, mapTags](), "gogo_test.byteMap.M is of type map[string]uint8, "},
		{gogo.TrustAs[request, choiceTags](), "gogo_test.request.Choice is of type interface {}, "},
		{gogo.TrustAs[labelTags, plainLabel](), "no field of gogo_test.plainLabel has a tag"},
		{gogo.TrustAs[labelTags, labelTags](), "gogo_test.labelTags is both types"},
		{gogo.TrustAs[int, labelTags](), "int is not a struct"},
		{gogo.TrustAs[plainLabel, *labelTags](), "*gogo_test.labelTags is not a struct"},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), "gogo: TrustAs: "+c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

// swapped has an Unmarshal that exchanges the fields, against the tags that another type has.
type swapped struct{ Name, Value string }

func (s *swapped) Unmarshal(b []byte) error {
	x := testpb.Label{Name: s.Value, Value: s.Name}
	err := x.Unmarshal(b)
	s.Name, s.Value = x.Value, x.Name
	return err
}

// TestTrustAsTried has the reason where the Unmarshal does not what the tags say: it decodes then.
func TestTrustAsTried(t *testing.T) {
	if err := gogo.TrustAs[swapped, labelTags](); err != nil {
		t.Fatal(err)
	}
	if got := gogo.Fallbacks(new(swapped)); len(got) != 1 || !strings.HasPrefix(got[0], "gogo_test.swapped: field 1: its Unmarshal makes something else") {
		t.Errorf("%q", got)
	}
	a := arena.NewArena()
	defer a.Free()
	m := gogo.New[swapped](a)
	if err := gogo.Unmarshal(a, []byte("\x0a\x01a"), m); err != nil || m.Value != "a" {
		t.Error(err, m)
	}
}

// An envelope has a field of a customtype, whose Unmarshal decodes an envelope.
type envelope struct {
	Letter letter `protobuf:"bytes,1,opt,name=letter,proto3,customtype=letter"`
}

type letter struct{ enclosed *envelope }

func init() { gogo.Trust[envelope]() }

func (l *letter) Unmarshal(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	l.enclosed = new(envelope)
	return gogo.Unmarshal(nil, b, l.enclosed)
}

func (e *envelope) Unmarshal(b []byte) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeField(b)
		if n < 0 {
			return io.ErrUnexpectedEOF
		}
		if num == 1 {
			_, _, tag := protowire.ConsumeTag(b)
			s, k := protowire.ConsumeBytes(b[tag:])
			if typ != protowire.BytesType || k < 0 {
				return io.ErrUnexpectedEOF
			}
			if err := e.Letter.Unmarshal(s); err != nil {
				return err
			}
		}
		b = b[n:]
	}
	return nil
}

// TestTriedDecodes decodes a message of a type whose Unmarshal decodes messages itself, also when
// the type is tried.
func TestTriedDecodes(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	e := new(envelope)
	if err := gogo.Unmarshal(a, []byte{1<<3 | 2, 4, 1<<3 | 2, 2, 1<<3 | 2, 0}, e); err != nil {
		t.Fatal(err)
	}
	if inner := e.Letter.enclosed; inner == nil || inner.Letter.enclosed == nil || inner.Letter.enclosed.Letter.enclosed != nil {
		t.Errorf("%+v", e)
	}
	if list := gogo.Fallbacks(e); len(list) != 1 || !strings.Contains(list[0], "letter: ") {
		t.Errorf("%q", list)
	}
}

// A parcel has a field of a customtype, whose Unmarshal asks this package about types.
type parcel struct {
	Stamp stamp `protobuf:"bytes,1,opt,name=stamp,proto3,customtype=stamp"`
}

type stamp struct{ fallbacks []string }

var refused any // what Trust has panicked with

func init() { gogo.Trust[parcel]() }

func (s *stamp) Unmarshal([]byte) error {
	s.fallbacks = gogo.Fallbacks(new(testpb.Own))
	defer func() {
		if v := recover(); v != nil {
			refused = v
		}
	}()
	gogo.Trust[stamp]()
	return nil
}

func (p *parcel) Unmarshal(b []byte) error {
	if len(b) == 0 || b[0] != 1<<3|2 {
		return io.ErrUnexpectedEOF
	}
	return p.Stamp.Unmarshal(b)
}

// TestTriedAsks calls Fallbacks and Trust in an Unmarshal, also when it is tried: neither waits for
// the trial.
func TestTriedAsks(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for range 3 {
		p := new(parcel)
		if err := gogo.Unmarshal(a, []byte{1<<3 | 2, 0}, p); err != nil || len(p.Stamp.fallbacks) != 1 {
			t.Errorf("%v, %q", err, p.Stamp.fallbacks)
		}
	}
	if text := fmt.Sprint(refused); !strings.Contains(text, "trusts gogo_test.stamp; call Trust") {
		t.Errorf("Trust panics with %v", text)
	}
}
