package arenapb_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestOrder decodes messages of all types in processes of their own, in each of which another type
// comes first and the others follow in a random order: how a type is decoded must not depend on
// what was planned before it.
func TestOrder(t *testing.T) {
	const child = "ARENAPB_ORDER"
	r := random(t)
	list := types()
	if first, err := strconv.Atoi(os.Getenv(child)); err == nil {
		r.Shuffle(len(list), func(i, j int) {
			if i != first && j != first {
				list[i], list[j] = list[j], list[i]
			}
		})
		list[0], list[first] = list[first], list[0]
		a := arena.NewArena()
		defer a.Free()
		for _, mt := range list {
			w := &difftest.Wire{R: r, Budget: 200}
			for _, b := range [][]byte{w.Filled(nil, mt.Descriptor(), map[protoreflect.FullName]bool{}), w.Message(nil, mt.Descriptor(), 0)} {
				p := newPair(mt)
				p.decode(t, a, b, arenapb.UnmarshalOptions{AllowPartial: true})
			}
			if r.IntN(4) == 0 {
				a.Reset()
			}
		}
		return
	}
	for n := range rounds(len(list)) {
		if !testrun.Long() {
			n = r.IntN(len(list))
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestOrder$")
		cmd.Env = append(os.Environ(), child+"="+strconv.Itoa(n), fmt.Sprintf("%s=%d", testrun.SeedVariable, r.Uint64()))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s first: %v\n%s", list[n].Descriptor().FullName(), err, out)
		}
	}
}
