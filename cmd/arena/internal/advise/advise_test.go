package advise

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// A program is a model of one: what it does in each unit of work, as calls with a price. Its
// profiles are those that Go would take.
type program struct {
	calls []call
}

// A call is a stack, the innermost function first, and what it costs in the run.
type call struct {
	stack   string // "runtime.mallocgc runtime.newobject example.com/p.leaf:12 example.com/p.Parse:3"
	cpu     int64  // samples of CPU time, of 10 ms
	objects int64
	bytes   int64
	inuse   int64
}

// profiles returns the profiles of the program.
func (p program) profiles(t testing.TB) Input {
	t.Helper()
	cpu := &builder{p: &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}, Period: 10e6,
	}}
	mem := &builder{p: &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		Period:     512 << 10,
	}}
	for _, c := range p.calls {
		names := strings.Fields(c.stack)
		if c.cpu > 0 {
			cpu.add(names, c.cpu, c.cpu*10e6)
		}
		if c.bytes > 0 {
			for isRuntime(frame{pkg: profiles.PackageOf(names[0])}) {
				names = names[1:] // as the runtime does
			}
			mem.add(names, c.objects, c.bytes, 0, c.inuse)
		}
	}
	for _, b := range []*builder{cpu, mem} {
		if err := b.p.CheckValid(); err != nil {
			t.Fatal(err)
		}
	}
	return Input{CPU: cpu.p, Allocs: mem.p}
}

type builder struct {
	p    *profile.Profile
	locs map[string]*profile.Location
}

func (b *builder) add(names []string, values ...int64) {
	s := &profile.Sample{Value: values}
	for _, n := range names {
		l := b.locs[n]
		if l == nil {
			fn, line, _ := strings.Cut(n, ":")
			fn, test, _ := strings.Cut(fn, "@") // "example.com/p.BenchmarkX@_test:7" is in a file of tests
			var at int64
			fmt.Sscan(line, &at)
			pkg := profiles.PackageOf(fn)
			file := "/home/u/" + pkg + "/x" + test + ".go"
			if first, _, _ := strings.Cut(pkg, "/"); !strings.Contains(first, ".") && pkg != "main" {
				file = "/usr/local/go/src/" + pkg + "/x.go"
			}
			f := &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: fn, Filename: file}
			b.p.Function = append(b.p.Function, f)
			l = &profile.Location{ID: uint64(len(b.p.Location) + 1), Line: []profile.Line{{Function: f, Line: at}}}
			b.p.Location = append(b.p.Location, l)
			if b.locs == nil {
				b.locs = map[string]*profile.Location{}
			}
			b.locs[n] = l
		}
		s.Location = append(s.Location, l)
	}
	b.p.Sample = append(b.p.Sample, s)
}

const (
	mb     = 1 << 20
	newOf  = "runtime.mallocgcSmallScanNoHeader runtime.mallocgc runtime.newobject "
	worker = "runtime.gcDrain runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker"
)

// parser is a program that an arena suits: half of its time is spent on values that die with each
// unit of work.
func parser() program {
	return program{[]call{
		{"example.com/p.lex:5 example.com/p.Parse:3 main.main:9", 500, 0, 0, 0},
		{newOf + "example.com/p.node:12 example.com/p.(*tree).expr:30 example.com/p.(*tree).expr:31 example.com/p.Parse:3 main.main:9", 300, 40e6, 2000 * mb, 0},
		{worker, 200, 0, 0, 0},
	}}
}

func analyze(t *testing.T, p program, edit func(*Input)) *Advice {
	t.Helper()
	in := p.profiles(t)
	if edit != nil {
		edit(&in)
	}
	a, err := Analyze(in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFixes: with what arena fix says, the program's own code moves as far as fix moves it.
func TestFixes(t *testing.T) {
	site := func(line int, why string) fix.Site {
		return fix.Site{Package: "example.com/p", File: "/elsewhere/x.go", Line: line, Lines: lines(line, line+1), Why: why}
	}
	perhaps := site(12, "")
	perhaps.Perhaps = true
	without := analyze(t, parser(), nil).Total()
	for _, c := range []struct {
		name     string
		sites    []fix.Site
		low, may bool
		left     string
	}{
		{"moves", []fix.Site{site(12, "")}, true, true, ""},
		{"moves where it is used", []fix.Site{site(11, "")}, true, true, ""},
		{"stays", []fix.Site{site(12, "in an error")}, false, false, "arena fix leaves it: in an error"},
		{"both", []fix.Site{site(12, "in an error"), site(12, "")}, false, true, ""},
		{"perhaps", []fix.Site{perhaps}, false, true, ""},
		{"the site that begins there decides", []fix.Site{site(11, "in an error"), site(12, "")}, true, true, ""},
		{"not reached", []fix.Site{site(40, "")}, false, false, "arena fix leaves it: not reached from the root, or made by a library"},
	} {
		a := analyze(t, parser(), func(in *Input) { in.Sites = c.sites })
		var want Range
		if c.low {
			want.Low = without.Low
		}
		if c.may {
			want.High = without.High
		}
		if got := a.Total(); got != want {
			t.Errorf("%s: saves %v, want %v", c.name, got, want)
		}
		if c.left != "" && (len(a.Left) != 1 || a.Left[0].Why != c.left) {
			t.Errorf("%s: left %v, want %s", c.name, a.Left, c.left)
		}
		if (a.Verdict == Yes) != c.low {
			t.Errorf("%s: pays %v", c.name, a.Verdict)
		}
	}
}

// moved says that arena fix moves what parser allocates.
func moved(in *Input) {
	in.Sites = []fix.Site{{Package: "example.com/p", File: "x.go", Line: 12, Lines: lines(12)}}
}

// TestPays: it is yes if arena fix moves what is allocated, and perhaps if it was not asked.
func TestPays(t *testing.T) {
	if a := analyze(t, parser(), nil); a.Verdict != Perhaps || a.Reason != NoSources {
		t.Errorf("without sources %v: %s", a.Verdict, a.Why)
	}
	a := analyze(t, parser(), moved)
	if a.Verdict != Yes || a.Reason != ItPays || len(a.Scopes) != 1 || a.Scopes[0].Function != "example.com/p.Parse" {
		t.Fatalf("pays %v, %s, scopes %v", a.Verdict, a.Why, a.Scopes)
	}
	s := a.Scopes[0]
	perByte := 2000 * mb / 10e9 // of 10 s
	if want := 0.3*saveMalloc[object].High + 0.2*saveCollector.High + perByte*saveMiss.High; math.Abs(s.Reset.High-want) > 1e-9 {
		t.Errorf("saves %v, want up to %v: malloc takes three tenths, the collector two", s.Reset, want)
	}
	if s.Confidence != "high" {
		t.Errorf("confidence %s", s.Confidence)
	}
	if a.Cycles != 500 { // 2,000 MB, 4 MB a cycle
		t.Errorf("%v cycles", a.Cycles)
	}
	if len(s.Sites) != 1 || s.Sites[0].Line != 12 || s.Sites[0].Kind != "values" {
		t.Errorf("sites %+v", s.Sites)
	}
}

// TestPaysNot has a program for each reason not to say yes.
func TestPaysNot(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    func(p *program)
		verdict Verdict
		reason  Reason
		why     string
	}{
		{"nothing to save", func(p *program) { p.calls[0].cpu = 30000 }, No, NothingToSave, "nothing to save"},
		{"may live long", func(p *program) { p.calls[1].inuse = 2 * mb }, Perhaps, Uncertain, "not certain"},
		{"arena fix does not reach it", func(p *program) { p.calls[1].stack = strings.ReplaceAll(p.calls[1].stack, ":12", ":13") }, No, TooLittle, "not reached"},
		{"lives long", func(p *program) {
			p.calls[1].inuse = 300 * mb
			p.calls = append(p.calls, call{stack: "time.now:1 main.main:9", objects: 1e6, bytes: 5000 * mb})
		}, No, TooLittle, "at most 0 %"},
		{"network", func(p *program) {
			p.calls[1].stack = newOf + "net/textproto.(*Reader).ReadMIMEHeader:7 net/http.readRequest:3 net/http.(*conn).serve:9"
		}, No, TooLittle, "the network"},
		{"driver", func(p *program) {
			p.calls[1].stack = newOf + "modernc.org/sqlite.(*rows).Next:7 database/sql.(*Rows).Next:5 main.main:9"
		}, No, TooLittle, "driver"},
		{"adapter", func(p *program) {
			p.calls[1].stack = newOf + "reflect.New:1 encoding/json.(*decodeState).object:7 encoding/json.Unmarshal:3 main.main:9"
		}, No, ByAdapter, "arenajson"},
		{"arena fix moves little", func(p *program) {
			p.calls[1].stack, p.calls[2].cpu = strings.ReplaceAll(p.calls[1].stack, ":12", ":13"), 30
		}, Perhaps, ByHandOnly, "by hand only"},
		{"GOGC, and it is not certain what an arena saves", func(p *program) {
			p.calls[2].cpu, p.calls[1].inuse = 400, 2*mb
		}, Perhaps, Uncertain, "not certain"},
		{"GOGC", func(p *program) { p.calls[1].cpu = 0; p.calls[2].cpu = 500 }, No, SettingsFirst, "GOGC=400 saves"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parser()
			c.edit(&p)
			a := analyze(t, p, func(in *Input) {
				moved(in)
				if c.reason == ByHandOnly {
					in.ByHand = 0.3
				}
			})
			if a.Verdict != c.verdict || a.Reason != c.reason || !strings.Contains(a.Why, c.why) {
				t.Errorf("%v by %v: %s; want %v by %v, and %q", a.Verdict, a.Reason, a.Why, c.verdict, c.reason, c.why)
			}
		})
	}
}

// TestAdapted: what a library allocates that has an adapter is in one of two ranges, and not in a
// wide one.
func TestAdapted(t *testing.T) {
	p := parser()
	p.calls[1].stack = newOf + "reflect.New:1 encoding/json.(*decodeState).object:7 encoding/json.Unmarshal:3 main.main:9"
	a := analyze(t, p, nil)
	with, names := a.Adapted()
	direct := parser() // asks for memory by no function that says for what
	direct.calls[1].stack = strings.Replace(direct.calls[1].stack, "runtime.newobject ", "", 1)
	asIs, own := a.AsIs(), analyze(t, direct, nil).Total()
	if asIs != (Range{}) || with != own || names != "arenajson" {
		t.Errorf("saves %v as it is, %v with %s; want nothing, and %v with arenajson", asIs, with, names, own)
	}
	if a.Verdict == Yes || !strings.Contains(a.Why, "As it is an arena would save 0 %") || !strings.Contains(a.Why, "With arenajson") || !strings.Contains(a.Why, "it would save "+own.String()+": then it pays.") {
		t.Errorf("pays %v: %s", a.Verdict, a.Why)
	}
	// What may live long is not certain to move with an adapter either.
	p.calls[1].inuse = 2 * mb
	a = analyze(t, p, nil)
	if with, _ := a.Adapted(); with.Low != 0 || with.High == 0 || strings.Contains(a.Why, "then it pays") {
		t.Errorf("with values that may live long %v: %s", with, a.Why)
	}
	// Without adapters both are the range.
	a = analyze(t, parser(), nil)
	if with, names := a.Adapted(); with != a.Total() || a.AsIs() != a.Total() || names != "" {
		t.Errorf("without adapters %v and %v, of %v, with %q", a.AsIs(), with, a.Total(), names)
	}
}

func TestTooFew(t *testing.T) {
	p := parser()
	p.calls[0].cpu, p.calls[1].cpu, p.calls[2].cpu = 100, 50, 20
	var few *TooFewError
	if _, err := Analyze(p.profiles(t)); !errors.As(err, &few) || few.Profile != "cpu" {
		t.Errorf("error %v, want one about the CPU profile", err)
	}
	p = parser()
	p.calls[1].bytes, p.calls[1].objects = 10*mb, 1000
	if _, err := Analyze(p.profiles(t)); !errors.As(err, &few) || few.Profile != "allocs" {
		t.Errorf("error %v, want one about the profile of allocations", err)
	}
}

// TestMine: what another module allocates moves by a port only.
func TestMine(t *testing.T) {
	p := parser()
	p.calls[1].stack = newOf + "other.org/lib.make:2 example.com/p.Parse:3 main.main:9"
	a := analyze(t, p, func(in *Input) { in.Mine = []string{"example.com/p"} })
	if total := a.Total(); a.Verdict == Yes || total.Low != 0 || total.High < worthIt || a.Scopes[0].Sites[0].Hint != "a port of other.org/lib" {
		t.Errorf("%v, saves %v: %s", a.Verdict, total, a.Why)
	}
	if a := analyze(t, p, nil); a.Total().Low < worthIt {
		t.Errorf("without a list of packages: %s", a.Why)
	}
	// With sources it stays, and the name of a file says that it is of the module cache.
	if a := analyze(t, p, func(in *Input) { moved(in); in.Mine = []string{"example.com/p"} }); a.Total() != (Range{}) || a.Left[0].Hint != "a port of other.org/lib" {
		t.Errorf("with sources %v, left %v", a.Total(), a.Left)
	}
	for _, dir := range []string{"/home/u/go/pkg/mod/other.org/lib@v1.2.3/x.go", "/home/u/p/vendor/other.org/lib/x.go"} {
		a := analyze(t, p, func(in *Input) {
			for _, f := range slices.Concat(in.CPU.Function, in.Allocs.Function) {
				if strings.HasPrefix(f.Name, "other.org/") {
					f.Filename = dir
				}
			}
		})
		if total := a.Total(); total.Low != 0 || total.High < worthIt {
			t.Errorf("%s: saves %v", dir, total)
		}
	}
	// A list makes even the standard library one's own.
	p.calls[1].stack = newOf + "go/parser.(*parser).parseExpr:2 go/parser.ParseFile:3 main.main:9"
	if a := analyze(t, p, func(in *Input) { in.Mine = []string{"go"} }); a.Total().Low < worthIt || a.Scopes[0].Function != "go/parser.ParseFile" {
		t.Errorf("go/parser: %s", a.Why)
	}
}

// TestScopes: two units of work in one program, and what one of them is called by is not counted
// twice.
func TestScopes(t *testing.T) {
	a := analyze(t, program{[]call{
		{"example.com/p.work:5 main.serve:2 main.main:9", 400, 0, 0, 0},
		{newOf + "example.com/p.a:12 main.get:3 main.serve:2 main.main:9", 200, 20e6, 1000 * mb, 0},
		{newOf + "example.com/p.b:13 main.put:4 main.serve:2 main.main:9", 100, 10e6, 500 * mb, 0},
		{newOf + "example.com/p.c:14 main.serve:5 main.main:9", 5, 1e6, 20 * mb, 0},
		{worker, 300, 0, 0, 0},
	}}, nil)
	var names []string
	var bytes float64
	for _, s := range a.Scopes {
		names = append(names, s.Function)
		bytes += s.Bytes
	}
	// main.serve covers all of it, and is the deepest that does.
	if names[0] != "main.serve" || math.Abs(bytes-1) > 1e-9 {
		t.Errorf("scopes %v with %v of the bytes", names, bytes)
	}
}

// TestRandom: whatever the profiles are, ranges are in order, parts are parts, and no byte is
// counted twice.
func TestRandom(t *testing.T) {
	asks := []string{"", "runtime.convTstring", "runtime.makeslice", "strings.(*Builder).grow"}
	frames := []string{"example.com/p.A", "example.com/p.b", "main.main", "encoding/json.Unmarshal", "strings.Join", "net/http.(*conn).serve", "example.com/q.(*T).M", "fmt.Sprintf", "gopkg.in/yaml%2ev3.f"}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var p program
		for range 1 + r.IntN(40) {
			st := ""
			switch r.IntN(4) {
			case 0:
				st = worker
			case 1, 2:
				st = newOf
			case 3:
				st = "runtime.mallocgc " + asks[r.IntN(len(asks))]
			}
			if st != worker {
				for range 1 + r.IntN(6) {
					st += fmt.Sprintf(" %s:%d", frames[r.IntN(len(frames))], r.IntN(3))
				}
			}
			c := call{stack: st, cpu: 1 + r.Int64N(400)}
			if strings.HasPrefix(st, "runtime.mallocgc") {
				c.objects = 1 + r.Int64N(1e6)
				c.bytes = c.objects * (16 + r.Int64N(2000))
				c.inuse = r.Int64N(c.bytes + 1)
			}
			p.calls = append(p.calls, c)
		}
		a, err := Analyze(p.profiles(t))
		var few *TooFewError
		if errors.As(err, &few) {
			continue
		}
		if err != nil {
			t.Fatal(seed, err)
		}
		var moved float64
		for _, s := range a.Scopes {
			if s.Reset.Low > s.Reset.High || s.Fresh.Low > s.Fresh.High || s.Reset.Low < -0.75 || s.CPU > 1+1e-9 {
				t.Fatalf("seed %d: %+v", seed, s)
			}
			var sites float64
			for _, x := range s.Sites {
				sites += x.Bytes
			}
			if math.Abs(sites-s.Bytes) > 1e-9 {
				t.Fatalf("seed %d: %s: sites have %v of the bytes, the scope %v", seed, s.Function, sites, s.Bytes)
			}
			moved += s.Bytes
		}
		for _, l := range a.Left {
			moved += l.Bytes
		}
		if math.Abs(moved-1) > 1e-6 {
			t.Fatalf("seed %d: %v of the bytes are in scopes or left", seed, moved)
		}
		var text, page, derived bytes.Buffer
		if err := errors.Join(a.WriteText(&text), a.WriteHTML(&page), a.WriteProfile(&derived)); err != nil {
			t.Fatal(seed, err)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Fatal(seed, err)
		}
		if d, err := profile.Parse(&derived); err != nil || d.CheckValid() != nil {
			t.Fatalf("seed %d: the profile of the saving: %v", seed, err)
		}
	}
}

func TestExported(t *testing.T) {
	for fn, want := range map[string]bool{
		"example.com/p.Parse": true, "example.com/p.(*Tree).Parse": true, "example.com/p.(*tree).Parse": false, "example.com/p.parse": false,
		"example.com/p.Parse.func1": false, "gopkg.in/yaml.v3.Unmarshal": true, "gopkg.in/yaml.v3.unmarshal": false, "main.main": false,
	} {
		if exported(fn) != want {
			t.Errorf("exported(%q) = %v", fn, !want)
		}
	}
}

// TestCollector: the collector, and write barriers, count as they are without a profile.
func TestCollector(t *testing.T) {
	p := parser()
	p.calls = append(p.calls, call{"runtime.gcWriteBarrier example.com/p.lex:5 example.com/p.Parse:3 main.main:9", 100, 0, 0, 0})
	in := p.profiles(t)
	for _, c := range []struct{ collector, gc, barrier float64 }{{0, 2. / 11, 1. / 11}, {1, 2. / 11, 1. / 11}, {0.5, 1. / 9.5, 0.5 / 9.5}} {
		in.Collector = c.collector
		a, err := Analyze(in)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.share[gc]-c.gc) > 1e-9 || math.Abs(a.share[barrier]-c.barrier) > 1e-9 {
			t.Errorf("%v times: the collector takes %v, write barriers %v; want %v, %v", c.collector, a.share[gc], a.share[barrier], c.gc, c.barrier)
		}
	}
}

// TestSettings: GOGC=400 saves a part of the collector, and of write barriers perhaps, and a memory
// limit leaves a tenth of the cycles.
func TestSettings(t *testing.T) {
	barriers := parser()
	barriers.calls = append(barriers.calls, call{"runtime.gcWriteBarrier example.com/p.lex:5 example.com/p.Parse:3 main.main:9", 100, 0, 0, 0})
	if a, want := analyze(t, barriers, nil), (Range{0.5 * 2 / 11, 0.85 * 3 / 11}); math.Abs(a.GOGC.Low-want.Low) > 1e-9 || math.Abs(a.GOGC.High-want.High) > 1e-9 {
		t.Errorf("GOGC=400 saves %v, want %v", a.GOGC, want)
	}
	a := analyze(t, parser(), nil)
	if l := a.Limit; l == nil || l.String() != "GOGC=off GOMEMLIMIT=64MiB" || l.Saves.High < 0.18 || l.Saves.High >= 0.2 {
		t.Errorf("limit %v", l)
	}
	p := parser()
	p.calls[1].inuse = 2000 * mb
	if a := analyze(t, p, nil); a.Limit.Bytes != 32<<30 {
		t.Errorf("limit %v", a.Limit)
	}
	if a := analyze(t, p, func(in *Input) { in.Limited = true }); a.Limit != nil || a.GOGC != (Range{}) {
		t.Errorf("with a limit that is set: %v, GOGC=400 %v", a.Limit, a.GOGC)
	}
}

// TestMisses: a program's own work becomes faster by what moves, but no more than by three tenths.
func TestMisses(t *testing.T) {
	for _, c := range []struct{ bytes, want float64 }{{2000 * mb, 2000 * mb / 10e9 * saveMiss.High}, {8000 * mb, maxMiss * 0.5}} {
		p := parser()
		p.calls[1].bytes = int64(c.bytes)
		rest := 0.3*saveMalloc[object].High + 0.2*saveCollector.High
		if got := analyze(t, p, nil).Total().High - rest; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v bytes save %v of the program's own work, want %v", c.bytes, got, c.want)
		}
	}
}

// TestPartly: where a half of the bytes stays, the collector saves a quarter at the lower end.
func TestPartly(t *testing.T) {
	p := parser()
	p.calls = append(p.calls, call{newOf + "example.com/p.other:13 example.com/p.Parse:3 main.main:9", 0, 40e6, 2000 * mb, 0})
	perByte := 2000 * mb / 10e9
	want := Range{
		0.3*saveMalloc[object].Low + 0.25*0.2*saveCollector.Low + perByte*saveMiss.Low,
		0.3*saveMalloc[object].High + 0.5*0.2*saveCollector.High + perByte*saveMiss.High,
	}
	if got := analyze(t, p, moved).Total(); math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
		t.Errorf("saves %v, want %v", got, want)
	}
}

// TestKinds: what an arena saves of malloc depends on what malloc is called for. Values save most,
// then values in interfaces and slices, then text. Built text takes longer in an arena.
func TestKinds(t *testing.T) {
	const at = " example.com/p.node:12 example.com/p.Parse:3 main.main:9"
	before := Range{2, 2}
	for _, c := range []struct {
		stack string
		kind  kind
	}{
		{"runtime.mallocgc runtime.newobject" + at, object},
		{"runtime.mallocgc runtime.convTstring" + at, boxing},
		{"runtime.mallocgc runtime.makeslice" + at, slice},
		{"runtime.mallocgc runtime.rawstring runtime.slicebytetostring" + at, words},
		{"runtime.mallocgc strings.(*Builder).grow strings.(*Builder).Grow" + at, building},
		{"runtime.mallocgc runtime.growslice strings.(*Builder).WriteString" + at, building},
		{"runtime.mallocgc runtime.makeslice bytes.growSlice bytes.(*Buffer).grow" + at, building},
	} {
		p := parser()
		p.calls[1].stack = c.stack
		a := analyze(t, p, nil)
		perByte := 2000 * mb / 10e9
		want := Range{
			0.3*saveMalloc[c.kind].Low + 0.2*saveCollector.Low + perByte*saveMiss.Low,
			0.3*saveMalloc[c.kind].High + 0.2*saveCollector.High + perByte*saveMiss.High,
		}
		got := a.Total()
		if math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("%s: saves %v, want %v", c.stack, got, want)
		}
		if got.Low > before.Low || got.High > before.High {
			t.Errorf("%v: saves %v, and the kind before it %v", c.kind, got, before)
		}
		before = got
	}
}

// TestGrowing: of large slices that grow the copying goes, too, as far as it is of large ones; of
// small ones it stays.
func TestGrowing(t *testing.T) {
	const at = " example.com/p.node:12 example.com/p.Parse:3 main.main:9"
	perByte := 2000 * mb / 10e9
	for _, c := range []struct {
		objects      int64
		malloc, copy string
		kind         kind
		copies       float64
	}{
		{2000 * mb / largeObject, "runtime.mallocgcLarge runtime.mallocgc runtime.growslice" + at, "runtime.memmove runtime.growslice" + at, growing, 0.1},
		{2000*mb/largeObject + 1, "runtime.mallocgc runtime.growslice" + at, "runtime.memmove runtime.growslice" + at, slice, 0},
		{2000 * mb / largeObject, "runtime.mallocgcLarge runtime.mallocgc runtime.makeslice" + at, "runtime.memmove" + at, slice, 0},
	} {
		p := parser()
		p.calls[1].stack, p.calls[1].objects = c.malloc, c.objects
		p.calls[0].cpu -= 100
		p.calls = append(p.calls, call{stack: c.copy, cpu: 100})
		want := Range{
			0.3*saveMalloc[c.kind].Low + c.copies*saveCopies.Low + 0.2*saveCollector.Low + perByte*saveMiss.Low,
			0.3*saveMalloc[c.kind].High + c.copies*saveCopies.High + 0.2*saveCollector.High + perByte*saveMiss.High,
		}
		if got := analyze(t, p, nil).Total(); math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("%s: saves %v, want %v", c.malloc, got, want)
		}
	}
}

// TestCostsMore: a program whose memory is built text, for which an arena takes longer than malloc,
// gets no yes.
func TestCostsMore(t *testing.T) {
	p := parser()
	p.calls[0].cpu = 600
	p.calls[1].bytes *= 2
	p.calls[1].stack = "runtime.mallocgc strings.(*Builder).grow strings.(*Builder).Grow example.com/p.key:12 example.com/p.Parse:3 main.main:9"
	p.calls[2].cpu = 30
	a := analyze(t, p, moved)
	if a.Verdict != Perhaps || a.Total().Low >= 0 || !strings.Contains(a.Why, "not certain that it would save anything") || !strings.Contains(a.Why, "built text") {
		t.Errorf("pays %v, saves %v: %s", a.Verdict, a.Total(), a.Why)
	}
	// What may stay as it is costs nothing then, and saves nothing.
	var c cost
	c.add(0.5, saveMalloc[building], false)
	if want := (Range{0.5 * saveMalloc[building].Low, 0}); c.saves != want {
		t.Errorf("what may move saves %v, want %v", c.saves, want)
	}
}

// TestMixed: what a line asks for decides by the time of malloc for each kind, whatever the order
// of the samples.
func TestMixed(t *testing.T) {
	const at = " example.com/p.node:12 example.com/p.Parse:3 main.main:9"
	mixed := func(other string, cpu int64) program {
		p := parser()
		p.calls[1].cpu -= cpu
		p.calls[1].stack = newOf + at
		p.calls = append(p.calls, call{stack: "runtime.mallocgc " + other + at, cpu: cpu})
		return p
	}
	for _, c := range []struct {
		name      string
		p         program
		low, high float64 // of the bytes
		kind      string
	}{
		{"values, and few maps", mixed("runtime.mapassign_faststr", 60), 0.8, 1, "values"},
		{"maps, and few values", mixed("runtime.mapassign_faststr", 240), 0.2, 1, "maps"},
		{"goroutines", mixed("runtime.newproc1 runtime.newproc", 30), 0.9, 0.9, "values"},
	} {
		in := c.p.profiles(t)
		a := analyze(t, c.p, nil)
		if s := a.Scopes[0]; math.Abs(s.Bytes-c.high) > 1e-6 || s.Sites[0].Kind != c.kind {
			t.Errorf("%s: %v of the bytes move, and are %s; want %v and %s", c.name, s.Bytes, s.Sites[0].Kind, c.high, c.kind)
		}
		if x := a.allocs[0]; x.low != c.low {
			t.Errorf("%s: %v of the bytes move for certain, want %v", c.name, x.low, c.low)
		}
		want, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 2))
			for _, p := range []*profile.Profile{in.CPU, in.Allocs} {
				r.Shuffle(len(p.Sample), func(i, j int) { p.Sample[i], p.Sample[j] = p.Sample[j], p.Sample[i] })
			}
			a, err := Analyze(in)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(a); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: the order of the samples changes the advice: %s (%v), before %s", c.name, got, err, want)
			}
		}
	}
}

// lines returns lines of example.com/p's x.go.
func lines(numbers ...int) (all []fix.Line) {
	for _, n := range numbers {
		all = append(all, fix.LineOf("example.com/p", "/elsewhere/x.go", n))
	}
	return all
}
