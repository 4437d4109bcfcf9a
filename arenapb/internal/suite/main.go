// Suite runs the tests of protobuf-go with arenapb instead of proto.Unmarshal, protojson.Unmarshal
// and protojson.Marshal.
//
//	go run ./arenapb/internal/suite [-tags tags] [-dir directory] [package ...]
//
// It copies the version of protobuf-go that arenapb requires, has the tests in the copy decode
// through packages of its own, see testdata, and runs them twice: with packages proto and
// protojson, and with arenapb, each message in an arena that is freed before the test looks at the
// message. A test that comes to another end the second time is a failure, and so is one that fails
// both times: protobuf-go's tests pass.
//
// The packages are directories of protobuf-go, such as ./proto; without any, all whose tests
// decode.
package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packages are the packages of protobuf-go whose tests decode messages.
var packages = []string{
	"./cmd/protoc-gen-go/builder_test",
	"./cmd/protoc-gen-go/feature_resolution_test",
	"./encoding/protojson",
	"./encoding/prototext",
	"./internal/filedesc",
	"./internal/impl",
	"./internal/race_test/lazy",
	"./internal/reflection_test",
	"./internal/testprotos/nullable",
	"./proto",
	"./testing/prototest",
	"./types/dynamicpb",
}

func main() {
	tags := flag.String("tags", "protolegacy", "build `tags` of protobuf-go")
	dir := flag.String("dir", "", "work in this `directory`, and leave everything there (default a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if flag.NArg() > 0 {
		packages = flag.Args()
	}
	report, err := run(ctx, *dir, *tags, packages)
	fmt.Print(report)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

// run runs all in a directory, or in a temporary one. The error says what is amiss.
func run(ctx context.Context, dir, tags string, packages []string) (report string, err error) {
	start := time.Now()
	if dir == "" {
		if dir, err = os.MkdirTemp("", "arenapb-suite-"); err != nil {
			return "", err
		}
		defer os.RemoveAll(dir)
	}
	src, err := newSource(ctx, dir)
	if err != nil {
		return "", err
	}
	heap, err := src.test(ctx, "heap", tags, packages)
	if err != nil {
		return "", err
	}
	arena, err := src.test(ctx, "arena", tags, packages)
	if err != nil {
		return "", err
	}
	calls, err := os.ReadFile(src.calls())
	if err != nil {
		return "", fmt.Errorf("nothing was decoded into an arena: %w", err)
	}

	c := compare(heap.tests, arena.tests)
	report = fmt.Sprintf("protobuf-go %s, tags %q: %d packages, %d tests pass, %d are skipped, %d fail with both, %d differ, %d messages in arenas, %.0fs\n",
		src.version, tags, len(packages), c.passed, c.skipped, len(c.failed), len(c.differ), len(calls), time.Since(start).Seconds())
	for _, name := range append(c.failed, c.differ...) {
		report += fmt.Sprintf("%s: %q on the heap, %q with arenapb\n%s", name, heap.tests[name], arena.tests[name], arena.output[name])
	}
	switch {
	case len(c.differ) > 0 || len(c.failed) > 0:
		err = fmt.Errorf("%d tests differ, %d fail with both", len(c.differ), len(c.failed))
	case c.passed == 0:
		err = errors.New("no test passed")
	}
	return report, err
}

// A result contains the outcome of the tests of all packages: pass, fail, skip, or run for a test
// during which the process ended. The names are the names of packages and tests. broken contains
// the messages of the compiler and the linker about packages that do not build.
type result struct {
	tests, output map[string]string
	broken        string
}

// parse reads what go test -json prints.
func parse(r io.Reader) (result, error) {
	res := result{tests: map[string]string{}, output: map[string]string{}}
	for d := json.NewDecoder(r); ; {
		var event struct{ Action, Package, Test, Output string }
		if err := d.Decode(&event); err == io.EOF {
			return res, nil
		} else if err != nil {
			return res, err
		}
		name := strings.TrimSuffix(event.Package+" "+event.Test, " ")
		switch event.Action {
		case "run", "pass", "fail", "skip":
			res.tests[name] = event.Action
		case "output":
			if len(res.output[name]) < 4000 {
				res.output[name] += "\t" + event.Output
			}
		case "build-output":
			if len(res.broken) < 4000 {
				res.broken += event.Output
			}
		}
	}
}

// A comparison of two runs names the tests that fail in both, and those that do not end alike.
type comparison struct {
	passed, skipped int
	failed, differ  []string
}

func compare(heap, arena map[string]string) (c comparison) {
	all := maps.Clone(heap)
	maps.Copy(all, arena)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch state := heap[name]; {
		case state != arena[name]:
			c.differ = append(c.differ, name)
		case state == "skip":
			c.skipped++
		case state != "pass":
			c.failed = append(c.failed, name)
		case strings.Contains(name, " "): // and not a package as a whole
			c.passed++
		}
	}
	return c
}

// hooks are the packages that stand in for packages of protobuf-go.
var hooks = []struct {
	name, instead string
	members       []string
}{
	{"arenahook", theirs + "/proto", []string{"Unmarshal", "UnmarshalOptions"}},
	{"arenahookjson", theirs + "/encoding/protojson", []string{"Unmarshal", "UnmarshalOptions", "Marshal", "MarshalOptions"}},
}

//go:embed testdata
var testdata embed.FS

const ours, theirs = "github.com/arena-go/arena", "google.golang.org/protobuf"

// A source is a copy of protobuf-go whose tests decode as the environment says.
type source struct {
	dir     string // the root of the copy
	version string
}

func (src source) calls() string { return filepath.Join(src.dir, "calls") }

// newSource makes the copy, with the version that arenapb requires.
func newSource(ctx context.Context, dir string) (source, error) {
	var adapter, core, protobuf struct{ Dir, Version string }
	if err := list(ctx, ".", nil, &adapter, "list", "-m", "-json", ours+"/arenapb"); err != nil {
		return source{}, err
	}
	if err := list(ctx, adapter.Dir, alone, &core, "list", "-m", "-json", ours); err != nil {
		return source{}, err
	}
	if err := list(ctx, adapter.Dir, alone, &protobuf, "mod", "download", "-json", theirs); err != nil {
		return source{}, err
	}
	src := source{dir: filepath.Join(dir, "protobuf@"+protobuf.Version), version: protobuf.Version}
	if err := os.CopyFS(src.dir, os.DirFS(protobuf.Dir)); err != nil {
		return source{}, err
	}
	for _, hook := range hooks {
		text, err := testdata.ReadFile("testdata/" + hook.name + ".go")
		if err != nil {
			return source{}, err
		}
		dir := filepath.Join(src.dir, "internal", hook.name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return source{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, "hook.go"), text, 0o666); err != nil {
			return source{}, err
		}
		if err := divert(src.dir, hook.instead, theirs+"/internal/"+hook.name, hook.members); err != nil {
			return source{}, err
		}
	}
	_, err := command(ctx, src.dir, alone, "mod", "edit", "-go=1.26",
		"-require="+ours+"@v0.0.0", "-replace="+ours+"="+core.Dir,
		"-require="+ours+"/arenapb@v0.0.0", "-replace="+ours+"/arenapb="+adapter.Dir)
	return src, err
}

// test runs the tests of packages.
func (src source) test(ctx context.Context, setting, tags string, packages []string) (result, error) {
	env := append(slices.Clone(alone), "ARENAPB_SUITE="+setting, "ARENAPB_SUITE_CALLS="+src.calls())
	args := append([]string{"test", "-json", "-vet=off", "-count=1", "-p=2", "-timeout=5m", "-tags=" + tags}, packages...)
	out, err := command(ctx, src.dir, env, args...)
	// A test that fails makes the command fail, too.
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || len(out) == 0) {
		return result{}, err
	}
	res, err := parse(bytes.NewReader(out))
	if err == nil && res.broken != "" {
		err = fmt.Errorf("the tests do not build:\n%s", res.broken)
	}
	return res, err
}

// alone makes the go command see one module and not the workspace, and lets it
// complete the requirements of the copy.
var alone = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}

// list runs the go command and reads its answer.
func list(ctx context.Context, dir string, env []string, answer any, args ...string) error {
	out, err := command(ctx, dir, env, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, answer)
}

// command runs the go command and returns what it printed. The error has what it complained of.
func command(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &complaints
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s: %w\n%s", cmd, err, complaints.Bytes())
	}
	return out.Bytes(), nil
}
