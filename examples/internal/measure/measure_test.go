package measure

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestValue(t *testing.T) {
	for _, test := range []struct {
		v    int64
		unit string
		want string
	}{
		{0, "nanoseconds", "0"}, {999, "nanoseconds", "999ns"}, {1500, "nanoseconds", "1.5µs"}, {12345678, "nanoseconds", "12.35ms"},
		{-2e9, "nanoseconds", "-2.00s"}, {1023, "bytes", "1023B"}, {1536, "bytes", "1.5kB"}, {-5 << 30, "bytes", "-5GB"},
		{1 << 60, "bytes", "1.049e+06TB"}, {42, "count", "42"}, {42, "", "42"}, {42, "widgets", "42widgets"},
	} {
		if got := Value(test.v, test.unit); got != test.want {
			t.Errorf("Value(%d, %s) = %s, want %s", test.v, test.unit, got, test.want)
		}
	}
	for v, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -123456: "-123,456", 1234567: "1,234,567"} {
		if got := Thousands(v); got != want {
			t.Errorf("Thousands(%d) = %s, want %s", v, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	runs := map[string][]int64{"heap": {5, 3000, 1000}, "arena": {500, 8, 900}, "free": {0}}
	var b strings.Builder
	if err := WriteTable(&b, []string{"heap", "arena", "free"}, runs, []Quantity[int64]{
		{Name: "objects", Unit: "count", Of: func(r int64) int64 { return r }},
		{Name: "time", Unit: "nanoseconds", Of: func(r int64) int64 { return 3 * r }},
		{Name: "rate", Unit: "count", Of: func(r int64) int64 { return r }, More: true},
	}); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
	const want = " heap arena ratio free ratio\n objects 1,000 500 2.00 0 -\n time 3µs 1.5µs 2.00 0 -\n rate 1,000 500 0.50 0 -\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if m := Median(nil, func(r int64) int64 { return r }); m != 0 {
		t.Errorf("the median of nothing is %d", m)
	}
}

// TestNoise has a control that differs from what it repeats, by a little and by too much.
func TestNoise(t *testing.T) {
	for _, test := range []struct {
		control int64
		want    string
	}{
		{100, " 100 100 1.00 10 10.00"}, {149, " 100 149 0.67 10 10.00"}, {68, " 100 68 1.47 10 10.00"},
		{151, " 100 151 noise 10 noise"}, {66, " 100 66 noise 10 noise"}, {4200, " 100 4,200 noise 10 noise"}, {0, " 100 0 - 10 10.00"},
	} {
		var b strings.Builder
		runs := map[string][]int64{"plain": {100}, "plain" + Again: {test.control}, "arena": {10}}
		if err := WriteTable(&b, []string{"plain", "plain" + Again, "arena"}, runs, []Quantity[int64]{
			{Name: "n", Unit: "count", Of: func(r int64) int64 { return r }},
			{Name: "more", Unit: "count", Of: func(r int64) int64 { return r }, More: true},
		}); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(regexp.MustCompile(` +`).ReplaceAllString(b.String(), " "), "\n")
		noisy := strings.Contains(test.want, "noise")
		if got[1] != " n"+test.want || strings.Contains(got[2], "noise") != noisy || strings.HasPrefix(got[3], "noise: ") != noisy {
			t.Errorf("control %d: %q, want %q", test.control, got, test.want)
		}
	}
}

// TestUsage allocates, collects and computes, and looks for it in the difference.
func TestUsage(t *testing.T) {
	before := Used()
	for range 100 {
		sink = make([]byte, 1<<20)
	}
	runtime.GC()
	u := Used().Since(before)
	if u.Objects < 100 || u.Bytes < 100<<20 || u.Cycles == 0 || u.GCCPU <= 0 || u.CPU <= 0 || u.Time <= 0 || u.Time > time.Hour || u.Peak < 1<<20 {
		t.Errorf("%+v", u)
	}
}

var sink []byte

// TestProgress writes to what is no terminal, and as to one.
func TestProgress(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{new(strings.Builder), f} {
		if p := NewProgress(w); p.w != nil {
			t.Errorf("%T is a terminal", w)
		}
	}
	var b strings.Builder
	p := &Progress{w: &b}
	p.Show("round %d", 10)
	p.Show("end")
	p.Clear()
	p.Clear()
	if want := "\rround 10\rend     \r   \r"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
