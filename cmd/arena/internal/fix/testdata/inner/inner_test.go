package inner

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for range 3 {
		for _, src := range []string{"", "one", "a b", "one two  three", strings.Repeat(" word", 100)} {
			want := append(strings.Fields(src), ".")
			got, at := Words(src)
			if src == "" {
				if got != nil || at != "nowhere" {
					t.Errorf("%q: %q %s", src, got, at)
				}
				continue
			}
			if !slices.Equal(got, want) || at != "line 0, column "+text(len(src)) {
				t.Errorf("%q: %q %s", src, got, at)
			}
			if got := Again(src); !slices.Equal(got, want) {
				t.Errorf("%q: %q", src, got)
			}
			if got := Anew(src); !slices.Equal(got, want) {
				t.Errorf("%q: %q", src, got)
			}
		}
	}
}

func TestTabs(t *testing.T) {
	for range 3 {
		if got := Tabs(4); !slices.Equal(got, []int{4, 5}) {
			t.Error(got)
		}
	}
}
