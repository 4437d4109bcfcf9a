package fix

import (
	"strings"
	"testing"
)

const valuesSource = `
-- a.go --
package m

import "fmt"

type Header struct{ Name, Text string }

// Parse is for headers of users, too.
type Parse func(name string, text []byte) (*Header, error)

var parsers map[string]Parse

func init() {
	parsers = map[string]Parse{"a": plain, "b": marked, "c": func(name string, text []byte) (*Header, error) { return &Header{name, "c"}, nil }}
}

func Register(name string, p Parse) { parsers[name] = p }

func plain(name string, text []byte) (*Header, error) { return &Header{name, string(text)}, nil }

func marked(name string, text []byte) (*Header, error) {
	h, err := parsers["a"](name, text)
	h.Text += "!"
	return h, err
}

// Headers finds its functions in variables, fields and results; one of them is a method.
func Headers(names []string, text []byte) (all []*Header) {
	for _, name := range names {
		parse := parsers[name]
		h, err := parse(name, text)
		if err != nil {
			panic(err)
		}
		all = append(all, h)
	}
	return all
}

type Join func(sep string, parts ...string) string

func (j Join) Do(parts []string) string { return j("-", parts...) }

func reversed(sep string, parts ...string) (s string) {
	for _, p := range parts {
		s = p + sep + s
	}
	return s
}

type step struct{ run func(s string) (string, bool) }

func quoted(s string) (string, bool) { return "'" + s + "'", true }

func twice(s string) (string, bool) { return s + s, false }

var steps = []step{{quoted}, {twice}, {method.quote}}

type quoter string

var method = quoter("*")

func (q quoter) quote(s string) (string, bool) { return string(q) + s + string(q), true }

// Steps calls what fields have.
func Steps(s string) (string, int) {
	n := 0
	for _, st := range steps {
		text, ok := st.run(s)
		if ok {
			n++
		}
		s = text
	}
	return Join(reversed).Do([]string{s, s}), n
}

// each has a parameter, whose closures stay on the stack.
func each(list []string, f func(s string) (string, bool)) (all []string) {
	for _, s := range list {
		text, _ := f(s)
		all = append(all, text)
	}
	return all
}

func Each(list []string) []string {
	var again func(s string) (string, bool)
	again = func(s string) (string, bool) {
		if len(s) < 3 {
			return again(s + s)
		}
		return quoted(s)
	}
	s, _ := again(list[0])
	return append(each(list, quoted), s)
}

// Shape is for other packages.
type Shape interface{ Draw(n int) string }

var shapes []Shape

func Add(s Shape) { shapes = append(shapes, s) }

type line string

func (l line) Draw(n int) string { return string(l) + "-" + string(rune('0'+n)) }

func (l line) String() string { return string(l) + "." }

// Draw calls methods by interfaces, of which one is of another package and gives no arena.
func Draw(n int) (all string) {
	for _, s := range shapes {
		all += s.Draw(n)
		if text, ok := s.(fmt.Stringer); ok {
			all += text.String()
		}
	}
	return all
}

func init() { Add(line("l")) }

// None has no function.
func None(s string) (msg any) {
	defer func() { msg = recover() }()
	var j Join
	return j(s)
}
-- more/more.go --
package more

import "example.com/m"

func init() { m.Register("d", double) }

func double(name string, text []byte) (*m.Header, error) {
	return &m.Header{Name: name, Text: string(text) + string(text)}, nil
}
type Square struct{ Side string }

func (s *Square) Draw(n int) string { return s.Side + s.Side + string(rune('0'+n)) }

func init() { m.Add(&Square{"s"}) }
-- more/more_test.go --
package more

import (
	"fmt"
	"testing"

	"example.com/m"
)

func user(name string, text []byte) (*m.Header, error) { return &m.Header{Name: "user", Text: string(text)}, nil }

// frame has a second form, of another method.
type frame struct{ *Square }

func (f frame) Draw(n int) string { return "f" }

func Test(t *testing.T) {
	m.Register("u", user)
	m.Add(frame{})
	for range 3 {
		got := ""
		for _, h := range m.Headers([]string{"a", "b", "c", "d", "u"}, []byte("text")) {
			got += h.Name + h.Text + " "
		}
		s, n := m.Steps("x")
		got += fmt.Sprint(s, n, m.Each([]string{"y"}), m.None("") != nil, m.Draw(1))
		const want = "atext btext! cc dtexttext usertext *'x''x'*-*'x''x'*-2 ['y' 'yyyy'] truel-1l.ss1f"
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
`

// TestValues: calls of function values give the arena to the functions of the program.
func TestValues(t *testing.T) {

	o := Options{Roots: strings.Fields("m.Headers m.Steps m.Each m.Draw m.None"), Patterns: []string{".", "./more"}}
	r, src := rewritten(t, valuesSource, o)
	want := map[string]bool{"m.plain": true, "m.marked": true, "m.reversed": true, "m.quoted": true, "m.twice": true, "more.double": true, "m.line.Draw": true, "more.Square.Draw": true}
	for _, s := range r.Sites {
		if s.Why == "" {
			delete(want, s.Function[strings.LastIndex(s.Function, "/")+1:])
		}
	}
	for f := range want {
		t.Errorf("nothing moves in %s", f)
	}
	for _, s := range []string{"h, err := ArenaParse(ar, parse, name, text)", "return ArenaJoin(ar, j, \"-\", parts...)", "text, ok := arenaFunc(ar, st.run, s)", "text, _ := f(s)", "s, _ := again(list[0])", "ArenaShapeDraw(ar, s, n)", "m.ArenaShapeDrawForms[reflect.TypeFor[*Square]()] = func", "m.ArenaParseForms[reflect.ValueOf(double).Pointer()] = doubleIn"} {
		if !strings.Contains(src, s) {
			t.Errorf("no %s in\n%s", s, src)
		}
	}
	arena := sources(t)
	t.Chdir(written(t, valuesSource))
	tested(t, arena, o)
}
