package fix

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// TestMain has the collector run less often, here and in the compilers that tests run: the library
// is read anew for most of them, which leaves much behind. No more than four tests run at once, as
// each takes hundreds of megabytes.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(2 << 30)
		os.Setenv("GOGC", "400")
	}
	os.Setenv("GOWORK", "off")
	os.Setenv("GOFLAGS", "-mod=mod")
	if runtime.GOMAXPROCS(0) > 4 {
		flag.Set("test.parallel", "4")
	}
	os.Exit(testrun.Run(m))
}

// calc returns a copy of a module in testdata.
func calc(t *testing.T) string { return module(t, "calc") }

// module returns a copy of a module in testdata, without some of its files.
func module(t *testing.T, name string, without ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	for _, file := range without {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// original returns the directory of a module in testdata, for tests that change nothing there: what
// the compiler says of it need not be asked again each time.
func original(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sources returns where package arena is, or skips the test.
func sources(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !bytes.HasPrefix(b, []byte("module "+arenaPath+"\n")) {
		testrun.Need(t, "the repository around the module (git clone)")
	}
	return dir
}

// tested rewrites the module in the current directory, and runs its tests as arena fix -test does.
// It returns the report. The short form has the arenas that find most, without the race detector.
func tested(t *testing.T, arena string, o Options) string {
	t.Helper()
	want := 1 + len(modes)
	if !testrun.Long() {
		want = 3
	} else {
		needRace(t)
	}
	var out, log bytes.Buffer
	if err := Test(t.Context(), TestOptions{Options: o, Arena: arena, Short: !testrun.Long()}, &out, &log); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &log)
	}
	if n := strings.Count(out.String(), "pass"); n != want {
		t.Errorf("%d passes, want %d\n%s", n, want, &out)
	}
	return out.String()
}

// testedLong runs the tests of a module in source as tested does, unless the run is short.
func testedLong(t *testing.T, source string, o Options) {
	t.Helper()
	if testing.Short() {
		return
	}
	arena := sources(t)
	t.Chdir(written(t, source))
	tested(t, arena, o)
}

// needRace skips a test where go test -race does not build.
func needRace(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		testrun.Need(t, "a C compiler for -race (Debian package gcc)")
	}
}

// TestModule rewrites modules, and runs their tests with arenas. The short form has two of them.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules in many ways")
	}
	arena := sources(t)
	inner := []string{"inner.Words", "inner.Again", "inner.Anew", "inner.Tabs"}
	for i, m := range []struct {
		name string
		o    Options
	}{
		{"twice", Options{Roots: []string{"twice.Build"}}},
		{"reach", Options{Roots: reachRoots}},
		{"inner", Options{Roots: inner, Twice: true}},
		{"reach", Options{Roots: reachRoots, Twice: true}},
		{"calc", Options{Roots: []string{"calc.Parse"}}},
		{"keeps", Options{Roots: []string{"keeps.Run"}}},
		{"keeps", Options{Roots: []string{"keeps.Run"}, Carriers: []string{"keeps.maker"}, NoFind: true}},
		{"grammar", Options{Roots: []string{"grammar.Parse"}, Generated: true}},
		{"later", Options{Roots: []string{"later.Run"}}},
		{"vars", Options{Roots: []string{"vars.Run"}}},
		{"pools", Options{Roots: poolRoots}},
		{"pools", Options{Roots: poolRoots, Twice: true}},
		{"calc", Options{Roots: []string{"calc.Parse"}, Twice: true}},
		{"keeps", Options{Roots: []string{"keeps.Run"}, Twice: true}},
		{"keeps", Options{Roots: []string{"keeps.Run"}, Carriers: []string{"keeps.maker"}, NoFind: true, Twice: true}},
		{"twice", Options{Roots: []string{"twice.Build"}, Twice: true}},
		{"inner", Options{Roots: inner}},
	} {
		if i == 2 && !testrun.Long() {
			break
		}
		t.Run(fmt.Sprintf("%s, %+v", m.name, m.o), func(t *testing.T) {
			t.Chdir(module(t, m.name))
			tested(t, arena, m.o)
		})
	}
}

// TestFlag: -test has all kinds of arenas.
func TestFlag(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module in many ways")
	}
	needRace(t)
	arena := sources(t)
	t.Chdir(written(t, words))
	var out, log bytes.Buffer
	if status := Main(t.Context(), []string{"-root", "m.Parse", "-scope", "m.Count", "-test", "-arena", arena}, &out, &log); status != 0 {
		t.Fatalf("status %d\n%s\n%s", status, &out, &log)
	}
	if n := strings.Count(out.String(), "pass"); n != 1+len(modes) {
		t.Errorf("%d passes\n%s", n, &out)
	}
}

// TestNamed: a root is found by the name of its package if the path ends with another one.
func TestNamed(t *testing.T) {
	t.Parallel()
	const source = `
-- v2/a.go --
package words

func Parse(s string) string { return s + "!" }
-- inner/words/a.go --
package words

func Split(s string) string { return s + "?" }
-- a.go --
package m

func Split(s string) string { return s + "." }
`
	for name, want := range map[string]string{
		"words.Parse": "example.com/m/v2.ParseIn", "v2.Parse": "example.com/m/v2.ParseIn", "words.Split": "example.com/m/inner/words.SplitIn",
	} {
		if r, src := rewritten(t, source, Options{Roots: []string{name}}); !slices.Equal(r.Roots, []string{want}) {
			t.Errorf("%s: %v, want %s\n%s", name, r.Roots, want, src)
		}
	}
}

// TestFailing: tests that fail without a change are left out, and the others say what they say.
// If all are broken that is an error. One runs at a time.
func TestFailing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module in many ways")
	}
	const source = `
-- a.go --
package m

func Parse(s string) []string { return append([]string(nil), s+"!") }

var last []string

func Kept(s string) string { last = append(last, Parse(s)...); return last[0] }
-- a_test.go --
package m

import (
	"flag"
	"testing"
)

func TestPass(t *testing.T) {
	if got := Parse("a"); got[0] != "a!" {
		t.Fatal(got)
	}
	if got := flag.Lookup("test.parallel").Value.String(); got != "1" {
		t.Fatal("other tests use the arenas: -parallel", got)
	}
}

func TestBroken(t *testing.T) { t.Run("sub", func(t *testing.T) { panic("no") }) }

func TestOther(t *testing.T) { t.Fatal("no") }
%s`
	arena := sources(t)
	home, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	test := func(source, more string, short bool) (string, error) {
		t.Chdir(home)
		t.Chdir(written(t, strings.Replace(source, "%s", more, 1)))
		var out, log bytes.Buffer
		err := Test(t.Context(), TestOptions{Options: Options{Roots: []string{"m.Parse"}}, Arena: arena, Short: short}, &out, &log)
		return out.String(), err
	}
	var failed *FailedError
	if out, err := test(source, "\nfunc TestKept(t *testing.T) {\n\tfor range 40 {\n\t\tif got := Kept(\"a\"); got != \"a!\" {\n\t\t\tt.Fatal(got)\n\t\t}\n\t\tParse(\"b\")\n\t\tParse(\"c\")\n\t}\n}\n", true); !errors.As(err, &failed) || strings.Count(out, "pass") != 3 || !strings.Contains(out, "pass, without 2 that fail") || !strings.Contains(out, "fail with 16 arenas, pass with 1024") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := test(source, "\nvar x int = \"no\"\n", true); err == nil || !strings.HasPrefix(err.Error(), "arena fix: -test: ") {
		t.Errorf("%v\n%s", err, out)
	}
	// A test that fails for the first time with arenas that are reset, and then without, too.
	name := filepath.ToSlash(filepath.Join(t.TempDir(), "failed"))
	const times = `
func TestTimes(t *testing.T) {
	if os.Getenv("ARENA_FIX") == "reset" {
		os.WriteFile(%q, nil, 0o666)
	}
	if _, err := os.Stat(%q); err == nil {
		t.Error("now it fails")
	}
}
`
	withTimes := strings.Replace(source, `"flag"`, "\"flag\"\n\t\"os\"", 1)
	if out, err := test(withTimes, fmt.Sprintf(times, name, name), true); err != nil || strings.Count(out, "pass, without 2 that fail") != 1 || strings.Count(out, "pass, without 3 that fail") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	needRace(t)
	const races = `
func TestRaces(t *testing.T) {
	done, n := make(chan bool), 0
	go func() { n++; done <- true }()
	n++
	<-done
}
`
	if out, err := test(source, races, false); err != nil || strings.Count(out, "pass") != 1+len(modes) || strings.Count(out, "pass, without 2 that fail") != 1 || strings.Count(out, "pass, without 3 that fail") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestResult: what moves, what stays and why, and that the former functions are there.
func TestResult(t *testing.T) {
	t.Parallel()
	dir := calc(t)
	r, err := Run(Options{Dir: dir, Roots: []string{"calc.Parse"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Carriers, " "); got != "example.com/calc.parser example.com/calc/lex.Lexer" {
		t.Errorf("carriers %s", got)
	}
	why := map[string]int{}
	moved := 0
	for _, s := range r.Sites {
		if s.Why == "" {
			moved++
		}
		why[s.Why]++
	}
	for _, w := range []string{"an error", "in an error", "stored in something older than the call", "in a goroutine"} {
		if why[w] == 0 {
			t.Errorf("nothing stays because it is %s", w)
		}
	}
	if moved < 15 {
		t.Errorf("%d sites move", moved)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	if err := require(context.Background(), dir, "", sources(t)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	// What was rewritten is not changed again by a root that is not called from there.
	again, err := Run(Options{Dir: dir, Roots: []string{"lex.Lexer.All"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Asked) != 1 {
		t.Errorf("roots %v", again.Asked)
	}
}

// TestInner: a carrier that is a value in another gets the arena with it, one in another struct
// perhaps has none, and a type whose values are compared is no carrier.
func TestInner(t *testing.T) {
	t.Parallel()
	o := Options{Dir: original(t, "inner"), Roots: []string{"inner.Words", "inner.Again", "inner.Anew", "inner.Tabs"}}
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Carriers, " "); got != "example.com/inner.parser example.com/inner.reader example.com/inner.tabs example.com/inner/tail.Tail" {
		t.Errorf("carriers %s", got)
	}
	src := string(r.Files[filepath.Join(o.Dir, "inner.go")])
	for _, made := range []string{
		"parser{arena: ar, reader: reader{arena: ar}, tail: *(&tail.Tail{}).WithArena(ar)}\n\tp.parse",
		"p.arena = ar\n\tp.reader = reader{arena: ar}\n\tp.tail = *(&tail.Tail{}).WithArena(ar)",
		"(&parser{arena: ar, reader: reader{arena: ar}, tail: *(&tail.Tail{}).WithArena(ar)})",
	} {
		if !strings.Contains(src, made) {
			t.Errorf("no %s in\n%s", made, src)
		}
	}
	for _, s := range r.Sites {
		if perhaps := strings.Contains(s.Function, "tabs."); s.Perhaps != perhaps {
			t.Errorf("%s in %s: moves perhaps: %v", s.Kind, s.Function, s.Perhaps)
		}
	}
	o.Carriers = []string{"inner.place"}
	if _, err := Run(o); err == nil || !strings.Contains(err.Error(), "are compared") {
		t.Errorf("a carrier whose values are compared: %v", err)
	}
}

// TestProfile moves what a profile names, and less of it when the share is higher. The profile in
// testdata/calc has all that is allocated, and is of
//
//	GOWORK=off go test -trimpath -run=^$ -bench=. -benchtime=20x -memprofile=mem.pprof -memprofilerate=1
func TestProfile(t *testing.T) {
	t.Parallel()
	dir := original(t, "calc")
	if testrun.Long() && !testing.Short() {
		dir = calc(t)
		t.Log("with a new profile")
		cmd := exec.Command("go", "test", "-run=^$", "-bench=.", "-benchtime=20x", "-memprofile=mem.pprof", "-memprofilerate=1")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	moved := func(percent float64) (n int) {
		r, err := Run(Options{Dir: dir, Roots: []string{"calc.Parse"}, Profile: filepath.Join(dir, "mem.pprof"), Percent: percent})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.verdict(); r.Share <= 0 || r.Share > 1 || !strings.Contains(text, " % of the bytes that example.com/calc.Parse allocates") {
			t.Errorf("the roots have %v of the bytes: %s", r.Share, text)
		}
		for _, s := range r.Sites {
			if s.Why == "" {
				n++
			}
			if s.Why == "" && s.Function == "example.com/calc/lex.Lexer.Describe" && percent == 4 {
				t.Errorf("%s:%d moves", s.File, s.Line)
			}
		}
		return n
	}
	all, most, few := moved(0), moved(0.1), moved(4)
	if all < most || most <= few || few == 0 {
		t.Errorf("%d sites move, %d with 0.1 %%, %d with 4 %%", all, most, few)
	}
	dir = written(t, words)
	for name, want := range map[string]string{"none": "no such file", "go.mod": "one of allocations"} {
		if _, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}, Profile: filepath.Join(dir, name)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}

// TestOverlay builds with the files beside the sources: of a module that requires package arena,
// one that does not, and one that has vendored all it needs.
func TestOverlay(t *testing.T) {
	arena := sources(t) // from the directory of the package
	dir := module(t, "inner")
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "") // nothing updates go.mod
	before := contents(t, dir)
	var out, log bytes.Buffer
	build := func() {
		t.Helper()
		overlay := filepath.Join(t.TempDir(), "o.json")
		log.Reset()
		if status := Main(context.Background(), []string{"-root", "inner.Words", "-overlay", overlay, "-arena", arena}, &out, &log); status != 0 {
			t.Fatalf("status %d\n%s", status, &log)
		}
		_, say, ok := strings.Cut(log.String(), "To build with it: go build ")
		if !ok {
			t.Fatalf("does not say how to build with it:\n%s", &log)
		}
		say, _, _ = strings.Cut(say, "./...")
		cmd := exec.Command("go", append([]string{"test", "-vet=off"}, strings.Fields(say)...)...)
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if after := contents(t, dir); !maps.Equal(after, before) {
			t.Errorf("the sources have changed: %v, were %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
		}
	}
	build()
	if err := os.Mkdir("vendor", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("vendor/modules.txt", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	before = contents(t, dir)
	build()
	if !strings.Contains(log.String(), "-mod=readonly") {
		t.Errorf("with a vendor directory -mod=readonly is needed:\n%s", &log)
	}
	if err := os.RemoveAll("vendor"); err != nil {
		t.Fatal(err)
	}
	if err := require(context.Background(), dir, "", arena); err != nil {
		t.Fatal(err)
	}
	before = contents(t, dir)
	build()
	overlay := filepath.Join(t.TempDir(), "o.json")
	// With -w the sources are what is written, and have no line directives.
	if status := Main(context.Background(), []string{"-root", "inner.Words", "-overlay", overlay, "-w", "-arena", arena}, &out, &log); status != 0 {
		t.Fatalf("status %d\n%s", status, &log)
	}
	if src, err := os.ReadFile("inner.go"); err != nil || bytes.Contains(src, []byte("//line")) || !bytes.Contains(src, []byte("WordsIn")) {
		t.Errorf("%v\n%s", err, src)
	}
}

// contents returns the files below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMisuse has a clear error for each mistake.
func TestMisuse(t *testing.T) {
	t.Chdir(written(t, words))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no root"},
		{[]string{"-root", "nowhere.F"}, "-root nowhere.F: no such function"},
		{[]string{"-root", "Nothing"}, "-root Nothing: no such function"},
		{[]string{"-root", "m.Parse", "-carrier", "m.nothing"}, "no such struct"},
		{[]string{"-root", "m.Parse", "./none"}, "none"},
		{[]string{"-nonsense"}, "flag provided but not defined"},
	} {
		var out, log bytes.Buffer
		if status := Main(context.Background(), c.args, &out, &log); status != 2 || !strings.HasPrefix(log.String(), "arena fix: ") || !strings.Contains(log.String(), c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, &log)
		}
	}
}

// TestShortRoots names roots without their package.
func TestShortRoots(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Parse": "example.com/m.Parse", "Node.Len": "example.com/m.Node.Len", "(*Node).Len": "example.com/m.Node.Len"} {
		if r, _ := rewritten(t, words, Options{Roots: []string{name}}); len(r.Asked) != 1 || r.Asked[0] != want {
			t.Errorf("%s: %q", name, r.Asked)
		}
	}
}

// TestRecoverRoot names a root that recovers.
func TestRecoverRoot(t *testing.T) {
	t.Parallel()
	_, err := Run(Options{Dir: original(t, "grammar"), Roots: []string{"grammar.words.recover"}})
	if err == nil || !strings.Contains(err.Error(), "arena fix: -root grammar.words.recover: it calls recover") {
		t.Error(err)
	}
	r, err := Run(Options{Dir: original(t, "grammar"), Roots: []string{"grammar.Parse", "grammar.words.recover"}, Known: true})
	if err != nil || len(r.Asked) != 1 {
		t.Errorf("beside another root that is known: %v", err)
	}
}

// TestCheck writes a result that does not build.
func TestCheck(t *testing.T) {
	dir := written(t, words)
	r, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}})
	if err != nil {
		t.Fatal(err)
	}
	for name := range r.Files {
		r.Files[name] = append(r.Files[name], "func nothing() int {}\n"...)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	if err := r.check(context.Background(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "does not build, and the files are as they were") {
		t.Error(err)
	}
	for name, old := range r.Old {
		if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, old) {
			t.Errorf("%s has changed: %v", name, err)
		}
	}
}
