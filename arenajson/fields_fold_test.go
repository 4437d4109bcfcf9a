package arenajson_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A wideStruct returns a struct type with n fields, some of whose names have the fold of another
// one, and the names.
func wideStruct(n int) (reflect.Type, []string) {
	fields, names := make([]reflect.StructField, n), make([]string, n)
	for i := range n {
		k := i - i%3 // three fields have one fold
		names[i] = [...]string{fmt.Sprintf("kiss%d", k), fmt.Sprintf("KISS%d", k), fmt.Sprintf("Kiſs%d", k)}[(i+k)%3]
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + names[i] + `"`)}
	}
	return reflect.StructOf(fields), names
}

// otherCase returns name with some of its letters replaced by others of the same fold.
func otherCase(r *rand.Rand, name string) string {
	return strings.Map(func(c rune) rune {
		for range r.IntN(3) {
			c = unicode.SimpleFold(c)
		}
		return c
	}, name)
}

// TestFoldWide decodes names in other cases into structs with few fields and with very many.
func TestFoldWide(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{3, 30, 900, 9000} {
		typ, names := wideStruct(n)
		for range 3 {
			var b strings.Builder
			for i := range 300 {
				fmt.Fprintf(&b, `,"%s":%d`, otherCase(r, names[r.IntN(n)]), i)
			}
			compare(t, nil, arenajson.UnmarshalOptions{}, typ, nil, []byte("{"+b.String()[1:]+"}"))
		}
	}
}
