package calc

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"example.com/calc/lex"
)

// TestParse parses random expressions, and looks at the newest eight of them again and again.
func TestParse(t *testing.T) {
	type expression struct {
		text  string
		value int
		check func() error
	}
	r := rand.New(rand.NewPCG(1, 2))
	var kept []expression
	for range 300 {
		text, value := random(r, 3)
		n, description, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if want := "tokens: " + strings.Join(strings.Fields(text), ","); !strings.HasPrefix(description, want+" (") {
			t.Fatalf("%s: description %q", text, description)
		}
		keep := strings.Clone(description)
		kept = append(kept, expression{text, value, func() error {
			if n.Value() != value || description != keep {
				return fmt.Errorf("%s is %d, %q; want %d, %q", text, n.Value(), description, value, keep)
			}
			return nil
		}})
		if len(kept) > 8 {
			kept = kept[1:]
		}
		if r.IntN(20) == 0 {
			runtime.GC()
		}
		for _, e := range kept {
			if err := e.check(); err != nil {
				t.Fatal(err)
			}
		}
		if lex.Last == nil || lex.Last.Text == "" {
			t.Fatal("no last token")
		}
	}
}

// TestErrors keeps errors for long.
func TestErrors(t *testing.T) {
	var kept []error
	for i := range 100 {
		_, _, err := Parse(fmt.Sprintf("1 + x%d", i))
		kept = append(kept, err)
		if _, _, err := Parse("( 1"); err == nil || err.Error() != "no parenthesis" {
			t.Fatal(err)
		}
	}
	for _, err := range kept {
		if err == nil || err.Error() != "no number: x" {
			t.Fatal(err)
		}
	}
}

func random(r *rand.Rand, depth int) (text string, value int) {
	n := 1 + r.IntN(4)
	var parts []string
	for range n {
		if depth > 0 && r.IntN(3) == 0 {
			s, v := random(r, depth-1)
			parts = append(parts, "( "+s+" )")
			value += v
			continue
		}
		v := r.IntN(1000)
		parts = append(parts, fmt.Sprint(v))
		value += v
	}
	return strings.Join(parts, " + "), value
}

func BenchmarkParse(b *testing.B) {
	text, _ := random(rand.New(rand.NewPCG(3, 4)), 6)
	for b.Loop() {
		if _, _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
