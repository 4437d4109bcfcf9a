package growth

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
)

var sink []byte

// findings returns which measures a row exceeds.
func findings(t *testing.T, row Row) string {
	var all []string
	for _, f := range row.check(t, false) {
		all = append(all, string(f.measure)+f.way)
	}
	return strings.Join(all, " ")
}

// TestFinds has work that grows too fast in each way, and work that does not.
func TestFinds(t *testing.T) {
	keep := func(n int) func() {
		b := new([]byte)
		return func() { *b = make([]byte, n) }
	}
	allocate := func(n int) func() { return func() { sink = make([]byte, n); sink = nil } }
	call := func(n int) func() {
		return func() {
			for range n {
				Call()
			}
		}
	}
	read := func(n int) func() {
		return func() { io.Copy(io.Discard, Reader(strings.NewReader(strings.Repeat("x", n)))) }
	}
	write := func(n int) func() {
		return func() {
			for range n {
				io.WriteString(Writer(), "x")
			}
		}
	}
	for _, test := range []struct {
		name      string
		n         int
		do        func(n int) func()
		ours      func(n int) int
		reference func(n int) int
		want      string
	}{
		{"allocates the same", 100_000, allocate, func(n int) int { return n }, func(n int) int { return n }, ""},
		{"allocates twice as much", 100_000, allocate, func(n int) int { return 2 * n }, func(n int) int { return n }, ""},
		{"allocates ten times as much", 100_000, allocate, func(n int) int { return 10 * n }, func(n int) int { return n }, "bytes"},
		{"allocates the square", 1000, allocate, func(n int) int { return n * n / 10 }, func(n int) int { return 100 * n }, "bytes"},
		{"allocates the square as well", 1000, allocate, func(n int) int { return n * n }, func(n int) int { return n * n }, ""},
		{"keeps the square", 1000, keep, func(n int) int { return n * n / 10 }, func(n int) int { return 100 * n }, "bytes kept"},
		{"calls twice", 100, call, func(n int) int { return 2 * n }, func(n int) int { return n }, ""},
		{"calls the square", 100, call, func(n int) int { return n * n }, func(n int) int { return n }, "calls"},
		{"calls 2^n", 40, call, func(n int) int { return 1 << min(n, 30) }, func(n int) int { return n }, "calls"},
		{"reads on", 100_000, read, func(n int) int { return n }, func(n int) int { return 10 }, "bytes read"},
		{"writes byte by byte", 1000, write, func(n int) int { return n }, func(n int) int { return 1 }, "written"},
	} {
		got := findings(t, Row{Name: test.name, N: test.n, New: func(n int) Work {
			return Ours(test.do(test.ours(n)), test.do(test.reference(n)))
		}})
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
	for want, ours := range map[string]func(n int) int{"": func(n int) int { return n }, "calls": func(n int) int { return n * n }} {
		got := findings(t, Row{Name: "alone", N: 100, New: func(n int) Work { return Ours(call(ours(n)), nil) }})
		if got != want {
			t.Errorf("without a reference: found %q, want %q", got, want)
		}
	}
}

// TestCounters decodes counters as package internal/coverage writes them, in both ways of writing
// numbers.
func TestCounters(t *testing.T) {
	for _, raw := range []bool{false, true} {
		b := make([]byte, 32)
		copy(b, "\x00cwm\x01")
		b[24] = 2
		if raw {
			b[24] = 1
		}
		b = binary.LittleEndian.AppendUint64(b, 2)
		b = binary.LittleEndian.AppendUint32(b, 3)
		b = binary.LittleEndian.AppendUint32(b, 5)
		b = append(b, "tables.."...)
		for _, n := range []uint32{2, 0, 7, 1000, 1, 1, 0, 9, 500} {
			if raw {
				b = binary.LittleEndian.AppendUint32(b, n)
			} else {
				b = binary.AppendUvarint(b, uint64(n))
			}
		}
		if sum, err := sumCounters(b); sum != 1501 || err != nil {
			t.Errorf("raw %t: %d, %v", raw, sum, err)
		}
		for n := range b {
			if _, err := sumCounters(b[:n]); err == nil {
				t.Errorf("raw %t: no error for %d bytes", raw, n)
			}
		}
	}
}

// TestShapes looks at documents of each form.
func TestShapes(t *testing.T) {
	s := Shape{Open: "[", Fill: "0,", Leaf: "1", Close: "]"}
	for _, test := range []struct {
		form  Form
		place Place
		want  string
	}{
		{Deep, Nowhere, "[0,[0,[0,[0,1]]]]"},
		{Long, Nowhere, "[0,0,0,0,1]"},
		{Both, Nowhere, "[0,0,[0,0,1]]"},
		{Deep, Top, "[x0,[0,[0,[0,1]]]]"},
		{Deep, Middle, "[0,[0,[x0,[0,1]]]]"},
		{Both, Bottom, "[0,0,[0,0,x1]]"},
		{Long, End, "[0,0,0,0,1]x"},
	} {
		if got := s.Doc(test.form, 4, test.place, "x"); !bytes.Equal(got, []byte(test.want)) {
			t.Errorf("%s, %s: %s, want %s", test.form, test.place, got, test.want)
		}
	}
}
