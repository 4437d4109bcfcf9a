package jsonwire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/jsonwire"
)

// TestBytes compares what reads any document with what reads a Text, at each position of random
// documents, and both with encoding/json.
func TestBytes(t *testing.T) {
	r := seeded(t)
	pieces := []string{`"`, `\`, `\"`, `\u12`, `\u00e9`, `\ud83d\ude00`, `\x`, "é", "\xff", "text", "sixteen letters ", " ", "\n\t\r ", "\x00", "\x1f",
		"0", "-", "12", "1.5", "1e", "E+7", ".", "true", "false", "null", "nul", "{", "}", "[", "]", ",", ":", `"a":`}
	for range rounds(40_000) {
		var all strings.Builder
		for range r.IntN(12) {
			all.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := all.String()
		b, text := []byte(s), textOf(s)
		for i := range len(b) + 1 {
			check := func(what string, got, want any) {
				if got != want {
					t.Fatalf("%s at %d of %q: %v, want %v", what, i, s, got, want)
				}
			}
			check("Char", jsonwire.Char(b, i), text.Char(i))
			check("Space", jsonwire.Space(b, i), text.Space(i))
			end, ascii := text.EndOfString(i)
			n, few := jsonwire.EndOfRun(b, i)
			check("EndOfRun", [2]any{n, few}, [2]any{end, ascii})
			check("Hex4", max(jsonwire.Hex4(b, i), -1), max(text.Hex4(i), -1))
			check("null", jsonwire.Word(b, i, "null") > 0, text.IsNull(i))
			check("true", jsonwire.Has(b, i, "true"), text.IsTrue(i))
			check("false", jsonwire.Has(b, i, "false"), text.IsFalse(i))
			number := text.SkipNumber(i)
			check("Number", jsonwire.Number(b[i:]), max(number-i, 0))
			check("Digits", jsonwire.Digits(b[i:], 0) > 0, jsonwire.IsDigit(text.Char(i)))
			if text.Char(i) == '\\' {
				check("Escape", jsonwire.Escape(b, i), text.SkipEscape(i))
			}
			if text.Char(i) == '"' {
				check("EndOfString", jsonwire.EndOfString(b, i), text.SkipString(i+1))
			} else {
				check("EndOfString", jsonwire.EndOfString(b, i), -1)
			}
			value := text.Skip(text.Space(i), 0)
			check("EndOfValue", jsonwire.EndOfValue(b, i, jsonwire.MaxNesting), value)
			check("Valid", value >= 0 && text.Space(value) == len(b), json.Valid(b[i:]))
			_, valid := jsonwire.AppendCompact(nil, b[i:], 0, jsonwire.MaxNesting)
			check("AppendCompact", valid, json.Valid(b[i:]))
			if value > 0 && text.Char(text.Space(i)) == '"' {
				var want string
				if err := json.Unmarshal(b[i:value], &want); err != nil {
					t.Fatal(err)
				}
				got, end := text.Unquote(nil, text.Space(i)+1)
				check("Unquote", [2]any{string(got), end}, [2]any{want, value})
			}
		}
	}
}
