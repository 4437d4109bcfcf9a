package arenagrpc_test

import (
	"errors"
	"io"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenapb/gogo"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// A gogoMessage is an echopb.Message as gogo/protobuf would generate it if that had one field. Its
// Unmarshal is not generated, and counts calls.
type gogoMessage struct {
	Id               int64  `protobuf:"varint,1,opt,name=id,proto3"`
	XXX_unrecognized []byte `json:"-"`
}

var unmarshaled int

func init() { gogo.Trust[gogoMessage]() }

func (m *gogoMessage) Reset()         { *m = gogoMessage{} }
func (m *gogoMessage) String() string { return "" }
func (m *gogoMessage) ProtoMessage()  {}

func (m *gogoMessage) Unmarshal(b []byte) error {
	unmarshaled++
	for len(b) > 0 {
		tag, n := varint(b)
		if n == 0 {
			return io.ErrUnexpectedEOF
		}
		if tag>>3 == 1 {
			if tag&7 != 0 {
				return errors.New("gogoMessage: wrong wire type")
			}
			v, size := varint(b[n:])
			if size == 0 {
				return io.ErrUnexpectedEOF
			}
			m.Id = int64(v)
			b = b[n+size:]
			continue
		}
		size := protowire.ConsumeFieldValue(protowire.Number(tag>>3), protowire.Type(tag&7), b[n:])
		if size < 0 {
			return io.ErrUnexpectedEOF
		}
		m.XXX_unrecognized = append(m.XXX_unrecognized, b[:n+size]...)
		b = b[n+size:]
	}
	return nil
}

// varint reads as generated code does: the bits that a uint64 has no room for are lost.
func varint(b []byte) (v uint64, n int) {
	for n < min(len(b), 10) {
		v |= uint64(b[n]&0x7f) << (7 * n)
		n++
		if b[n-1] < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

// TestGogo receives a reply as a message of gogo/protobuf: it is in the arena, and errors equal the
// errors of its Unmarshal.
func TestGogo(t *testing.T) {
	pool := &arena.Pool{}
	r := newRig(t, arenagrpc.Options{Pool: pool})
	conn := r.dial()
	m := message(7, 3)
	if list := gogo.Fallbacks(new(gogoMessage)); len(list) > 0 {
		t.Fatalf("%q", list)
	}
	want := new(gogoMessage)
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena()
	for _, a := range []*arena.Arena{a, nil} {
		before := unmarshaled
		got := new(gogoMessage)
		if err := conn.Invoke(t.Context(), echopb.Echo_Unary_FullMethodName, m, got, arenagrpc.Into(a)); err != nil {
			t.Fatal(err)
		}
		if got.Id != want.Id || string(got.XXX_unrecognized) != string(want.XXX_unrecognized) {
			t.Errorf("%+v, want %+v", got, want)
		}
		if own := unmarshaled > before; own != (a == nil) {
			t.Errorf("in an arena: %v; decoded by its Unmarshal: %v", a != nil, own)
		}
	}
	if a.Stats().InUse < int64(len(want.XXX_unrecognized)) {
		t.Errorf("%d bytes are in use", a.Stats().InUse)
	}
	r.stop(pool)
}
