package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// TestLayout decodes documents whose lines are indented alike or nearly so, and whose members come
// in orders that change, in several goroutines.
func TestLayout(t *testing.T) {
	type node struct {
		A, B, LongerThanEight                          int
		LongerThanSixteenBytes, LongerThanSixteenThree int
		Kids                                           []node
		M                                              map[string]any
		L                                              []int
	}
	seed := testrun.Seed(t)
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, g))
			a := arena.NewArena()
			for range 200 {
				line := func(depth int) string {
					switch r.IntN(40) {
					case 0:
						return ""
					case 1:
						return "\n" + strings.Repeat(" ", r.IntN(40))
					case 2:
						return "\r\n" + strings.Repeat(" ", 3*depth) + "\t"
					case 3:
						return "\n" + strings.Repeat(" ", 3*depth) + "\n "
					case 4:
						return "\n" + strings.Repeat(" ", max(3*depth-1, 0)) + string("\x00\x1f!,\u00a0"[r.IntN(5)]) // an error
					}
					return "\n" + strings.Repeat(" ", 3*depth)
				}
				if r.IntN(2) == 0 {
					line = func(depth int) string { return "\n" + strings.Repeat(" ", 3*depth) }
				}
				order := r.Perm(9)
				var write func(b *strings.Builder, depth int)
				write = func(b *strings.Builder, depth int) {
					if r.IntN(10) == 0 {
						r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
					}
					b.WriteByte('{')
					for i, k := range order[r.IntN(3):] {
						if i > 0 {
							b.WriteByte(',')
						}
						b.WriteString(line(depth))
						switch k {
						case 0, 1, 2, 3, 4:
							fmt.Fprintf(b, `"%s": %d`, []string{"A", "b", "LongerThanEight", "LongerThanSixteenBytes", "LongerThanSixteenThree"}[k], r.IntN(1000))
						case 5:
							b.WriteString(`"unknown" : [ ]`)
						case 6:
							b.WriteString(`"M":{` + line(depth+1) + `"k":[` + line(depth+2) + `1,` + line(depth+2) + `{}` + line(depth+1) + `]` + line(depth) + `}`)
						case 7:
							b.WriteString(`"L":[` + line(depth+1) + `1,` + line(depth+1) + `2` + line(depth) + `]`)
						case 8:
							b.WriteString(`"Kids":[`)
							for kid := range r.IntN(max(4-depth, 1)) {
								if kid > 0 {
									b.WriteByte(',')
								}
								b.WriteString(line(depth + 1))
								write(b, depth+2)
							}
							b.WriteString(line(depth) + `]`)
						}
					}
					b.WriteString(line(depth-1) + "}")
				}
				var b strings.Builder
				write(&b, 1)
				in := b.String()
				if r.IntN(8) == 0 {
					in = in[:r.IntN(len(in))]
				}
				var got, want node
				err, wantErr := arenajson.Unmarshal(a, []byte(in), &got), json.Unmarshal([]byte(in), &want)
				if !sameError(err, wantErr) || !reflect.DeepEqual(got, want) {
					t.Errorf("%q: %+v %v, want %+v %v", in, got, err, want, wantErr)
					return
				}
				a.Reset()
			}
		})
	}
	wg.Wait()
}
