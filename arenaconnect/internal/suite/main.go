// Suite runs connect's conformance tests against their reference server, with and without
// arenaconnect.
//
//	go run ./arenaconnect/internal/suite [-dir directory]
//
// It copies the newest version of connectrpc.com/conformance whose server uses the first version of
// connect, and gives the handlers in the copy the options of its own package, see testdata/hook.go.
// It runs the tests three times: without arenas, with arenas, and with arenas in guard mode. All
// tests that pass without arenas must pass with them.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// version is the version of the tests. Versions from v1.0.7 on have a server of connect/v2, which
// has other interfaces.
const version = "v1.0.6"

func main() {
	dir := flag.String("dir", "", "work in this `directory`, and leave everything there (default a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report, err := run(ctx, *dir)
	fmt.Print(report)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

// run runs all in a directory, or in a temporary one. The error says what is amiss.
func run(ctx context.Context, dir string) (report string, err error) {
	start := time.Now()
	if dir == "" {
		if dir, err = os.MkdirTemp("", "arenaconnect-suite-"); err != nil {
			return "", err
		}
		defer os.RemoveAll(dir)
	}
	src, err := newSource(ctx, dir)
	if err != nil {
		return "", err
	}
	heap, err := src.test(ctx, "heap")
	if err != nil {
		return "", err
	}
	report = fmt.Sprintf("connectrpc.com/conformance %s: without arenas %d tests pass and %d fail\n", version, heap.passed, len(heap.failed))
	for _, setting := range []string{"arena", "guard"} {
		got, err := src.test(ctx, setting)
		if err != nil {
			return report, err
		}
		calls, err := os.ReadFile(src.calls(setting))
		if err != nil {
			return report, fmt.Errorf("no call had an arena: %w", err)
		}
		report += fmt.Sprintf("%s: %d pass and %d fail; of %d calls %d used their arena again and %d dropped it\n",
			setting, got.passed, len(got.failed), len(calls), bytes.Count(calls, []byte("r")), bytes.Count(calls, []byte("d")))
		if err := compare(heap, got); err != nil {
			return report + got.output, err
		}
		if !bytes.Contains(calls, []byte("r")) {
			return report, errors.New("no arena was used again")
		}
	}
	return report + fmt.Sprintf("%.0fs\n", time.Since(start).Seconds()), nil
}

// A result is what became of the tests.
type result struct {
	passed int
	failed []string
	output string
}

var (
	total   = regexp.MustCompile(`(?m)^(\d+) passed, (\d+) failed`)
	failure = regexp.MustCompile(`(?m)^FAILED: (.*):$`)
)

// parse reads what the runner prints.
func parse(output string) (result, error) {
	m := total.FindStringSubmatch(output)
	if m == nil {
		return result{}, fmt.Errorf("the runner does not say how many tests passed:\n%s", output)
	}
	r := result{output: output}
	r.passed, _ = strconv.Atoi(m[1])
	for _, f := range failure.FindAllStringSubmatch(output, -1) {
		r.failed = append(r.failed, f[1])
	}
	if strconv.Itoa(len(r.failed)) != m[2] {
		return r, fmt.Errorf("the runner names %d tests that fail, and says that %s do", len(r.failed), m[2])
	}
	return r, nil
}

// compare returns an error if a test does not pass in got that passes in heap.
func compare(heap, got result) error {
	var worse []string
	for _, name := range got.failed {
		if !slices.Contains(heap.failed, name) {
			worse = append(worse, name)
		}
	}
	switch {
	case heap.passed == 0:
		return errors.New("no test passes without arenas")
	case len(worse) > 0:
		return fmt.Errorf("%d tests pass without arenas and fail with them: %q", len(worse), worse)
	case got.passed < heap.passed:
		return fmt.Errorf("%d tests pass, without arenas %d", got.passed, heap.passed)
	}
	return nil
}

//go:embed testdata/hook.go
var hook []byte

// A source is a copy of the tests, and the programs made of it.
type source struct{ dir string }

func (src source) calls(setting string) string { return filepath.Join(src.dir, "calls-"+setting) }

// newSource makes the copy and builds it.
func newSource(ctx context.Context, dir string) (source, error) {
	const ours, theirs = "github.com/arena-go/arena", "connectrpc.com/conformance"
	var adapter, conformance struct{ Dir string }
	if err := list(ctx, ".", &adapter, "list", "-m", "-json", ours+"/arenaconnect"); err != nil {
		return source{}, err
	}
	if err := list(ctx, adapter.Dir, &conformance, "mod", "download", "-json", theirs+"@"+version); err != nil {
		return source{}, err
	}
	src := source{dir: filepath.Join(dir, "conformance@"+version)}
	if err := os.CopyFS(src.dir, os.DirFS(conformance.Dir)); err != nil {
		return source{}, err
	}
	const hookPath = "internal/arenahook"
	if err := os.Mkdir(filepath.Join(src.dir, hookPath), 0o777); err != nil {
		return source{}, err
	}
	if err := os.WriteFile(filepath.Join(src.dir, hookPath, "hook.go"), hook, 0o666); err != nil {
		return source{}, err
	}
	if err := divert(filepath.Join(src.dir, "internal/app/referenceserver/server.go"), theirs+"/"+hookPath); err != nil {
		return source{}, err
	}
	core := filepath.Dir(adapter.Dir)
	if _, err := command(ctx, src.dir, "go", "mod", "edit", "-go=1.26",
		"-require="+ours+"@v0.0.0", "-replace="+ours+"="+core,
		"-require="+ours+"/arenapb@v0.0.0", "-replace="+ours+"/arenapb="+filepath.Join(core, "arenapb"),
		"-require="+ours+"/arenaconnect@v0.0.0", "-replace="+ours+"/arenaconnect="+adapter.Dir); err != nil {
		return source{}, err
	}
	_, err := command(ctx, src.dir, "go", "build", "-o", src.dir+string(filepath.Separator), "./cmd/connectconformance", "./cmd/referenceserver")
	return src, err
}

// divert has the handlers of a source file take their options from a package.
func divert(name, from string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	const options, imports = "opts...,", "import (\n"
	text := string(src)
	if strings.Count(text, options) != 1 || strings.Count(text, imports) != 1 {
		return fmt.Errorf("%s is not as it was: find where it makes the handlers", name)
	}
	text = strings.Replace(text, options, "arenahook.Options(opts)...,", 1)
	text = strings.Replace(text, imports, imports+"\t"+strconv.Quote(from)+"\n", 1)
	return os.WriteFile(name, []byte(text), 0o666)
}

// test runs the tests in a setting.
func (src source) test(ctx context.Context, setting string) (result, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(src.dir, "connectconformance"), "-v",
		"--conf", filepath.Join("testing", "reference-impls-config.yaml"), "--mode", "server", "--", filepath.Join(src.dir, "referenceserver"))
	cmd.Dir = src.dir
	cmd.Env = append(os.Environ(), "ARENACONNECT_SUITE="+setting, "ARENACONNECT_SUITE_CALLS="+src.calls(setting))
	out, err := cmd.CombinedOutput()
	// A test that fails makes the runner fail, too.
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return result{}, err
	}
	return parse(string(out))
}

// list runs the go command and reads its answer.
func list(ctx context.Context, dir string, answer any, args ...string) error {
	out, err := command(ctx, dir, "go", args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, answer)
}

// command runs a command and returns what it printed. The error has what it complained of.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &complaints
	if dir != "." {
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod") // one module, which may complete its requirements
	}
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s: %w\n%s", cmd, err, complaints.Bytes())
	}
	return out.Bytes(), nil
}
