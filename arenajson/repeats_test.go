package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// TestRepeats decodes documents with strings that are there many times, and with others that are
// like them: that have the same first bytes, the same text but for an escape, or bytes that are not
// UTF-8.
func TestRepeats(t *testing.T) {
	n := 400
	if !testrun.Long() {
		n = 60
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"a", "b", "abcdefg", "abcdefgh", "日本", `\"`, `\n`, `\\`, "\xff", "\xc3", `\u00e9`, "12345678", " "}
	text := func() string {
		var b strings.Builder
		for range r.IntN([]int{2, 5, 9, 40}[r.IntN(4)]) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	type record struct {
		A, B string
		L    []string
		M    map[string]string
		X    any
		P    *string
	}
	a := arena.NewArena()
	for k := range n {
		words := make([]string, 2+r.IntN(40))
		for i := range words {
			if words[i] = text(); i > 0 && r.IntN(2) == 0 { // a string that is nearly the one before
				words[i] = words[i-1] + parts[r.IntN(len(parts))]
			}
		}
		some := func() string {
			if r.IntN(20) == 0 {
				return text()
			}
			return words[r.IntN(len(words))]
		}
		var b strings.Builder
		for i := range 20 + r.IntN(200) {
			fmt.Fprintf(&b, `,{"A":"%s","B":"%s","L":["%s","%s"],"M":{"%s":"%s","%s":"x"},"X":{"%s":"%s","%d":["%s"]},"P":"%s"}`, some(), some(), some(), some(), some(), some(), some(), some(), some(), i, some(), some())
		}
		in := []byte("[" + b.String()[1:] + "]")
		switch r.IntN(8) {
		case 0:
			in = in[:r.IntN(len(in))]
		case 1:
			in[r.IntN(len(in))] = byte(r.IntN(256))
		}
		typ := []reflect.Type{reflect.TypeFor[[]record](), reflect.TypeFor[any]()}[k%2]
		compare(t, a, arenajson.UnmarshalOptions{}, typ, nil, in)
		compare(t, nil, arenajson.UnmarshalOptions{}, typ, nil, in)
		if k%3 == 0 {
			a.Reset()
		}
	}
	for i, words := range [][]string{
		{`\"\n` + "\xff", `\"abc`}, // the first has as many bytes as its text
		{`ab\"\n` + "\xffcdefg", `ab\"\r` + "\xffcdefg"},
		{"abcdefgh 1 2 3 4 5 6 7 abcdefgh", "abcdefgh 1 2 3 4 6 5 7 abcdefgh"},
		{"abcdefgh", "abcdefgh1", "abcdefg"},
		{"", "a", `\u0000`},
	} {
		list := strings.Repeat(`"`+strings.Join(words, `","`)+`",`, 5000/len(words))
		for k, a := range []*arena.Arena{a, nil} { // each with a type of its own, in which strings are looked for
			typ := reflect.StructOf([]reflect.StructField{{Name: "L", Type: reflect.TypeFor[[]string](), Tag: reflect.StructTag(fmt.Sprintf(`case:"%d %d"`, i, k))}})
			compare(t, a, arenajson.UnmarshalOptions{}, typ, nil, []byte(`{"L":[`+list[:len(list)-1]+"]}"))
		}
	}
	if !arenajson.ClearTables() {
		t.Error("a table that nobody uses has strings")
	}
}

// TestRepeatsShare checks that equal strings of a document share memory, and strings of two
// documents do not.
func TestRepeatsShare(t *testing.T) {
	type list []string // with a plan of its own
	in, _ := json.Marshal(strings.Split(strings.Repeat("red,green,a somewhat longer text,", 300), ","))
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		var got [2]list
		places := map[uintptr]bool{}
		for i := range got {
			if err := arenajson.Unmarshal(a, in, &got[i]); err != nil {
				t.Fatal(err)
			}
			for _, s := range got[i] {
				if s != "" {
					places[reflect.ValueOf(s).Pointer()] = true
				}
			}
		}
		if len(places) != 6 {
			t.Errorf("three strings of two documents lie in %d places", len(places))
		}
		runtime.KeepAlive(got)
	}
}
