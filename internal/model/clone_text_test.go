package model_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
)

// TestDeepCloneText checks that strings which are parts of one text are parts of one copy of what
// they reach of it.
func TestDeepCloneText(t *testing.T) {
	type part struct {
		name string
		any  any
		m    map[string]string
	}
	text := strings.Repeat("0123456789", 50)
	other := strings.Clone(text)
	in := func(s, of string) int {
		return int(uintptr(unsafe.Pointer(unsafe.StringData(s))) - uintptr(unsafe.Pointer(unsafe.StringData(of))))
	}
	v := []part{
		{name: text[20:300], any: text[250:350], m: map[string]string{text[:3]: text[340:]}},
		{name: text[2:20], any: other[7:9]},
		{name: other[9:10], any: text[21:22]},
		{any: byte('x'), name: ""},
		{name: text[30:360]},
	}
	c := arena.DeepClone(v)
	var all, copies []string
	for i, list := range []*[]string{&all, &copies} {
		p := [][]part{v, c}[i]
		*list = append(*list, p[0].name, p[0].any.(string), p[1].name, p[1].any.(string), p[2].name, p[2].any.(string), p[4].name)
		for k, v := range p[0].m {
			*list = append(*list, k, v)
		}
		if p[3].any != byte('x') {
			t.Errorf("a byte in an interface is %v", p[3].any)
		}
	}
	for i, s := range all {
		if copies[i] != s {
			t.Errorf("the copy of %q is %q", s, copies[i])
		}
		if d := in(copies[i], text); d >= 0 && d < len(text) {
			t.Errorf("the copy of %q is not a copy", s)
		}
		for j, r := range all {
			overlap := in(r, s) >= 0 && in(r, s) < len(s)
			if overlap && in(r, s) != in(copies[j], copies[i]) {
				t.Errorf("%q and %q overlap by %d bytes, and their copies by %d", s, r, in(r, s), in(copies[j], copies[i]))
			}
		}
	}
}

// TestDeepCloneGrowth checks that the memory for strings and slices that overlap grows with their
// number, and what they reach.
func TestDeepCloneGrowth(t *testing.T) {
	type view struct {
		text  string
		bytes []byte
		ints  []*int
		any   any
	}
	for shape, part := range map[string]func(i, n int) (from, to int){
		"suffixes": func(i, n int) (int, int) { return i, n },
		"prefixes": func(i, n int) (int, int) { return 0, i + 1 },
		"windows":  func(i, n int) (int, int) { return i, min(i+n/2, n) },
		"middles":  func(i, n int) (int, int) { return i / 2, n - i/2 },
	} {
		size := func(n int) float64 {
			text, bytes, ints := strings.Repeat("x", n), make([]byte, n), make([]*int, n)
			for i := range ints {
				ints[i] = new(int)
			}
			v := make([]view, n)
			for i := range v {
				from, to := part(i, n)
				v[i] = view{text[from:to], bytes[from:to], ints[from:to], text[from:to]}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c := arena.DeepClone(v)
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(c)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		n := 1000
		one, four := size(n), size(4*n)
		if four > 8*one || one > float64(n)*4000 {
			t.Errorf("%s: %d parts take %.0f bytes, and %d take %.0f", shape, n, one, 4*n, four)
		}
	}
}
