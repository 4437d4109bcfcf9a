package arenajson_test

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

//go:embed testdata/JSONTestSuite.txt
var testSuite string

// suiteFiles returns the files of JSONTestSuite by their names.
func suiteFiles(t *testing.T) map[string]string {
	files := map[string]string{}
	for line := range strings.Lines(testSuite) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "#" {
			continue
		}
		times := 1
		if n, quoted, ok := strings.Cut(rest, " "); ok && rest[0] != '"' {
			times, _ = strconv.Atoi(n)
			rest = quoted
		}
		var text string
		for rest != "" {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatal(name, err)
			}
			part, _ := strconv.Unquote(quoted)
			text += strings.Repeat(part, times)
			times, rest = 1, strings.TrimSpace(rest[len(quoted):])
		}
		files[name] = text
	}
	if len(files) != 318 {
		t.Fatalf("there are %d files, want 318", len(files))
	}
	return files
}

// TestSuite decodes the files of JSONTestSuite. Those with a name that begins with y are JSON,
// those with n are not.
func TestSuite(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]string](), reflect.TypeFor[[]float64](), reflect.TypeFor[json.RawMessage](),
		reflect.TypeFor[small](), reflect.TypeFor[[]json.Number](), reflect.TypeFor[*string](), reflect.TypeFor[callLog](), reflect.TypeFor[[]int64](),
	}
	for name, in := range suiteFiles(t) {
		if got, want := arenajson.Valid([]byte(in)), json.Valid([]byte(in)); got != want || name[0] == 'y' && !got || name[0] == 'n' && got {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		for _, typ := range types {
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				for _, before := range []string{"", "[1]", `{"a":1}`, `"x"`} {
					if compare(t, a, arenajson.UnmarshalOptions{}, typ, []byte(before), []byte(in)) {
						t.Error(name)
					}
				}
			}
		}
		var v any
		if got, want := arenajson.NewDecoder(strings.NewReader(in)).Decode(nil, &v), json.NewDecoder(strings.NewReader(in)).Decode(&v); !sameError(got, want) {
			t.Errorf("%s: Decoder has the error %v, want %v", name, got, want)
		}
	}
}
