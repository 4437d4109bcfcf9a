package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// committed returns the profiles of testdata.
func committed(t testing.TB) []input {
	t.Helper()
	inputs, err := readAll(nil, nil, 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) < 3 {
		t.Fatalf("%d profiles in testdata", len(inputs))
	}
	return inputs
}

// pprof runs go tool pprof on a file and returns the lines of its output.
func pprof(t *testing.T, args ...string) []string {
	t.Helper()
	testrun.NeedProgram(t, "go", "https://go.dev/dl")
	cmd := exec.Command("go", append([]string{"tool", "pprof", "-symbolize=none"}, args...)...)
	cmd.Env = append(cmd.Environ(), "PPROF_TMPDIR="+t.TempDir())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v\n%s", err, stderr.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// rawLines lists the samples, locations and mappings of a profile as `go tool
// pprof -raw` does, with one space between words.
func rawLines(p *Profile) []string {
	var lines []string
	add := func(words ...any) { lines = append(lines, strings.Join(strings.Fields(fmt.Sprintln(words...)), " ")) }
	for _, s := range p.Sample {
		words := []any{}
		for i, v := range s.Value {
			colon := ""
			if i == len(s.Value)-1 {
				colon = ":"
			}
			words = append(words, fmt.Sprint(v)+colon)
		}
		for _, l := range s.Location {
			words = append(words, l.ID)
		}
		add(words...)
		for _, l := range s.Label {
			if l.Str != "" {
				add(fmt.Sprintf("%s:[%s]", l.Key, l.Str))
			} else {
				add(fmt.Sprintf("%s:[%d]", l.Key, l.Num))
			}
		}
	}
	add("Locations")
	for _, l := range p.Location {
		words := []any{fmt.Sprintf("%d: %#x", l.ID, l.Address)}
		if l.Mapping != nil {
			words = append(words, fmt.Sprint("M=", l.Mapping.ID))
		}
		for _, line := range l.Line {
			f := line.Function
			add(append(words, fmt.Sprintf("%s %s:%d:%d s=%d", f.Name, f.Filename, line.Line, line.Column, f.StartLine))...)
			words = nil
		}
	}
	add("Mappings")
	for _, m := range p.Mapping {
		has := ""
		if m.HasFunctions {
			has += "[FN]"
		}
		if m.HasFilenames {
			has += "[FL]"
		}
		if m.HasLineNumbers {
			has += "[LN]"
		}
		if m.HasInlineFrames {
			has += "[IN]"
		}
		add(fmt.Sprintf("%d: %#x/%#x/%#x", m.ID, m.Start, m.Limit, m.Offset), m.File, m.BuildID, has)
	}
	return lines
}

func TestDecodeAgreesWithPprof(t *testing.T) {
	for _, in := range committed(t) {
		want := pprof(t, "-raw", in.name)
		start := slices.Index(want, "Samples:")
		for i := range want {
			want[i] = strings.Join(strings.Fields(want[i]), " ")
		}
		want = want[start+2:]
		p, err := Decode(nil, in.data)
		if err != nil {
			t.Fatal(err)
		}
		got := rawLines(p)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%s: line %d of %d (pprof: %d)\ngot   %q\npprof %q", in.name, i, len(got), len(want), got[min(i, len(got)-1)], want[min(i, len(want)-1)])
				break
			}
		}
	}
}

func TestTopAgreesWithPprof(t *testing.T) {
	for _, in := range committed(t) {
		p, err := Decode(nil, in.data)
		if err != nil {
			t.Fatal(err)
		}
		tree := NewTree(nil, p)
		add(t, tree, p)
		for index, v := range p.SampleType {
			want := map[string]Row{}
			var total int64
			table := false
			for _, line := range pprof(t, "-top", "-trim=false", "-nodecount=1000000000", "-unit="+v.Unit, "-sample_index="+v.Type, in.name) {
				number := func(s string) int64 {
					n, err := strconv.ParseInt(strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzB"), 10, 64)
					if err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					return n
				}
				w := strings.Fields(line)
				if table {
					name := strings.Join(w[5:], " ")
					name = strings.TrimSuffix(strings.TrimSuffix(name, " (inline)"), " (partial-inline)")
					want[name] = Row{name, number(w[0]), number(w[3])}
				}
				if strings.HasPrefix(line, "Showing nodes") {
					total = number(w[len(w)-2])
				}
				table = table || w[0] == "flat"
			}
			rows := tree.Top(index)
			if total == 0 || tree.Root.Total != total {
				t.Errorf("%s: total %s %d, pprof has %d", in.name, v, tree.Root.Total, total)
			}
			for _, r := range rows {
				if want[r.Name] != r {
					t.Errorf("%s: %s: %+v, pprof has %+v", in.name, v, r, want[r.Name])
				}
				delete(want, r.Name)
			}
			for _, r := range want {
				if r.Flat != 0 || r.Cum != 0 {
					t.Errorf("%s: %s: no row for %+v of pprof", in.name, v, r)
				}
			}
		}
	}
}

func TestDecodeSmall(t *testing.T) {
	p, err := Decode(nil, string(small()))
	if err != nil {
		t.Fatal(err)
	}
	cpu := ValueType{"cpu", "nanoseconds"}
	main := &Function{ID: 1, Name: "main.main", SystemName: "main.main", Filename: "a.go", StartLine: 5}
	work := &Function{ID: 2, Name: "main.work", SystemName: "main.work", Filename: "a.go", StartLine: 15}
	leaf := &Function{ID: 3, Name: "main.leaf", SystemName: "main.leaf", Filename: "a.go", StartLine: 25}
	a := &Mapping{1, 0x1000, 0x2000, 0x10, "/bin/a", "build", true, true, true, true}
	libc := &Mapping{ID: 2, Start: 0x8000, Limit: 0x9000, File: "/lib/libc.so"}
	l1 := &Location{1, a, 0x1100, []Line{{main, 7, 3}}, false}
	l2 := &Location{2, a, 0x1200, []Line{{leaf, 30, 0}, {work, 20, 0}}, true}
	l3 := &Location{3, a, 0x1300, []Line{{work, 21, 0}}, false}
	l4 := &Location{4, libc, 0x8100, nil, false}
	want := &Profile{
		SampleType: []ValueType{{"samples", "count"}, cpu},
		Sample: []*Sample{
			{[]*Location{l2, l1}, []int64{1, 10}, []Label{{"request", "<b>&\"x", 0, ""}, {"bytes", "", 128, "bytes"}}},
			{[]*Location{l1}, []int64{2, 20}, nil},
			{[]*Location{l3, l3, l1}, []int64{3, 30}, nil},
			{[]*Location{l4}, []int64{4, 40}, nil},
		},
		Mapping:           []*Mapping{a, libc},
		Location:          []*Location{l1, l2, l3, l4},
		Function:          []*Function{main, work, leaf},
		TimeNanos:         1700000000000000000,
		DurationNanos:     5e9,
		PeriodType:        cpu,
		Period:            1e7,
		Comment:           []string{"a comment"},
		DefaultSampleType: "cpu",
		DocURL:            "https://example.org/",
	}
	if diff := difference(p, want); diff != "" {
		t.Error(diff)
	}
	// Writers mix the fields of a message in any order.
	mixed := string(shuffled(small(), rand.New(rand.NewPCG(1, 2))))
	if p, err := Decode(nil, mixed); err != nil || len(p.Sample) != 4 || len(p.Location) != 4 {
		t.Errorf("mixed order: %v", err)
	}
}

// shuffled returns a profile with its fields in another order, the strings
// apart.
func shuffled(b pb, rng *rand.Rand) pb {
	var fields []pb
	d := &decoder{data: string(b)}
	var table pb
	for f := d.fields("profile", span{0, int32(len(b))}); f.next(); {
		if f.num == stringTable {
			table = append(table, b[f.at:f.pos]...)
		} else {
			fields = append(fields, b[f.at:f.pos])
		}
	}
	fields = append(fields, table)
	rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return slices.Concat(fields...)
}

// difference compares two profiles; an empty slice equals nil.
func difference(x, y *Profile) string {
	if got, want := fmt.Sprintf("%+v", flat(reflect.ValueOf(x))), fmt.Sprintf("%+v", flat(reflect.ValueOf(y))); got != want {
		return fmt.Sprintf("the profiles differ:\n%s\n%s", got, want)
	}
	return ""
}

// flat replaces pointers by what they point to.
func flat(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return flat(v.Elem())
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, flat(v.Index(i)))
		}
		return list
	case reflect.Struct:
		list := []any{}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				list = append(list, v.Type().Field(i).Name, flat(v.Field(i)))
			}
		}
		return list
	}
	return fmt.Sprintf("%#v", v)
}

func TestDamaged(t *testing.T) {
	types := slices.Clip(pb{}.msg(1, pb{}.num(1, 1).num(2, 2)))
	strings := pb{}.str(6, "").str(6, "a").str(6, "b")
	location := pb{}.msg(4, pb{}.num(1, 1))
	for _, test := range []struct {
		name   string
		data   pb
		offset int
		reason string
	}{
		{"empty", nil, 0, "the profile is empty"},
		{"text", pb("not a profile"), 0, "field 13 of a profile: the wire type 6 is unknown"},
		{"cut tag", types.num(9, 1)[:7], 7, "a number is cut off"},
		{"long number", append(types.num(9, 1)[:7], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), 7, "a number has more than 64 bits"},
		{"number of 11 bytes", append(types.num(9, 1)[:7], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0), 7, "a number has more than 64 bits"},
		{"length", append(types, 0x32, 0x05, 'a'), 6, "field 6 of a profile: 5 bytes are announced and 1 are left"},
		{"huge length", append(types, 0x32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), 6, "field 6 of a profile: 18446744073709551615 bytes are announced and 0 are left"},
		{"field 0", append(types, 0x00, 0x01), 6, "a profile has no field 0"},
		{"group", append(types, 0x9b, 0x06, 0x9c, 0x06), 6, "field 99 of a profile: the wire type 3 is unknown"},
		{"fixed64 cut off", append(types, 0x99, 0x06, 1, 2, 3), 6, "field 99 of a profile: the message ends in the middle"},
		{"number for a message", types.num(2, 1), 6, "field 2 of a profile: wire type 0 where a message or a string is due"},
		{"message for a number", slices.Concat(types, strings, pb{}.str(9, "abc")), 14, "field 9 of a profile: wire type 2 where a number is due"},
		{"message for a string index", pb{}.msg(1, pb{}.str(1, "cpu")), 2, "field 1 of a value type: wire type 2 where a number is due"},
		{"string index", append(types, pb{}.str(6, "").str(6, "a")...), 4, "field 2 of a value type: there is no string 2 in a table of 2"},
		{"first string", append(types, pb{}.str(6, "a").str(6, "b").str(6, "c")...), 8, "the first string is \"a\", not empty"},
		{"no location", slices.Concat(types, strings, pb{}.msg(2, pb{}.packed(1, 7).packed(2, 1))), 16, "the sample has a location 7, which does not exist"},
		{"location 0", slices.Concat(types, strings, location, pb{}.msg(2, pb{}.packed(1, 0).packed(2, 1))), 20, "the sample has a location 0, which does not exist"},
		{"no function", slices.Concat(types, strings, pb{}.msg(4, pb{}.num(1, 1).msg(4, pb{}.num(1, 9)))), 20, "field 1 of a line: there is no function 9"},
		{"no mapping", slices.Concat(types, strings, pb{}.msg(4, pb{}.num(1, 1).num(2, 9))), 18, "field 2 of a location: there is no mapping 9"},
		{"location twice", slices.Concat(types, strings, location, location), 20, "the location's id 1 is 0 or used before"},
		{"location without id", slices.Concat(types, strings, pb{}.msg(4, pb{}.num(3, 1))), 16, "the location's id 0 is 0 or used before"},
		{"function twice", slices.Concat(types, strings, pb{}.msg(5, pb{}.num(1, 1<<40)).msg(5, pb{}.num(1, 1<<40))), 25, "the function's id 1099511627776 is 0 or used before"},
		{"values", slices.Concat(types, strings, pb{}.msg(2, pb{}.packed(2, 1, 2))), 16, "the sample has 2 values and the profile 1 sample types"},
		{"no values", slices.Concat(strings, pb{}.msg(2, pb{})), 10, "the sample has 0 values and the profile 0 sample types"},
		{"cut number in a list", slices.Concat(types, strings, pb{}.msg(2, pb{}.str(1, "\x80").packed(2, 1))), 18, "a number is cut off"},
		{"endless stacks", endless(), 2010, "the stacks have more than 24128 frames, too many for a profile of 3016 bytes"},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			p, err := Decode(a, string(test.data))
			var format *FormatError
			if !errors.As(err, &format) || p != nil {
				t.Errorf("%s: %v, %v", test.name, p, err)
			} else if want := (FormatError{test.offset, test.reason}); *format != want {
				t.Errorf("%s:\ngot  %v\nwant %v", test.name, err, &want)
			}
		}
	}
}

// endless returns a small profile whose one location represents 1,000 frames and is in a stack
// 1,000 times.
func endless() pb {
	b := pb{}.msg(1, pb{})
	location := pb{}.num(1, 1)
	for range 1000 {
		location = location.msg(4, pb{})
	}
	b = b.msg(4, location)
	stack := make([]uint64, 1000)
	for i := range stack {
		stack[i] = 1
	}
	return b.msg(2, pb{}.packed(1, stack...).packed(2, 1))
}

// TestTruncated cuts a profile off everywhere.
func TestTruncated(t *testing.T) {
	data := string(small())
	a := arena.NewArena()
	defer a.Free()
	for n := range data {
		p, err := Decode(nil, data[:n])
		q, errArena := Decode(a, data[:n])
		if fmt.Sprint(err) != fmt.Sprint(errArena) {
			t.Fatalf("%d bytes: %v on the heap, %v in an arena", n, err, errArena)
		}
		if err == nil {
			if diff := difference(p, q); diff != "" {
				t.Fatalf("%d bytes: %s", n, diff)
			}
			continue
		}
		var format *FormatError
		if !errors.As(err, &format) || format.Offset < 0 || format.Offset > n {
			t.Fatalf("%d bytes: %v", n, err)
		}
		a.Reset()
	}
}

// TestSparseIDs decodes a profile whose ids are not 1 to n.
func TestSparseIDs(t *testing.T) {
	data := pb{}.msg(1, pb{}).str(6, "").str(6, "f").str(6, "g").
		msg(5, pb{}.num(1, 1<<50).num(2, 1)).msg(5, pb{}.num(1, 7).num(2, 2)).
		msg(4, pb{}.num(1, 900).msg(4, pb{}.num(1, 7))).msg(4, pb{}.num(1, 3).msg(4, pb{}.num(1, 1<<50))).
		msg(2, pb{}.packed(1, 900, 3).packed(2, 5))
	p, err := Decode(nil, string(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Sample[0].Location[0].Line[0].Function.Name + p.Sample[0].Location[1].Line[0].Function.Name; got != "gf" {
		t.Errorf("the stack is %q", got)
	}
}

// FuzzDecode feeds the decoder anything. Heap and arena must agree.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(small()))
	f.Add([]byte(endless()))
	f.Add([]byte(shuffled(small(), rand.New(rand.NewPCG(3, 4)))))
	a, long := arena.NewArena(), arena.NewArena()
	f.Fuzz(func(t *testing.T, b []byte) {
		defer a.Reset()
		defer long.Reset()
		p, err := Decode(nil, string(b))
		q, errArena := Decode(a, string(b))
		if fmt.Sprint(err) != fmt.Sprint(errArena) {
			t.Fatalf("%v on the heap, %v in an arena", err, errArena)
		}
		if err != nil {
			return
		}
		if diff := difference(p, q); diff != "" {
			t.Fatal(diff)
		}
		if len(p.SampleType) == 0 {
			return
		}
		x, y := NewTree(nil, p), NewTree(long, q)
		add(t, x, p)
		add(t, y, q)
		if x.Digest() != y.Digest() {
			t.Fatal("the trees differ")
		}
		checkTree(t, y)
	})
}

// TestTestdataIsPublic checks that the profiles name no file of the machine
// that they were made on, apart from the Go distribution.
func TestTestdataIsPublic(t *testing.T) {
	for _, in := range committed(t) {
		d := &decoder{data: in.data}
		if d.profile(); d.err != nil {
			t.Fatal(d.err)
		}
		for _, s := range d.strings {
			if strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "/usr/local/go/") {
				t.Errorf("%s has the string %q", in.name, s)
			}
		}
	}
}
