package reach

import (
	"strings"
	"sync"
	"testing"
)

// TestReaders: what goroutines only read is not written, even with arenas. They call so few roots
// that no arena has its turn again.
func TestReaders(t *testing.T) {
	d, l, x := dicts["ab"], &Titled{}, &Duplex{}
	l.Title()
	texts := func(list []*Node) (s string) {
		for _, n := range list {
			s += n.Text
		}
		return s
	}
	for want, get := range map[string][2]func() string{
		"a=ab=b":         {func() string { return texts(d.Split("a b")) }},
		"b=b":            {func() string { return texts(Looked("ab", "b")) }},
		"two=twotwo=two": {func() string { return texts(Once("two")) }},
		"'title.":        {func() string { return l.Title().Text }},
		"<<.":            {func() string { return x.Read().Text }, func() string { return strings.ReplaceAll(x.Write().Text, ">", "<") }},
	} {
		if get[1] == nil {
			get[1] = get[0]
		}
		together(t, want, get[:]...)
	}
	p := NewPhrase("q")
	say := func() string { return p.Say(false) }
	together(t, "q!", say, say)
}

// together has goroutines call functions, which return the same text.
func together(t *testing.T, want string, get ...func() string) {
	t.Helper()
	var all sync.WaitGroup
	for _, get := range get {
		all.Go(func() {
			for range 2 {
				if got := get(); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
	all.Wait()
}
