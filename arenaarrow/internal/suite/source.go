package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed testdata/go_allocator.go
var goAllocator []byte

// A source is a copy of arrow-go whose GoAllocator does what the environment says.
type source struct {
	dir     string // the root of the copy
	bin     string // where the test binaries go
	version string
}

// newSource makes the copy in a directory, or puts the present allocator into an existing copy. The
// version is the version that arenaarrow requires.
func newSource(ctx context.Context, dir string) (source, error) {
	const ours = "github.com/arena-go/arena"
	var adapter, core, arrow struct{ Dir, Version string }
	// Which directory is meant by the adapter depends on where this is run; what it requires does
	// not.
	if err := list(ctx, ".", nil, &adapter, "list", "-m", "-json", ours+"/arenaarrow"); err != nil {
		return source{}, err
	}
	if err := list(ctx, adapter.Dir, alone, &core, "list", "-m", "-json", ours); err != nil {
		return source{}, err
	}
	if err := list(ctx, adapter.Dir, alone, &arrow, "mod", "download", "-json", "github.com/apache/arrow-go/v18"); err != nil {
		return source{}, err
	}

	src := source{dir: filepath.Join(dir, "arrow-go@"+arrow.Version), bin: filepath.Join(dir, "bin"), version: arrow.Version}
	if _, err := os.Stat(src.dir); os.IsNotExist(err) {
		if err := os.CopyFS(src.dir, os.DirFS(arrow.Dir)); err != nil {
			return source{}, err
		}
	}
	if err := os.WriteFile(filepath.Join(src.dir, "arrow/memory/go_allocator.go"), goAllocator, 0o666); err != nil {
		return source{}, err
	}
	_, err := run(ctx, src.dir, alone, "go", "mod", "edit", "-go=1.26",
		"-require="+ours+"@v0.0.0", "-replace="+ours+"="+core.Dir,
		"-require="+ours+"/arenaarrow@v0.0.0", "-replace="+ours+"/arenaarrow="+adapter.Dir)
	return src, err
}

// build makes the test binary of a package and returns its name.
func (src source) build(ctx context.Context, pkg string) (string, error) {
	binary := filepath.Join(src.bin, strings.ReplaceAll(pkg, "/", "_")+".test")
	_, err := run(ctx, src.dir, alone, "go", "test", "-c", "-vet=off", "-p=2", "-tags=assert,test", "-o", binary, "./"+pkg)
	return binary, err
}

// test runs a test binary in the directory of its package.
func (src source) test(ctx context.Context, pkg, binary, setting string, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout+10*time.Second) // for those that do not end by themselves
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, "-test.v=test2json", "-test.timeout="+timeout.String())...)
	cmd.Dir = filepath.Join(src.dir, pkg)
	cmd.Env = append(os.Environ(), "ARENAARROW_SUITE="+setting)
	cmd.WaitDelay = time.Second
	output, ended := cmd.CombinedOutput()

	cmd = exec.CommandContext(ctx, "go", "tool", "test2json")
	cmd.Dir = src.dir
	cmd.Env = append(os.Environ(), alone...)
	cmd.Stdin = bytes.NewReader(output)
	events, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("go tool test2json: %w", err)
	}
	res, err := parse(bytes.NewReader(events))
	// A process whose tests all ended exits with 1 if one failed. Anything else is an end before
	// its time.
	if cmd, ok := ended.(*exec.ExitError); ended != nil && (!ok || cmd.ExitCode() != 1 || len(res.with("run")) > 0 || len(res.with("fail")) == 0) {
		res.ended = ended.Error()
	}
	return res, err
}

// alone makes the go command see one module and not the workspace, and lets it
// complete the requirements of the copy.
var alone = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}

// list runs the go command and reads its answer.
func list(ctx context.Context, dir string, env []string, answer any, args ...string) error {
	out, err := run(ctx, dir, env, "go", args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, answer)
}

// run runs a command and returns what it printed. The error has what it complained of.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &complaints
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, complaints.Bytes())
	}
	return out.Bytes(), nil
}
