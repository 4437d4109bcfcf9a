package advise

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// The files in testdata are what a server and two benchmarks have left once, and what the command
// says of that. They are made by
//
//	go test -trimpath -run '^Test(Server|Benchmark|BenchmarkKeeps)$' ./internal/advise -long -update
//
// which takes profiles of programs that run, as -long alone does. Without -long -update writes only
// what the command says now.
var update = flag.Bool("update", false, "write testdata")

func TestMain(m *testing.M) {
	if dir := os.Getenv(recordEnv); dir != "" {
		if err := pretend(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	patience = time.Hour // for a machine that does other work
	os.Exit(testrun.Run(m))
}

// testdata is the directory, wherever the tests are.
var testdata, _ = filepath.Abs("testdata")

// golden compares what the command says with what it has said of the same profiles, which is the
// answer with the status.
func golden(t *testing.T, name string, status int, out string) {
	t.Helper()
	got := fmt.Sprintf("%sexit status %d\n", out, status)
	file := filepath.Join(testdata, name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != strings.ReplaceAll(string(want), "\r", "") {
		t.Errorf("%v: %s has\n%s\nand this is\n%s", err, file, want, got)
	}
}

// pack makes testdata/name.zip of the files in dir. Of profiles the names of binaries go, and of
// other answers of a server all but what is read.
func pack(t *testing.T, name, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Join(dir, file.Name())
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if line := regexp.MustCompile(`(?m)^# NumGC = \d+\n`).Find(text); line != nil {
			text = line
		} else if p, err := profile.ParseData(text); err == nil {
			for _, m := range p.Mapping {
				m.File, m.BuildID = "", ""
			}
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			text = b.Bytes()
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := cmp.Or(z.AddFS(os.DirFS(dir)), z.Close(), os.WriteFile(filepath.Join(testdata, name+".zip"), b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// unpack returns a directory with the files of testdata/name.zip.
func unpack(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join(testdata, name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

// recorder returns a server that answers as h does, and writes what it has answered into dir.
func recorder(t *testing.T, dir string, h http.Handler) *httptest.Server {
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n)), answer.Body.Bytes(), 0o666); err != nil {
			t.Error(err)
		}
		n++
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(s.Close)
	return s
}

// replayer returns a server that gives the answers in dir, one for each of the requests that are
// expected.
func replayer(t *testing.T, dir string, requests ...string) *httptest.Server {
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n >= len(requests) || r.URL.String() != requests[n] {
			t.Errorf("request %d is %s, want one of %q", n, r.URL, requests)
		}
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(n)))
		if err != nil {
			t.Error(err)
		}
		n++
		_, _ = w.Write(text)
	}))
	t.Cleanup(s.Close)
	return s
}

// In the environment of a program that pretends: the directory of what it records or gives, whether
// it records, and the go command.
const (
	recordEnv = "ARENA_ADVISE_TEST_RECORD"
	newEnv    = "ARENA_ADVISE_TEST_NEW"
	goEnv     = "ARENA_ADVISE_TEST_GO"
)

// A recordedRun is what one of the two runs of benchmarks has printed, and how much CPU time it has
// taken.
type recordedRun struct {
	Cycles    int
	Collector float64 // ms
	CPU       time.Duration
	Text      string
}

// benchmarked compares what the command says of the benchmark of a module with what it has said of
// what that has left once. The long form runs the benchmark, too: then what the command says
// depends on the machine.
func benchmarked(t *testing.T, name string, files map[string]string, args ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles tests")
	}
	if testrun.Long() {
		t.Run("live", func(t *testing.T) {
			writeModule(t, files)
			dir := t.TempDir()
			if *update {
				t.Setenv("GOFLAGS", "-mod=mod -trimpath")
				pretending(t, dir, true)
			}
			if status, out, err := run(args...); (status == troubled) != tooFew(err) || status != troubled && !strings.Contains(out, "(counted)") {
				t.Errorf("status %d\n%s\n%s", status, out, err)
			}
			if *update {
				pack(t, name, dir)
			}
		})
	}
	writeModule(t, files)
	trials(t, &Trial{Saves: Range{0.21, 0.27}, GOGC: Range{0.05, 0.09}, Benchmarks: []TrialBenchmark{{"BenchmarkUse", 0.23}}, Of: 3}, nil)
	builds := pretending(t, unpack(t, name), false)
	status, out, err := run(args...)
	if status == troubled {
		t.Error(err)
	}
	golden(t, name, status, out)
	// The watcher is built with the tests.
	if text, err := os.ReadFile(builds); err != nil || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), " -overlay ") {
		t.Errorf("%v: the tests were built by %s", err, text)
	}
}

// pretending has the command call this test binary instead of the go command. The binary calls the
// go command, but replaces the tests that this one builds with itself. As the tests it leaves what
// is in dir; or if new is set it runs them, and dir is what they leave. The builds of tests are
// noted in a file, whose name is returned.
func pretending(t *testing.T, dir string, new bool) (builds string) {
	t.Helper()
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(bin, "go")
	if strings.HasSuffix(real, ".exe") {
		name += ".exe"
	}
	if err := copyFile(name, self); err != nil {
		t.Fatal(err)
	}
	t.Setenv(recordEnv, dir)
	t.Setenv(goEnv, real)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var runs []recordedRun
	was := cpuTime
	t.Cleanup(func() { cpuTime = was })
	if new {
		t.Setenv(newEnv, "1")
		return filepath.Join(bin, "builds")
	}
	text, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err == nil {
		err = json.Unmarshal(text, &runs)
	}
	if err != nil || len(runs) != 2 {
		t.Fatal(err, runs)
	}
	t.Setenv("GOGC", "off") // no cycle of the collector belongs to a program that pretends
	n := 0
	cpuTime = func(*os.ProcessState) time.Duration { n++; return runs[n-1].CPU }
	return filepath.Join(bin, "builds")
}

// pretend is the program that replaces another one.
func pretend(dir string) error {
	new := os.Getenv(newEnv) != ""
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if strings.TrimSuffix(filepath.Base(self), ".exe") == "go" {
		cmd := exec.Command(os.Getenv(goEnv), os.Args[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.Env = append(os.Environ(), "GOGC=")
		if err := cmd.Run(); err != nil || os.Args[1] != "test" {
			return err
		}
		f, err := os.OpenFile(filepath.Join(filepath.Dir(self), "builds"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintln(f, strings.Join(os.Args[1:], " "))
		binary := os.Args[1+slices.Index(os.Args, "-o")]
		return cmp.Or(os.Rename(binary, binary+".real"), copyFile(binary, self))
	}
	profiles := map[string]string{} // where they go
	for _, name := range []string{"cpu", "mem"} {
		for _, arg := range os.Args {
			if to, ok := strings.CutPrefix(arg, "-test."+name+"profile="); ok {
				profiles[name] = to
			}
		}
	}
	var runs []recordedRun
	file := filepath.Join(dir, "runs")
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, &runs); err != nil {
			return err
		}
	}
	live := func(dir string, i int) string { return filepath.Join(dir, fmt.Sprint("live", i)) }
	watched := os.Getenv(watchEnv)
	if new {
		cmd := exec.Command(self+".real", os.Args[1:]...)
		var log strings.Builder
		out := &benchOutput{log: &log}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w\n%s", err, log.String())
		}
		runs = append(runs, recordedRun{out.cycles, out.collector, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), log.String()})
		text, err := json.Marshal(runs)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
		for name, from := range profiles {
			if err := copyFile(filepath.Join(dir, name), from); err != nil {
				return err
			}
		}
		for i := 0; watched != "" && copyFile(live(dir, i), live(watched, 8*i)) == nil; i++ { // a few are enough
		}
	}
	run := runs[len(runs)-1]
	if len(profiles) > 0 { // the first one
		run = runs[0]
	}
	if !new {
		for name, to := range profiles {
			if err := copyFile(to, filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		for i := 0; watched != "" && copyFile(live(watched, i), live(dir, i)) == nil; i++ {
		}
	}
	for i := range run.Cycles {
		fmt.Printf("gc %d @0.1s 1%%: 0+0+0 ms clock, 0+%g/0/0+0 ms cpu, 1->1->0 MB, 4 MB goal\n", i+1, run.Collector/float64(run.Cycles))
	}
	_, err = io.WriteString(os.Stdout, run.Text)
	return err
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o777)
}
