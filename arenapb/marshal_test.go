package arenapb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/proto"
)

// TestMarshal encodes random messages behind slices of random lengths and capacities, of the arena
// and of the heap. The result equals package proto's, and other values in the arena stay unchanged.
func TestMarshal(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range 2000 {
		a := arena.NewArena()
		if i%4 == 0 {
			a = nil
		}
		p := &profilepb.Profile{Period: int64(rnd.IntN(2)), StringTable: make([]string, rnd.IntN(3))}
		for i := range p.StringTable {
			p.StringTable[i] = fmt.Sprint(rnd.Uint64())
		}
		bad := rnd.IntN(10) == 0
		if bad {
			p.StringTable = append(p.StringTable, "\xff")
		}
		var b []byte
		if rnd.IntN(3) > 0 {
			b = arena.MakeSlice[byte](a, rnd.IntN(40), 40+rnd.IntN(40))
			for i := range b {
				b[i] = byte(i)
			}
		}
		former := bytes.Clone(b)
		neighbour := arena.String(a, "a neighbour")
		want, theirs := proto.MarshalOptions{}.MarshalAppend(bytes.Clone(b), p)
		got, err := arenapb.MarshalAppend(a, b, p)
		if (err != nil) != bad || fmt.Sprint(err) != fmt.Sprint(theirs) {
			t.Fatalf("seed %d: %v, want %v", seed, err, theirs)
		}
		if bad {
			want = former
		}
		arena.MakeSlice[byte](a, 100, 100)
		if !bytes.Equal(got, want) || !bytes.Equal(b, former) || neighbour != "a neighbour" {
			t.Fatalf("seed %d, %d: %x, want %x", seed, i, got, want)
		}
		whole, err := arenapb.Marshal(a, p)
		if want := want[len(former):]; !bad && (!bytes.Equal(whole, want) || cap(whole) != len(whole)) || (err != nil) != bad {
			t.Fatalf("seed %d: Marshal: %x of %d, %v; want %x", seed, whole, cap(whole), err, want)
		}
	}
	limited := arena.NewWith(arena.Options{Limit: 1 << 10})
	if err := arena.Try(func() {
		arenapb.Marshal(limited, &profilepb.Profile{StringTable: []string{string(make([]byte, 1<<20))}})
	}); !errors.Is(err, arena.ErrLimit) {
		t.Errorf("a limit: %v", err)
	}
}

// TestMarshalEmpty encodes messages without fields, and no message: the one is empty, and the other
// nil.
func TestMarshalEmpty(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for _, m := range []proto.Message{nil, (*profilepb.Profile)(nil), new(profilepb.Profile), new(testpb.Required2)} {
			for _, partial := range []bool{false, true} {
				want, theirs := proto.MarshalOptions{AllowPartial: partial}.Marshal(m)
				got, err := arenapb.MarshalOptions{AllowPartial: partial}.Marshal(a, m)
				if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(theirs) {
					t.Errorf("%T: %#v, %v, want %#v, %v", m, got, err, want, theirs)
				}
				if got, err := arenapb.Marshal(a, m); !partial && (!reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(theirs)) {
					t.Errorf("Marshal of %T: %#v, %v, want %#v, %v", m, got, err, want, theirs)
				}
			}
		}
	}
}
