package generated

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests (0 is a random one)")

func random(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// outcome is what an Unmarshal does: its error or its panic, as text.
func outcome(f func() error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint("panic: ", v)
		}
	}()
	if err := f(); err != nil {
		return fmt.Sprintf("%T: %v", err, err)
	}
	return "no error"
}

// compare decodes b in both ways, and returns the message that package gogo has made, a copy of what it should be, and whether there was no error.
func compare(t *testing.T, a *arena.Arena, b []byte, like gogo.Message, o gogo.UnmarshalOptions) (got, want gogo.Message, ok bool) {
	t.Helper()
	typ := reflect.TypeOf(like).Elem()
	got, want = arena.NewValue(a, typ).Interface().(gogo.Message), reflect.New(typ).Interface().(gogo.Message)
	there := outcome(func() error { return want.Unmarshal(slices.Clone(b)) })
	input := b
	if !o.AliasInput {
		input = slices.Clone(b)
	}
	here := outcome(func() error { return o.Unmarshal(a, input, got) })
	if here != there {
		t.Fatalf("%v: %s, want %s\ninput %x", typ, here, there, b)
	}
	if !same(got, want) {
		t.Fatalf("%v: %s\n got %#v\nwant %#v\ninput %x", typ, here, got, want, b)
	}
	return got, want, here == "no error"
}

// same is reflect.DeepEqual, for which NaN is NaN.
func same(got, want any) bool {
	return reflect.DeepEqual(got, want) || strings.Contains(fmt.Sprintf("%+v", want), "NaN") && fmt.Sprintf("%#v", got) == fmt.Sprintf("%#v", want) ||
		sameValue(reflect.ValueOf(got), reflect.ValueOf(want))
}

// sameValue compares what DeepEqual says is not equal, since it has found a NaN.
func sameValue(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float() || a.Float() != a.Float() && b.Float() != b.Float()
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.IsNil() != b.IsNil() {
			return false
		}
		fallthrough
	case reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := a.MapRange(); i.Next(); {
			if !sameValue(i.Value(), b.MapIndex(i.Key())) {
				return false
			}
		}
		return true
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.String:
		return a.String() == b.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return a.Uint() == b.Uint()
	}
	return false
}

// TestGenerated compares what package gogo makes of random input, valid and not, with what the Unmarshal of each type makes of it.
func TestGenerated(t *testing.T) {
	arenapb.OnPanic(func(p *arenapb.Panic) { t.Error(p) })
	defer arenapb.OnPanic(nil)
	f := &filler{r: random(t)}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	type pair struct{ got, want gogo.Message }
	a := arena.NewArena()
	defer func() { a.Free() }()
	accepted, all, native := 0, 0, 0
	var last []byte
	for _, n := range f.r.Perm(len(Messages)) {
		m := Messages[n]
		var kept []pair
		try := func(b []byte) {
			all++
			got, want, ok := compare(t, a, b, m, gogo.UnmarshalOptions{AliasInput: f.r.IntN(4) == 0})
			if ok {
				accepted++
				kept = append(kept, pair{got, want})
			}
		}
		for range rounds {
			b := f.input(m)
			try(b)
			try(f.reorder(b, 0))
			try(append(slices.Clone(b), f.input(m)...))
			try(f.damage(b))
			try(f.damage(f.reorder(b, 0)))
			try(slices.Concat(b, last))
			last = b
			if f.r.IntN(50) == 0 {
				runtime.GC()
			}
		}
		for _, p := range kept {
			if !same(p.got, p.want) {
				t.Fatalf("%T: not what it was\n got %#v\nwant %#v", p.got, p.got, p.want)
			}
		}
		if len(gogo.Fallbacks(m)) == 0 {
			native++
		}
		if f.r.IntN(20) == 0 {
			a.Free()
			a = arena.NewArena()
		}
		a.Reset()
	}
	t.Logf("%d types, %d of them without fallbacks; %d inputs, %d of them without error", len(Messages), native, all, accepted)
	if accepted < all/3 || native < len(Messages)/3 {
		t.Error("too little was compared")
	}
}
