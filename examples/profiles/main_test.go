package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/internal/testrun"
)

// TestMain lets the test binary measure, as run starts its own program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.ChildFlag {
		os.Exit(run(os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
	}
	os.Exit(testrun.Run(m))
}

// zipped compresses data.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// write writes a file into a new directory and returns its name.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// runProfiles runs the program and returns its output.
func runProfiles(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status = run(strings.NewReader(stdin), &out, &errOut, args)
	return status, out.String(), errOut.String()
}

func TestTopGolden(t *testing.T) {
	file := write(t, "small.pb", small())
	status, got, stderr := runProfiles(t, "", "-n", "0", "-top", "3", file)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	want, err := os.ReadFile("testdata/small.top")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestManual checks that the manual has every flag.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	manual, _, _ := strings.Cut(string(source), "package main")
	_, _, usage := runProfiles(t, "", "-h")
	flags := regexp.MustCompile(`(?m)^  (-\w+)`).FindAllStringSubmatch(usage, -1)
	if len(flags) != 9 {
		t.Errorf("%d flags in\n%s", len(flags), usage)
	}
	for _, f := range flags {
		if !regexp.MustCompile(`(?m)^//\t(-\w+, )?` + f[1] + `\b`).MatchString(manual) {
			t.Errorf("%s is not in the manual", f[1])
		}
	}
}

func TestMeasure(t *testing.T) {
	file := write(t, "small.pb.gz", zipped(small()))
	for _, test := range []struct {
		args  []string
		stdin string
		head  string
	}{
		{[]string{file}, "", " heap arena ratio"},
		{[]string{"-heap", file}, "", " heap"},
		{[]string{"-arena", file}, "", " arena"},
		{[]string{"-heap", "-arena", "-gzip", file, file}, "", " heap arena ratio"},
		{[]string{"-"}, string(small()), " heap arena ratio"},
		{nil, "", " heap arena ratio"}, // the profiles in testdata
	} {
		status, out, stderr := runProfiles(t, test.stdin, append([]string{"-n", "2", "-rounds", "1"}, test.args...)...)
		if status != 0 || stderr != "" {
			t.Errorf("%v: status %d, %s", test.args, status, stderr)
			continue
		}
		words := regexp.MustCompile(` +`).ReplaceAllString(out, " ")
		for _, want := range []string{"\n" + test.head + "\n", "\n time ", "\n CPU time ", "\n allocations ", "\n GC cycles ", "\n GC CPU ", "\n peak memory ", "runs got the same trees"} {
			if !strings.Contains(words, want) {
				t.Errorf("%v: no %q in\n%s", test.args, want, out)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	good := zipped(small())
	cut := write(t, "cut.pb.gz", good[:len(good)-20])
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0xff
	for _, test := range []struct {
		args   []string
		status int
		want   string // a regular expression
	}{
		{[]string{"-n", "x"}, 2, `invalid value "x" for flag -n`},
		{[]string{"-n", "-1"}, 2, `must not be negative`},
		{[]string{"-rounds", "0"}, 2, `-rounds and -maxsize must be positive`},
		{[]string{"-bad"}, 2, `flag provided but not defined: -bad`},
		{[]string{"-h"}, 0, `usage: profiles`},
		{[]string{dir + "/none"}, 1, `^profiles: open .*none: `},
		{[]string{dir}, 1, `^profiles: read .*: is a directory\n$`},
		{[]string{cut}, 1, `^profiles: .*cut.pb.gz: offset \d+: damaged gzip stream: unexpected EOF \(offset in the file\)\n$`},
		{[]string{write(t, "flipped", flipped)}, 1, `^profiles: .*flipped: offset \d+: `},
		{[]string{write(t, "header", good[:5])}, 1, `^profiles: .*header: offset 5: damaged gzip stream: `},
		{[]string{write(t, "text", []byte("hello"))}, 1, `^profiles: .*text: offset 2: field 13 of a profile: .* \(offset in the uncompressed data\)\n$`},
		{[]string{write(t, "short.gz", zipped(small()[:100]))}, 1, `^profiles: .*short.gz: offset \d+: .* \(offset in the uncompressed data\)\n$`},
		{[]string{write(t, "empty", nil)}, 1, `^profiles: .*empty: offset 0: the profile is empty`},
		{[]string{write(t, "none", pb{}.str(6, ""))}, 1, `^profiles: the profiles have no samples\n$`},
		{[]string{"-sample_index", "alloc", write(t, "small", small())}, 1, `^profiles: there is no sample type alloc; there are samples, cpu\n$`},
		{[]string{"-sample_index", "7", write(t, "small", small())}, 1, `^profiles: there is no sample type 7; there are samples, cpu\n$`},
		{[]string{"-maxsize", "1", write(t, "bomb", zipped(make([]byte, 1<<20+1)))}, 1, `^profiles: .*bomb: inflates to more than 1 MiB`},
		{[]string{"-maxsize", "1", write(t, "big", make([]byte, 1<<20+1))}, 1, `^profiles: .*big: larger than 1 MiB`},
		{[]string{"-html", dir, write(t, "small", small())}, 1, `^profiles: open .*: is a directory`},
	} {
		status, _, stderr := runProfiles(t, "", test.args...)
		if status != test.status || !regexp.MustCompile(test.want).MatchString(stderr) {
			t.Errorf("%v: status %d, want %d\n%s\nis not like %s", test.args, status, test.status, stderr, test.want)
		}
	}
}

// TestSampleIndex chooses sample types by name, by number, and not at all.
func TestSampleIndex(t *testing.T) {
	file := write(t, "small", small())
	for arg, want := range map[string]string{"": "cpu/nanoseconds: 100ns", "samples": "samples/count: 10 ", "0": "samples/count: 10 "} {
		status, out, stderr := runProfiles(t, "", "-n", "0", "-sample_index", arg, file)
		if status != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("%s: status %d, %s%s", arg, status, out, stderr)
		}
	}
}

// TestDefaultSampleType prefers what the profile prefers.
func TestDefaultSampleType(t *testing.T) {
	data := pb{}.msg(1, pb{}.num(1, 1)).msg(1, pb{}.num(1, 2)).num(14, 1).str(6, "").str(6, "first").str(6, "second")
	status, out, stderr := runProfiles(t, "", "-n", "0", write(t, "first", data))
	if status != 0 || !strings.HasPrefix(out, "first/: 0 ") {
		t.Errorf("status %d, %s%s", status, out, stderr)
	}
}

// TestGzip inflates a file as part of what is measured.
func TestGzip(t *testing.T) {
	for _, way := range []string{onHeap, inArena} {
		s := newService(config{gzip: true, maxSize: 1 << 20}, way)
		defer s.close()
		for range 3 {
			if err := s.ingest(input{raw: zipped(small()), data: "not used"}); err != nil {
				t.Fatal(err)
			}
		}
		if got := stacks(s.trees[0])[";main.main"]; got != "[6 60]" {
			t.Errorf("%s: %s", way, got)
		}
	}
}

func TestHTML(t *testing.T) {
	page := filepath.Join(t.TempDir(), "flame.html")
	status, _, stderr := runProfiles(t, "", "-n", "0", "-html", page, write(t, "small", hostile()))
	if status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(html), evil) {
		t.Error("a name is in the page as it is")
	}
	if !strings.Contains(string(html), "&lt;/script&gt;") {
		t.Error("the name is not in the table")
	}
	if regexp.MustCompile(`(src|href)=|url\(|@import|https?:`).Match(html) {
		t.Error("the page refers to something")
	}

	_, data, _ := strings.Cut(string(html), `<script type="application/json" id="data">`)
	data, rest, _ := strings.Cut(data, "</script>")
	var graphs []graph
	if err := json.Unmarshal([]byte(data), &graphs); err != nil {
		t.Fatal(err)
	}
	g := graphs[0]
	if len(graphs) != 1 || len(g.Value) != 2 || g.Value[0] != 5 || g.Names[g.Name[1]] != evil || g.Parent[1] != 0 {
		t.Errorf("the graph is %+v", graphs)
	}

	// The rest of the page, without its script, has balanced tags.
	_, rest, _ = strings.Cut(rest, "</script>")
	text, _, _ := strings.Cut(string(html), `<script type="application/json"`)
	d := xml.NewDecoder(strings.NewReader(text + rest))
	d.Strict = false
	d.AutoClose = []string{"meta", "input"}
	d.Entity = xml.HTMLEntity
	var open []string
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local != "meta" && e.Name.Local != "input" {
				open = append(open, e.Name.Local)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != e.Name.Local {
				t.Fatalf("</%s> closes %v", e.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
}

const evil = `</script><script>alert("x")</script><b>&amp;'{{.}}`

// hostile returns a profile whose one function has a name made to break out of
// a page.
func hostile() pb {
	return pb{}.msg(1, pb{}.num(1, 2)).msg(2, pb{}.packed(1, 1).packed(2, 5)).
		msg(4, pb{}.num(1, 1).msg(4, pb{}.num(1, 1))).msg(5, pb{}.num(1, 1).num(2, 1)).
		str(6, "").str(6, evil).str(6, evil)
}

// TestGraphWithoutParent leaves out a frame whose calls cancel out, and with it
// the calls, which would have no place in the graph.
func TestGraphWithoutParent(t *testing.T) {
	p := &Profile{SampleType: []ValueType{{"delta", "count"}}}
	frame := func(name string) *Location { return &Location{Line: []Line{{Function: &Function{Name: name}}}} }
	zero, up, down, other := frame("zero"), frame("up"), frame("down"), frame("other")
	for _, l := range []*Location{zero, up, down, other} {
		p.Function = append(p.Function, l.Line[0].Function)
	}
	p.Sample = []*Sample{
		{Location: []*Location{up, zero}, Value: []int64{10}},
		{Location: []*Location{down, zero}, Value: []int64{-10}},
		{Location: []*Location{other}, Value: []int64{1}},
	}
	tree := NewTree(nil, p)
	add(t, tree, p)
	g := newGraph(view{tree, 0})
	if !slices.Equal(g.Names, []string{"all", "other"}) || !slices.Equal(g.Parent, []int{-1, 0}) || !slices.Equal(g.Value, []int64{1, 1}) {
		t.Errorf("%+v", g)
	}
}

// TestLyingSize inflates a file that claims to be 4 GiB large.
func TestLyingSize(t *testing.T) {
	raw := zipped(small())
	copy(raw[len(raw)-4:], "\xff\xff\xff\xff")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := new(inflater).inflate(nil, input{name: "file", raw: raw}, 1<<30)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("no error")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 10<<20 {
		t.Errorf("%d bytes allocated for a file of %d", n, len(raw))
	}
}

// TestDifferenceIsAnError breaks the comparison of the results.
func TestDifferenceIsAnError(t *testing.T) {
	c := config{n: 1, rounds: 1, ways: []string{onHeap}, maxSize: 1 << 20}
	in := input{name: write(t, "small", small()), data: string(small())}
	err := measureAll(io.Discard, io.Discard, c, []input{in}, []string{"-n", "1", in.name}, "another digest")
	if err == nil || !strings.Contains(err.Error(), "the trees differ") {
		t.Error(err)
	}
}
