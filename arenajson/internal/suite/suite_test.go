package suite

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

// leftOutFiles are files whose tests do not concern arenajson.
var leftOutFiles = map[string]string{
	"bench_test.go":    "it has benchmarks",
	"v2_bench_test.go": "it has benchmarks",
	"fold_test.go":     "its tests are of a function inside of encoding/json",
	"tags_test.go":     "its tests are of a function inside of encoding/json",
}

// leftOutTests are tests that cannot pass, and why.
var leftOutTests = map[string]string{}

// callsLine is what testdata/main_test.go prints.
var callsLine = regexp.MustCompile(`calls of arenajson: (\d+)`)

// TestStandard runs the tests of package encoding/json, from the Go that runs this test, with arenajson in its place: first with
// each value in an arena that is freed before the test looks at it, then with all on the heap. It needs no network.
func TestStandard(t *testing.T) {
	testrun.NeedProgram(t, "go", "https://go.dev/dl")
	if version := strings.TrimSpace(command(t, "", "go", "env", "GOVERSION")); version != runtime.Version() && !strings.HasPrefix(runtime.Version(), version+" ") && !strings.HasPrefix(runtime.Version(), version+"-") {
		t.Skipf("this test is built with %s, and the go command is of %s: set GOTOOLCHAIN", runtime.Version(), version)
	}
	dir := t.TempDir()
	copySources(t, dir)
	var skip []string
	for name := range leftOutTests {
		skip = append(skip, "^"+name+"$")
	}
	modes := []string{"arena", "heap"}
	if !testrun.Long() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		cmd := exec.Command("go", "test", "-json", "-vet=off", "-count=1", "-skip", strings.Join(append(skip, "^$"), "|"), "./json")
		cmd.Dir = dir
		cmd.Env = append(environment(), "ARENAJSON_SUITE="+mode)
		out, err := cmd.Output()
		passed, failed, text := results(out)
		if exit, ok := err.(*exec.ExitError); ok {
			text += string(exit.Stderr)
		}
		calls := 0
		if m := callsLine.FindStringSubmatch(text); m != nil {
			calls, _ = strconv.Atoi(m[1])
		}
		t.Logf("%s, %s: %d tests and examples passed, %d calls", runtime.Version(), mode, passed, calls)
		if err != nil || len(failed) > 0 || passed < 80 || calls < 1000 {
			t.Errorf("%v, failed: %s\n%s", err, strings.Join(failed, " "), text)
		}
	}
}

// environment is for commands that use nothing but this repository and the Go that is running.
func environment() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GOTOOLCHAIN="+os.Getenv("GOTOOLCHAIN"))
}

func command(t *testing.T, dir, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// copySources makes a module in dir that has the tests, and a package json for them.
func copySources(t *testing.T, dir string) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module std.test\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/arena-go/arena v0.0.0\n\tgithub.com/arena-go/arena/arenajson v0.0.0\n)\n\nreplace (\n" +
		"\tgithub.com/arena-go/arena => " + strconv.Quote(root) + "\n\tgithub.com/arena-go/arena/arenajson => " + strconv.Quote(filepath.Join(root, "arenajson")) + "\n)\n"
	write(t, filepath.Join(dir, "go.mod"), mod)
	if err := os.CopyFS(filepath.Join(dir, "json"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}

	// The names that the tests need differ with the version of encoding/json, which is asked here and not told by a build tag.
	version := "shim_v1.go"
	if reflect.TypeFor[json.Marshaler]().PkgPath() != "encoding/json" {
		version = "shim_v2.go"
	}
	for _, shim := range []string{"shim_v1.go", "shim_v2.go"} {
		if err := os.Remove(filepath.Join(dir, "json", shim)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "json", "shim_version.go"), withoutConstraint(read(t, filepath.Join("testdata", version))))

	std := filepath.Join(strings.TrimSpace(command(t, "", "go", "env", "GOROOT")), "src", "encoding", "json")
	write(t, filepath.Join(dir, "jsontest", "testcase.go"), withoutConstraint(read(t, filepath.Join(std, "internal", "jsontest", "testcase.go"))))
	files, err := filepath.Glob(filepath.Join(std, "*_test.go"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%s has %d files with tests: %v", std, len(files), err)
	}
	for _, file := range files {
		if name := filepath.Base(file); leftOutFiles[name] == "" {
			text := strings.NewReplacer(`"encoding/json"`, `json "std.test/json"`, `jsonv1 "encoding/json"`, `jsonv1 "std.test/json"`,
				`"encoding/json/internal/jsontest"`, `"std.test/jsontest"`).Replace(read(t, file))
			write(t, filepath.Join(dir, "json", name), text)
		}
	}
	if data, err := filepath.Glob(filepath.Join(std, "testdata")); err == nil && len(data) > 0 {
		if err := os.CopyFS(filepath.Join(dir, "json", "testdata"), os.DirFS(data[0])); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutConstraint returns source that is built with any Go.
func withoutConstraint(source string) string {
	return regexp.MustCompile(`(?m)^//go:build .*$`).ReplaceAllString(source, "")
}

func read(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// results reads what go test -json prints: how many tests passed, which failed, and what those and the package as a whole printed.
func results(out []byte) (passed int, failed []string, text string) {
	printed := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var event struct{ Action, Test, Output string }
		if d.Decode(&event) != nil {
			break
		}
		switch event.Action {
		case "output", "build-output":
			if len(printed[event.Test]) < 4000 {
				printed[event.Test] += event.Output
			}
		case "pass":
			if event.Test != "" {
				passed++
			}
		case "fail":
			if event.Test != "" {
				failed = append(failed, event.Test)
			}
		}
	}
	text = printed[""]
	for _, name := range slices.Sorted(slices.Values(failed)) {
		text += printed[name]
	}
	return passed, failed, text
}
