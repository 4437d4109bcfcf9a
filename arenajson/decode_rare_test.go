package arenajson_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// These types have methods that do what methods must not do.

// hook is what the methods call, unless it is nil.
var hook func(b []byte)

type (
	hookJSON  struct{}
	hookArena struct{}
	hookText  struct{}
	hookKey   string
	hookInner struct{}
	hooked    struct {
		A string
		J *hookJSON
		R *hookArena
		T *hookText
		M map[hookKey]string
		I *hookInner
		B string
		L []string
	}
)

func hooks(b []byte) error {
	if hook != nil {
		hook(b)
	}
	return nil
}

func (*hookJSON) UnmarshalJSON(b []byte) error                       { return hooks(b) }
func (*hookArena) UnmarshalJSON(b []byte) error                      { return hooks(b) }
func (*hookArena) UnmarshalJSONArena(_ *arena.Arena, b []byte) error { return hooks(b) }
func (*hookText) UnmarshalText(b []byte) error                       { return hooks(b) }
func (*hookKey) UnmarshalText(b []byte) error                        { return hooks(b) }
func (*hookInner) UnmarshalJSON(b []byte) error                      { return hooks(b) }
func (*hookInner) UnmarshalJSONArena(a *arena.Arena, b []byte) (err error) {
	defer func() { recover() }() // the one around has to notice it all the same
	return arenajson.Unmarshal(a, []byte(`{"J":1,"B":"inner"}`), new(hooked))
}

// TestMethodEndsArena has methods end the arena that is decoded into: with the document in the arena, and beside it. What lies there from then on must not be
// taken for the document.
func TestMethodEndsArena(t *testing.T) {
	long := strings.Repeat("text ", 100)
	for what, end := range map[string]func(p *arena.Pool, a *arena.Arena){
		"Reset": func(_ *arena.Pool, a *arena.Arena) { a.Reset() }, "Free": func(_ *arena.Pool, a *arena.Arena) { a.Free() }, "Put": (*arena.Pool).Put,
	} {
		for _, field := range []string{`"J":{}`, `"R":[0]`, `"T":"t"`, `"M":{"key":"value"}`, `"I":1`} {
			for _, text := range []string{"short", long} {
				doc := fmt.Sprintf(`{"A":%q,%s,"B":%q,"L":["last"]}`, text, field, text)
				p := &arena.Pool{}
				a := p.Get()
				hook = nil
				for range 20 { // so that the share of text is known
					compare(t, a, arenajson.UnmarshalOptions{}, reflect.TypeFor[hooked](), nil, []byte(doc))
					a.Reset()
				}
				hook = func([]byte) {
					if end(p, a); what == "Reset" {
						for range 100 {
							arena.String(a, strings.Repeat(`,"B":"x`, 100))
						}
					}
				}
				var v hooked
				got := func() (r any) {
					defer func() { r = recover() }()
					return arenajson.Unmarshal(a, []byte(doc), &v)
				}()
				want := "arena: an arena is used after "
				if what == "Reset" {
					want = "arenajson: a method of "
				}
				if s := fmt.Sprint(got); !strings.HasPrefix(s, want) {
					t.Errorf("%s in %s: %v, %d bytes", what, field, got, len(v.B))
				}
				hook = nil
				if what != "Reset" {
					a = p.Get()
				}
				compare(t, a, arenajson.UnmarshalOptions{}, reflect.TypeFor[hooked](), nil, []byte(doc))
			}
		}
	}
}

// TestMethodKeepsBytes has a method keep bytes, and write to them while a later document is decoded. That may damage the later document, which is noticed, and must not
// take away the zeros behind it.
func TestMethodKeepsBytes(t *testing.T) {
	defer func() { hook = nil }()
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for _, c := range []byte(` "{[1,:x`) {
			var kept []byte
			hook = func(b []byte) { kept = b }
			if err := arenajson.Unmarshal(a, fmt.Appendf(nil, `{"A":"","J":"%0800d"}`, 0), new(hooked)); err != nil {
				t.Fatal(err)
			}
			hook = func([]byte) {
				for i := range kept {
					kept[i] = c
				}
			}
			var v hooked
			got := func() (r any) {
				defer func() { r = recover() }()
				return arenajson.Unmarshal(a, []byte(`{"A":"first","J":2,"B":"second"}`), &v)
			}()
			if s := fmt.Sprint(got); !strings.HasPrefix(s, "arenajson: the document ") || v.A != "first" || v.B != "" {
				t.Errorf("%q: %v, %+v", c, got, v)
			}
		}
	}
}
