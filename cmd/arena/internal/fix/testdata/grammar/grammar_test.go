package grammar

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"a":             "<a>",
		"a !":           "!<a>",
		"a b c d - + !": "",
		"a b c - + !":   "!+<a>-<b><c>",
	} {
		for range 40 {
			if got := Parse(text).String(); got != want && want != "" {
				t.Fatalf("%s is %s", text, got)
			}
		}
	}
	deep := strings.Repeat("a ", 100) + strings.Repeat("+ ", 99)
	if got := Parse(deep).String(); got != strings.Repeat("+<a>", 99)+"<a>" {
		t.Error(got)
	}
}

func TestRecover(t *testing.T) {
	w := &words{}
	func() {
		defer w.recover()
		panic("no word")
	}()
	if w.result.String() != "panic" {
		t.Error(w.result)
	}
}
