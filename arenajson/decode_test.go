package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A small is a type of most kinds of fields.
type small struct {
	A int            `json:"a"`
	B string         `json:"b"`
	C []float64      `json:"c"`
	D *small         `json:"d"`
	E map[string]any `json:"e"`
	F any            `json:"f"`
	G []small        `json:"g"`
	H map[string]*small
	I [2]bool
	J []byte
	K json.Number
	L json.RawMessage
	M int8 `json:",string"`
}

func TestFirst(t *testing.T) {
	for _, in := range []string{
		`{"a":1,"b":"x","c":[1,2,3.5,4,5,6,7,8,9,10],"d":{"a":2,"d":{"b":"é\n\u00e9\ud83d\ude00\ud800"}},"e":{"x":[1,"2",null,true,{"y":{}}]},"f":[],"g":[{"a":1},{"a":2,"g":[{"b":"q"}]},{"b":"r"}]}`,
		` { "H" : { "x" : {"a":5}, "y":null }, "I":[true], "j":"aGVsbG8=", "K":12.50, "L": {"x" : 1 } , "M":"12"} `,
		`{"a":"x"}`, `{"a":1`, `null`, ``, `[]`, `{"a":1,"a":2,"unknown":[1,{}]}`,
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			var got, want small
			gotErr, wantErr := arenajson.Unmarshal(a, []byte(in), &got), json.Unmarshal([]byte(in), &want)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotErr, wantErr) {
				t.Errorf("%s:\n%+v %v\n%+v %v", in, got, gotErr, want, wantErr)
			}
		}
	}
}

// TestEscaped compares strings of random pieces, of which many are escapes and some are wrong, with
// encoding/json.
func TestEscaped(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	piece := func() string {
		switch r.IntN(12) {
		case 0:
			return strings.Repeat("plain ", r.IntN(300))
		case 1:
			return `\` + string(`"\/bfnrt`[r.IntN(8)])
		case 2:
			return fmt.Sprintf(`\ud%03x\ud%03X`, 0x800+r.IntN(0x400), 0xc00+r.IntN(0x400))
		case 3:
			return fmt.Sprintf(`\ud%03x`, 0x800+r.IntN(0x800))
		case 4:
			return fmt.Sprintf(`\u00%02x`, r.IntN(256))
		case 5:
			return fmt.Sprintf(`\u0%03X`, r.IntN(1<<12))
		case 6:
			return "é日本\U0001f600"[:r.IntN(13)]
		case 7:
			return string(rune('a' + r.IntN(26)))
		case 8:
			if r.IntN(30) == 0 {
				return []string{"\\", `\x`, `\u12`, `\u12g4`, "\x00", "\n", `\ud800\u12`, `\`}[r.IntN(8)]
			}
		}
		return fmt.Sprintf(`\u%04x`, r.IntN(1<<16))
	}
	a := arena.NewArena()
	for range 20_000 {
		b := []byte(`"`)
		for range r.IntN(40) {
			b = append(b, piece()...)
		}
		b = append(b, '"')
		var got [2]string
		var want string
		wantErr := json.Unmarshal(b, &want)
		for i, a := range []*arena.Arena{nil, a} {
			if err := arenajson.Unmarshal(a, b, &got[i]); got[i] != want || !sameError(err, wantErr) {
				t.Fatalf("%q is %q, %v, want %q, %v", b, got[i], err, want, wantErr)
			}
		}
		a.Reset()
	}
}
