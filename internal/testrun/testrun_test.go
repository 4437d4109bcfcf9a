package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	for _, test := range []struct {
		name string
		ci   string
		long bool
		do   func(t testing.TB)
		want string // the summary
		pass bool   // instead of being skipped
		fail bool
	}{
		{name: "nothing is missing", do: func(t testing.TB) { NeedProgram(t, "go", "https://go.dev") }, pass: true},
		{name: "missing", do: func(t testing.TB) { NeedProgram(t, "no-such-program", "Debian package none") },
			want: "1 need no-such-program (Debian package none)"},
		{name: "missing in CI", ci: "true", do: func(t testing.TB) { Need(t, "a server") }, fail: true},
		{name: "not long", do: NeedLong, want: "1 need -long"},
		{name: "long", long: true, do: NeedLong, pass: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("CI", test.ci)
			was := *long
			*long, skipped = test.long, map[string]int{}
			defer func() { *long, skipped = was, map[string]int{} }()
			r := &recorder{TB: t}
			done := make(chan bool)
			go func() {
				defer close(done)
				test.do(r)
				r.passed = true
			}()
			<-done
			if r.passed != test.pass || r.failed != test.fail {
				t.Errorf("passed %v, failed %v", r.passed, r.failed)
			}
			if got := summary(); !strings.HasSuffix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("summary %q, want %q", got, test.want)
			}
		})
	}
	if was := *long; Times(2, 3) != map[bool]int{false: 2, true: 3}[was] {
		t.Error("Times")
	}
}

// A recorder is a test that ends its goroutine and notes how.
type recorder struct {
	testing.TB
	passed, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { runtime.Goexit() }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; runtime.Goexit() }

// TestTold: who runs the tests of several packages sees the line of one that passes.
func TestTold(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd/2"); err != nil {
		t.Skip("there is no /proc")
	}
	NeedProgram(t, "go", "https://go.dev")
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The module has the path of the repository's, so that it may import this package.
	files := map[string]string{
		"go.mod": "module github.com/arena-go/arena/example\n\ngo 1.26.0\n\nrequire github.com/arena-go/arena v0.0.0\n\n" +
			"replace github.com/arena-go/arena => " + root + "\n",
		"a/a_test.go": "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"github.com/arena-go/arena/internal/testrun\"\n)\n\n" +
			"func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }\n\nfunc TestA(t *testing.T) { testrun.NeedLong(t) }\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n",
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CI=")
	out, err := cmd.CombinedOutput() // through a pipe
	if err != nil || strings.Count(string(out), "    a: skipped tests: 1 need -long\n") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSeed checks that a seed follows from the name of the test, or from the environment.
func TestSeed(t *testing.T) {
	t.Setenv(SeedVariable, "")
	own := Seed(t)
	if again := Seed(t); again != own {
		t.Errorf("%d, then %d", own, again)
	}
	t.Run("other", func(t *testing.T) {
		if Seed(t) == own {
			t.Error("two tests have the same seed")
		}
	})
	t.Setenv(SeedVariable, "42")
	if got := Seed(t); got != 42 {
		t.Errorf("%d for 42", got)
	}
}
