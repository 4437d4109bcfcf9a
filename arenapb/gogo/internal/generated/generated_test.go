package generated

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/gogotest"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/grafana/loki/pkg/push"
)

var (
	each = flag.Bool("each", false, "test each type in a process of its own")
	only = flag.Int("only", -1, "test this type only")
)

func random(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(testrun.Seed(t), 0))
}

// TestGenerated compares what package gogo makes of random input, valid and not, with what the
// Unmarshal of each type makes of it.
func TestGenerated(t *testing.T) {
	if *each {
		for i, m := range Messages {
			if out, err := exec.Command(os.Args[0], "-test.run=^TestGenerated$", fmt.Sprintf("-only=%d", i)).CombinedOutput(); err != nil {
				t.Errorf("%T, the first in its process: %v\n%s", m, err, out)
			}
		}
		return
	}
	arenapb.OnPanic(func(p *arenapb.Panic) { t.Error(p) })
	defer arenapb.OnPanic(nil)
	f := &gogotest.Filler{R: random(t)}
	rounds := 12
	if !testrun.Long() {
		rounds = 3
	}
	gogo.Trust[push.Stream]()
	for _, s := range gogo.Fallbacks(new(push.Stream)) {
		if strings.HasPrefix(s, "push.Stream: ") {
			t.Error(s)
		}
	}
	a := arena.NewArena()
	defer func() { a.Free() }()
	accepted, all, native := 0, 0, 0
	var last []byte
	order := f.R.Perm(len(Messages))
	if *only >= 0 {
		order = []int{*only}
	}
	for _, n := range order {
		m := Messages[n]
		var kept []gogotest.Pair
		// The Unmarshal of kvproto's SharedBytes keeps its input, with gogo as with the generated
		// code.
		shares := strings.HasPrefix(reflect.TypeOf(m).Elem().PkgPath(), "github.com/pingcap/kvproto/")
		try := func(b []byte) {
			all++
			p, ok, difference := gogotest.Compare(a, b, m, gogo.UnmarshalOptions{AliasInput: shares || f.R.IntN(4) == 0})
			if difference != "" {
				t.Fatal(difference)
			}
			if ok {
				accepted++
				kept = append(kept, p)
			}
		}
		for range rounds {
			b := f.Input(m)
			try(b)
			try(f.Reorder(b, 0))
			try(append(slices.Clone(b), f.Input(m)...))
			try(f.Damage(b))
			try(f.Damage(f.Reorder(b, 0)))
			try(slices.Concat(b, last))
			last = b
			if f.R.IntN(50) == 0 {
				runtime.GC()
			}
		}
		for _, p := range kept {
			if difference := p.Check(nil); difference != "" {
				t.Fatalf("not what it was: %s", difference)
			}
		}
		if len(gogo.Fallbacks(m)) == 0 {
			native++
		}
		if f.R.IntN(20) == 0 {
			a.Free()
			a = arena.NewArena()
		}
		a.Reset()
	}
	t.Logf("%d types, %d of them without fallbacks; %d inputs, %d of them without error", len(Messages), native, all, accepted)
	if *only < 0 && (accepted < all/3 || native < len(Messages)/3) {
		t.Error("too little was compared")
	}
}
