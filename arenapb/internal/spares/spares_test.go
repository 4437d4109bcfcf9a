package spares_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena/arenapb/internal/spares"
	"github.com/arena-go/arena/internal/testrun"
)

// A thing is what a Set keeps here. It knows what has become of it.
type thing struct {
	number int
	state  state
	grown  bool
}

type state int

const (
	inUse state = iota
	idle
	left
	dropped
)

// kindOf is the kind of things with a number.
type kindOf struct {
	number int
	made   *[]*thing
	t      *testing.T
}

func (k kindOf) New() *thing {
	v := &thing{number: k.number, state: idle}
	*k.made = append(*k.made, v)
	return v
}

func (k kindOf) Empty(v *thing) bool {
	if v.state != inUse || v.number != k.number {
		k.t.Fatalf("one of kind %d is emptied as one of kind %d, in state %d", v.number, k.number, v.state)
	}
	if v.grown {
		v.state = dropped
		return false
	}
	v.state = idle
	return true
}

// TestSet has a Set do what a program of random calls says.
func TestSet(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	var s spares.Set[*thing]
	var made, used []*thing
	takes := 0
	for range 3000 {
		size := 1 << r.IntN(8)
		if r.IntN(200) == 0 {
			size = spares.Most
		}
		for range r.IntN(size) {
			k := kindOf{r.IntN(5), &made, t}
			v := s.Take(k.number, k)
			if v.state != idle || v.number != k.number {
				t.Fatalf("kind %d gets one of kind %d in state %d", k.number, v.number, v.state)
			}
			v.state, v.grown = inUse, r.IntN(50) == 0
			used = append(used, v)
			takes++
		}
		switch r.IntN(6) {
		case 0:
			s.Leave()
			for _, v := range used {
				v.state = left
			}
		case 1:
			if r.IntN(4) > 0 {
				continue // the next call goes on with the round
			}
			s.Reset(false)
			for _, v := range made {
				v.state = dropped
			}
		default:
			s.Reset(true)
		}
		used = used[:0]
	}
	t.Logf("%d were made for %d", len(made), takes)
	if len(made) > takes*3/4 {
		t.Error("few were used again")
	}
}

// TestMost keeps as many as a Set does, and finds those again, whatever was dropped and left
// before.
func TestMost(t *testing.T) {
	var s spares.Set[*thing]
	var made []*thing
	for i := range 20 {
		for range spares.Most / 10 {
			v := s.Take(1, kindOf{1, &made, t})
			v.state, v.grown = inUse, true
		}
		if i%2 == 0 {
			s.Reset(true)
		} else {
			s.Leave()
		}
	}
	made = nil
	round := func(n int) {
		for i := range n {
			v := s.Take(i%3, kindOf{i % 3, &made, t})
			v.state = inUse
		}
		s.Reset(true)
	}
	round(3 * spares.Most)
	if len(made) != 3*spares.Most {
		t.Fatalf("%d were made", len(made))
	}
	round(spares.Most)
	if more := len(made) - 3*spares.Most; more != 0 {
		t.Fatalf("%d were made again", more)
	}
}

// TestMapOf has the same number for a type each time, and another one for another type.
func TestMapOf(t *testing.T) {
	a, b := spares.MapOf(reflect.TypeFor[map[string]int]()), spares.MapOf(reflect.TypeFor[map[string]uint]())
	if a == b || a.Number == b.Number || a != spares.MapOf(reflect.TypeFor[map[string]int]()) {
		t.Error(a.Number, b.Number)
	}
}
