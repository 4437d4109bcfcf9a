package arenajson_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A looker decodes itself by a call of Unmarshal, and looks at the decoders before and behind it.
type looker struct {
	Text string
	Any  any
	Kids []looker
	Map  map[string]*looker
	At   *lookerArena
}

// A lookerArena is a looker that is given the arena.
type lookerArena struct{ looker }

var looking struct {
	t     *testing.T
	a     *arena.Arena
	opt   arenajson.UnmarshalOptions
	calls int // of Unmarshal
	fail  int // how many methods are called until one fails
}

func look() {
	if wrong := arenajson.Broken(looking.a, looking.calls); wrong != "" {
		looking.t.Helper()
		looking.t.Errorf("in %d calls: %s", looking.calls, wrong)
	}
}

func lookUnmarshal(b []byte, v any) error {
	look()
	if looking.fail--; looking.fail == 0 {
		return errors.New("the method fails")
	}
	if looking.calls == 6 { // as deep as decoders are kept
		return nil
	}
	looking.calls++
	err := looking.opt.Unmarshal(looking.a, b, v)
	looking.calls--
	look()
	return err
}

func (p *looker) UnmarshalJSON(b []byte) error {
	type plain looker
	return lookUnmarshal(b, (*plain)(p))
}

func (p *lookerArena) UnmarshalJSON(b []byte) error { return p.looker.UnmarshalJSON(b) }

func (p *lookerArena) UnmarshalJSONArena(_ *arena.Arena, b []byte) error {
	type plain looker
	return lookUnmarshal(b, (*plain)(&p.looker))
}

// TestInvariants decodes documents with methods that decode, into values that are zero and others,
// and checks the invariants of the decoders in each method and behind each document: also after
// errors, and after panics.
func TestInvariants(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	a := arena.NewArena()
	looking.t, looking.a = t, a
	types := append(randomTypes(r, 40), reflect.TypeFor[[]looker](), reflect.TypeFor[map[string]looker](), reflect.TypeFor[looker](), reflect.TypeFor[*lookerArena](), reflect.TypeFor[any]())
	n := 40
	if testrun.Long() {
		n = 400
	}
	for _, typ := range types {
		for range n {
			v := reflect.New(typ)
			for range 1 + r.IntN(2) {
				looking.opt = arenajson.UnmarshalOptions{
					AliasInput: r.IntN(3) == 0, UseNumber: r.IntN(3) == 0, PreserveInts: r.IntN(3) == 0, DisallowUnknownFields: r.IntN(5) == 0, CaseSensitiveNames: r.IntN(5) == 0,
					RejectDuplicateNames: r.IntN(5) == 0, RejectInvalidUTF8: r.IntN(5) == 0,
				}
				looking.fail = r.IntN(20)
				in := document(r, typ)
				if r.IntN(4) == 0 { // so long that it is lent, and equal strings are looked for
					in = []byte(`{"Text":"` + strings.Repeat(`\u00e9 text `, r.IntN(1000)) + `","Kids":[` + string(in) + `]}`)
				}
				looking.calls = 1
				_ = looking.opt.Unmarshal(a, in, v.Interface()) // other tests compare the errors
				looking.calls = 0
				if look(); t.Failed() {
					t.Fatalf("%v: %.500s", typ, in)
				}
			}
			a.Reset()
		}
	}
	for range 10 {
		func() {
			defer func() { recover() }()
			arenajson.Unmarshal(a, []byte(`[{"A":[1,{"B":"text"}],"P":1}]`), new([]inPanic))
			t.Error("no panic")
		}()
		look()
	}
}

// inPanic has a method that panics.
type inPanic struct {
	A any
	P ending
}

type ending struct{}

func (*ending) UnmarshalJSON([]byte) error { panic("in a method") }
