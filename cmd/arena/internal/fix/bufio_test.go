package fix

import (
	"strings"
	"testing"
)

const bufioSource = `
-- a.go --
package m

import (
	"bufio"
	"io"
)

func Lines(r io.Reader) (all []string, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		all = append(all, s.Text())
	}
	return all, s.Err()
}

type Parser struct {
	in   *bufio.Reader
	Tags []string
	Body []byte
}

func Parse(r io.Reader) (*Parser, error) {
	p := &Parser{in: bufio.NewReader(r)}
	for {
		tag, err := p.in.ReadString(' ')
		p.Tags = append(p.Tags, tag)
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		if p.Body, err = p.in.ReadBytes(';'); err != nil {
			return p, nil
		}
	}
}

func Value(r io.Reader) string {
	var b bufio.Reader
	b.Reset(r)
	line, _ := b.ReadString('\n')
	return line
}

type Embeds struct{ *bufio.Reader }

func (e Embeds) Line() string {
	line, _ := e.ReadString('\n')
	return line
}

func Embedded(r io.Reader) string { return Embeds{bufio.NewReaderSize(r, 64)}.Line() }

var last *bufio.Reader

func Kept(r io.Reader) int {
	last = bufio.NewReader(r)
	return last.Size()
}
-- a_test.go --
package m

import (
	"fmt"
	"strings"
	"testing"
)

func Test(t *testing.T) {
	for range 3 {
		all, err := Lines(strings.NewReader("a\nb"))
		p, err2 := Parse(strings.NewReader("x body;y more;z"))
		line, other := Value(strings.NewReader("l\nm")), Embedded(strings.NewReader("n\no"))
		got := fmt.Sprintf("%q %v %q %q %v %q %q %d", all, err, p.Tags, p.Body, err2, line, other, Kept(strings.NewReader("k")))
		if text, _ := last.ReadString(0); text != "k" {
			t.Errorf("what is kept has %q", text)
		}
		const want = "[\"a\" \"b\"] <nil> [\"x \" \"y \" \"z\"] \"more;\" <nil> \"l\\n\" \"n\\n\" 4096"
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
`

// TestBufio: readers, scanners, and what they return, move, unless they are left.
func TestBufio(t *testing.T) {
	o := Options{Roots: strings.Fields("m.Lines m.Parse m.Value m.Embedded m.Kept")}
	_, src := rewritten(t, bufioSource, o)
	for _, want := range []string{
		"s := arenabufio.NewScanner(ar, r)", "arenabufio.Text(ar, s)", "p.in = arenabufio.NewReader(ar, r)", "arenabufio.ReadString(ar, p.in, ' ')",
		"arenabufio.ReadBytes(ar, p.in, ';')", "arenabufio.ReadString(ar, &b, '\\n')", "arenabufio.NewReaderSize(ar, r, 64)", "last = bufio.NewReader(r)", "e.ReadString('\\n')",
	} {
		if !strings.Contains(src, want) {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
	arena := sources(t)
	t.Chdir(written(t, bufioSource))
	tested(t, arena, o)
}
