package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// plain returns a node as encoding/json has it, with UseNumber.
func (n *node) plain() any {
	switch n.kind {
	case isNull:
		return nil
	case isFalse, isTrue:
		return n.kind == isTrue
	case isNumber:
		return json.Number(n.text)
	case isString:
		return n.text
	case isArray:
		list := []any{}
		for m := n.first; m != nil; m = m.next {
			list = append(list, m.plain())
		}
		return list
	}
	members := map[string]any{}
	for m := n.first; m != nil; m = m.next {
		members[m.name] = n.get(m.name).plain()
	}
	return members
}

// depth returns how deep arrays and objects are nested in a valid document.
func depth(text string) (deepest int) {
	now, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '[' || c == '{'):
			now++
			deepest = max(deepest, now)
		case !quoted && (c == ']' || c == '}'):
			now--
		}
	}
	return deepest
}

// checkJSON compares parseJSON with encoding/json, on the heap and in a, which it resets.
func checkJSON(t *testing.T, a *arena.Arena, text string) {
	t.Helper()
	var want any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	valid := json.Valid([]byte(text)) && depth(text) <= maxDepth
	if valid {
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []*arena.Arena{nil, a} {
		n, err := parseJSON(a, text)
		switch {
		case !valid && err == nil:
			t.Fatalf("%q is accepted", text)
		case valid && err != nil:
			t.Fatalf("%q: %v", text, err)
		case valid && !reflect.DeepEqual(n.plain(), want):
			t.Fatalf("%q: %v, want %v", text, n.plain(), want)
		}
	}
	a.Reset()
}

// randomDocument writes a document to b, with odd spaces and escapes.
func randomDocument(r *rand.Rand, b *strings.Builder, depth int) {
	space := func() { b.WriteString([]string{"", "", "", " ", "\n\t", "\r"}[r.IntN(6)]) }
	text := func() {
		b.WriteByte('"')
		for range r.IntN(6) {
			b.WriteString([]string{"a", "word", "é", "\u2028", "\x7f", "\xff", "\xe2\x82", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\ud83d\ude00`,
				`\ud83d`, `\ude00\ud83d`, `\ud83dx`, `\u00e9`, `\u0000`, "😀", "\ufffd"}[r.IntN(20)])
		}
		b.WriteByte('"')
	}
	space()
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch r.IntN(kinds) {
	case 0, 1, 2:
		b.WriteString([]string{"null", "true", "false"}[r.IntN(3)])
	case 3:
		b.WriteString([]string{"0", "-0", "17", "-1.5", "1e9", "2E-3", "0.1e+400", "123456789012345678901234567890"}[r.IntN(8)])
	case 4, 5:
		text()
	case 6:
		b.WriteByte('[')
		for i := range r.IntN(5) {
			if i > 0 {
				b.WriteByte(',')
			}
			randomDocument(r, b, depth-1)
		}
		space()
		b.WriteByte(']')
	case 7:
		b.WriteByte('{')
		for i := range r.IntN(5) {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			text()
			space()
			b.WriteByte(':')
			randomDocument(r, b, depth-1)
		}
		space()
		b.WriteByte('}')
	}
	space()
}

// TestRandomJSON parses random documents, and the same with a byte changed, removed or added.
func TestRandomJSON(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	a := arena.NewArena()
	for range 3000 {
		var b strings.Builder
		randomDocument(r, &b, 5)
		text := b.String()
		checkJSON(t, a, text)
		for range 5 {
			at := r.IntN(len(text) + 1)
			const odd = "{}[]\",:\\0-.eEtu \x00\x1f\x80"
			c := odd[r.IntN(len(odd)):][:1]
			rest := text[at:]
			if rest != "" && r.IntN(3) > 0 {
				rest = rest[1:]
			}
			if r.IntN(3) == 0 {
				c = ""
			}
			checkJSON(t, a, text[:at]+c+rest)
		}
	}
}

var documents = []string{
	"", " ", "nul", "nulll", "tru", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "1 2", "[", "[1", "[1,", "[1,]", "[,1]", "]", "{", `{"`, `{"a"`,
	`{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{}{}`, `"`, `"\`, `"\u12`, `"\u12g4"`, `"\u+123"`, `"\x"`, `"\ud800\u"`, `"\ud800\u12"`,
	`"\ud800\udc00"`, `"\udc00\ud800"`, "\"\n\"", "\"\x00\"", "\"\xff\"", "\xef\xbb\xbf1", "1\x00", "\x00", `{"a":1,"a":[2]}`, `{"":0}`, "[[],{},[{}]]", "\v1",
	strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
	strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth),
	strings.Repeat("[", 100000),
}

func TestJSON(t *testing.T) {
	a := arena.NewArena()
	for _, text := range documents {
		checkJSON(t, a, text)
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range documents[:len(documents)-1] {
		f.Add(text)
	}
	f.Add(string(randomOrder(rand.New(rand.NewPCG(1, 1)), 2)))
	f.Fuzz(func(t *testing.T, text string) {
		checkJSON(t, arena.NewArena(), text)
		checkWriter(t, text)
	})
}

// checkWriter compares a string that the writer has written with encoding/json: byte by byte where the string is
// UTF-8. For a byte that is none, versions of Go differ in how they write U+FFFD, but not in what it means.
func checkWriter(t *testing.T, s string) {
	t.Helper()
	encode := func(s string) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	w := writer{Builder: arena.NewBuilder(nil)}
	w.str(s)
	got := w.String() + "\n"
	if want := encode(string([]rune(s))); got != want {
		t.Fatalf("%q is written as %s, want %s", s, got, want)
	}
	var means, want string
	if err := errors.Join(json.Unmarshal([]byte(got), &means), json.Unmarshal([]byte(encode(s)), &want)); err != nil || means != want {
		t.Fatalf("%q is written as %s, which means %q, want %q; %v", s, got, means, want, err)
	}
}

// TestWriter writes all characters, bytes that are none, and structure.
func TestWriter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r == 0x3000 {
			r = 0xd000 // up to there all is alike
		}
		checkWriter(t, "a"+string(r)+"b")
		if r < 256 {
			checkWriter(t, string([]byte{'a', byte(r)}))
			checkWriter(t, string([]byte{0xe2, byte(r), 'b'}))
		}
		if r == 0x10100 {
			break
		}
	}
	w := writer{Builder: arena.NewBuilder(nil)}
	w.open('{')
	for i := range 2 {
		w.name(fmt.Sprint("n", i))
		w.open('[')
		w.int(-1)
		w.null()
		w.open('[')
		w.close(']')
		w.open('{')
		w.close('}')
		w.close(']')
	}
	w.close('}')
	if want := `{"n0":[-1,null,[],{}],"n1":[-1,null,[],{}]}`; w.String() != want {
		t.Errorf("%s, want %s", w.String(), want)
	}
}
