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

	"github.com/arena-go/arena/arenajson"
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

// TestStandard runs the tests of package encoding/json, from the Go that runs this test, with
// arenajson in its place: first with each value in an arena that is freed before the test looks at
// it, then with all on the heap. It needs no network.
func TestStandard(t *testing.T) {
	needSources(t)
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
		passed, failed, text, err := run(dir, strings.Join(append(skip, "^$"), "|"), "ARENAJSON_SUITE="+mode)
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

// TestStandardV2 runs those tests of package encoding/json/v2 that encode or decode one value with
// the option V2 instead of the package. It skips cases with options that arenajson lacks. The tests
// compare values, text, and whether there is an error.
func TestStandardV2(t *testing.T) {
	if err := (arenajson.UnmarshalOptions{V2: true}).Unmarshal(nil, []byte("0"), new(int)); err != nil {
		t.Skip(err)
	}
	needSources(t)
	dir := t.TempDir()
	std := copyModule(t, dir, "testdata/v2", "1.27")
	for _, name := range []string{"", "jsonflags", "jsonopts", "jsonwire"} {
		files, err := filepath.Glob(filepath.Join(std, "internal", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("internal/%s has no files: %v", name, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				write(t, filepath.Join(dir, "internal", name, filepath.Base(file)), withoutConstraint(inModule(read(t, file))))
			}
		}
	}
	write(t, filepath.Join(dir, "internal", "jsontest", "testcase.go"), withoutConstraint(read(t, filepath.Join(std, "internal", "jsontest", "testcase.go"))))
	tests, _, ok := strings.Cut(inModule(read(t, filepath.Join(std, "v2", "arshal_test.go"))), "func TestMarshalInvalidNamespace")
	for _, change := range [][2]string{
		{"if tt.useWriter {", "if false {"},
		{"Marshal(tt.in, tt.opts...)", "Marshal(t, tt.in, tt.opts...)"},
		{"MarshalWrite(bb, tt.in", "MarshalWrite(t, bb, tt.in"},
		{"Unmarshal([]byte(tt.inBuf), got", "Unmarshal(t, []byte(tt.inBuf), got"},
		{"!reflect.DeepEqual(gotErr, tt.wantErr)", "(gotErr == nil) != (tt.wantErr == nil)"},
		{"if string(got) != tt.want {", "if gotErr == nil && string(got) != tt.want {"},
	} {
		ok = ok && strings.Contains(tests, change[0])
		tests = strings.ReplaceAll(tests, change[0], change[1])
	}
	if !ok {
		t.Fatal("arshal_test.go is written differently in this Go; see what has become of it")
	}
	write(t, filepath.Join(dir, "json", "arshal_test.go"), tests)
	passed, failed, text, err := run(dir, "^$")
	t.Logf("%s: %d cases passed", runtime.Version(), passed)
	if err != nil || len(failed) > 0 || passed < 500 {
		t.Errorf("%v, failed: %s\n%s", err, strings.Join(failed, " "), text)
	}
}

// inModule returns source that imports what is inside of encoding/json from the module of the test.
func inModule(source string) string {
	return strings.ReplaceAll(source, `"encoding/json/internal`, `"std.test/internal`)
}

// run runs the tests in dir that skip does not match.
func run(dir, skip string, env ...string) (passed int, failed []string, text string, err error) {
	cmd := exec.Command("go", "test", "-json", "-vet=off", "-count=1", "-skip", skip, "./json")
	cmd.Dir = dir
	cmd.Env = append(environment(), env...)
	out, err := cmd.Output()
	passed, failed, text = results(out)
	if exit, ok := err.(*exec.ExitError); ok {
		text += string(exit.Stderr)
	}
	return passed, failed, text, err
}

// needSources skips the test if the go command has other sources than the Go that runs it.
func needSources(t *testing.T) {
	testrun.NeedProgram(t, "go", "https://go.dev/dl")
	if version := strings.TrimSpace(command(t, "", "go", "env", "GOVERSION")); version != runtime.Version() && !strings.HasPrefix(runtime.Version(), version+" ") && !strings.HasPrefix(runtime.Version(), version+"-") {
		t.Skipf("this test is built with %s, and the go command is of %s: set GOTOOLCHAIN", runtime.Version(), version)
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

// copyModule makes a module in dir that uses arenajson and has a package json with the files of
// shim. It returns the directory of encoding/json.
func copyModule(t *testing.T, dir, shim, version string) (std string) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module std.test\n\ngo " + version + "\n\nrequire (\n\tgithub.com/arena-go/arena v0.0.0\n\tgithub.com/arena-go/arena/arenajson v0.0.0\n)\n\nreplace (\n" +
		"\tgithub.com/arena-go/arena => " + strconv.Quote(root) + "\n\tgithub.com/arena-go/arena/arenajson => " + strconv.Quote(filepath.Join(root, "arenajson")) + "\n)\n"
	write(t, filepath.Join(dir, "go.mod"), mod)
	if err := os.CopyFS(filepath.Join(dir, "json"), os.DirFS(shim)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(command(t, "", "go", "env", "GOROOT")), "src", "encoding", "json")
}

// copySources makes a module in dir that has the tests, and a package json for them.
func copySources(t *testing.T, dir string) {
	std := copyModule(t, dir, "testdata", "1.26.0")
	if err := os.RemoveAll(filepath.Join(dir, "json", "v2")); err != nil {
		t.Fatal(err)
	}

	// The names that the tests need differ with the version of encoding/json, which is asked here
	// and not told by a build tag.
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

// results reads what go test -json prints: how many tests passed, which failed, and what those and
// the package as a whole printed.
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
