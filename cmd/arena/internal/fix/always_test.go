package fix

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestAlone: the arena is in a struct while a method runs only if each call changes the struct, or
// if the user says so.
func TestAlone(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import "sync"

type T struct{ text string; in *T; list [2]string; mu *sync.Mutex }

type S struct{ text, other string; in *T; list []string; n int; r Source }

type Source interface{ Read([]byte) (int, error) }

func reads(Source) {}

func (s *S) Do(flag bool) string {
	BODY
	return s.text + s.made()
}

func (s *S) made() string { return s.text + "." }

func (s *S) set(flag bool) { if flag { s.text = "a" }; s.in.next() }

func (t *T) next() { t.text = "b" }

func (s S) copied() { s.n++ }

func (s *S) loops(n int) { if n > 0 { s.loops(n - 1) }; s.n++ }
`
	alone := map[string]bool{
		"s.n++":                                 true,
		"s.text = s.other":                      true,
		"if flag { s.text = s.other }":          false,
		"if flag { return s.made() }; s.n++":    false,
		"if flag { panic(s.made()) }; s.n++":    true,
		"if flag { s.n++ } else { s.n = 3 }":    true,
		"for range s.list { s.n++ }":            false,
		"s.list[0] = s.text":                    false,
		"s.in.list[0] = s.text":                 false,
		"_ = flag && s.n == len(s.made())":      false,
		"s = &S{}; s.n++":                       false,
		"s.in.text = s.text":                    false, // T has a lock
		"s.set(flag)":                           false,
		"s.copied()":                            false,
		"s.loops(3)":                            true,
		"defer s.loops(3)":                      true,
		"go s.loops(3)":                         false,
		"func() { s.n++ }()":                    false,
		"switch { case flag: s.n++; default: }": false,
		"s.r.Read(nil)":                         true,
		"reads(s.r)":                            true,
		"_ = s.r.(interface{ Size() int })":     true,
		"_ = s.r == nil":                        false,
		"if flag { reads(s.r) }":                false,
	}
	bodies := slices.Sorted(maps.Keys(alone))
	var modules []string
	for _, body := range bodies {
		modules = append(modules, strings.Replace(source, "BODY", body, 1))
	}
	check := func(body string, asked bool, r *Result, src string) {
		if got := strings.Contains(src, "swapArena"); got != (alone[body] || asked) || got != slices.Contains(r.Carriers, "example.com/m.S") {
			t.Errorf("%s, asked %v: the arena is in S: %v\n%s", body, asked, got, src)
		}
	}
	o := Options{Roots: []string{"m.S.Do"}}
	results, texts := apart(t, modules, o)
	for i, body := range bodies {
		check(body, false, results[i], texts[i])
	}
	const body = "s.set(flag)"
	o.Carriers = []string{"m.S"}
	r, src := rewritten(t, strings.Replace(source, "BODY", body, 1), o)
	check(body, true, r, src)
}
