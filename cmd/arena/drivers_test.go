package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// drivers turns on the tests that build other drivers of analyzers. They take minutes, and download
// modules.
var drivers = flag.Bool("drivers", false, "build golangci-lint and gopls with the analyzer, and run them")

// goplsVersion is the gopls that TestGopls builds. It needs Go 1.27.
const goplsVersion = "v0.24.0"

func needsDrivers(t *testing.T) {
	t.Helper()
	if !*drivers {
		t.Skip("builds another driver, which takes minutes and downloads modules: run it with -drivers, as make drivers does")
	}
}

// runWith runs a program, with more variables of the environment.
func runWith(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// moduleOf returns the directory of a version of a module, which the go command downloads if it has
// to.
func moduleOf(t *testing.T, path, version string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if json.Unmarshal(out, &m); err != nil || m.Dir == "" {
		t.Fatalf("%s@%s: %v %s", path, version, err, m.Error)
	}
	return m.Dir
}

// copied copies the files of a module into a directory, where they can be changed.
func copied(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(name string, d os.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, 0o777)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// documented returns a file of docs/vet.md that has some text in it. A file in Go is "golang"
// there: tests of the documents build what is "go".
func documented(t *testing.T, text string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```(?:yaml|golang)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if strings.Contains(m[1], text) {
			return m[1]
		}
	}
	t.Fatalf("docs/vet.md has no file with %q", text)
	return ""
}

// TestGolangci builds a golangci-lint with the plugin by the files that docs/vet.md has, and runs
// it: with a fact of another package, with what it has cached of that one, and when that one has
// changed. golangci-lint custom clones a repository: it gets one that has the files of the module.
func TestGolangci(t *testing.T) {
	needsDrivers(t)
	if _, err := exec.LookPath("git"); err != nil {
		testrun.Need(t, "git (Debian package git)")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	custom := documented(t, "plugins:")
	m := regexp.MustCompile(`(?m)^version: (\S+)$`).FindStringSubmatch(custom)
	if m == nil || !strings.Contains(custom, "    version: latest\n") {
		t.Fatalf("no versions in %s", custom)
	}
	custom = strings.Replace(custom, "    version: latest\n", "    path: "+filepath.ToSlash(here)+"\n", 1)
	const module = "github.com/golangci/golangci-lint/v2"

	repository := filepath.Join(t.TempDir(), "golangci-lint.git")
	copied(t, moduleOf(t, module, m[1]), repository)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-Af", "."}, {"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-qm", "test"}, {"tag", m[1]}} {
		runWith(t, repository, nil, "git", args...)
	}
	bin := t.TempDir()
	runWith(t, bin, []string{"GOWORK=off", "GOBIN=" + bin}, "go", "install", module+"/cmd/golangci-lint@"+m[1])

	// The build has its own environment, which tree replaces.
	build := t.TempDir()
	if err := os.WriteFile(filepath.Join(build, ".custom-gcl.yml"), []byte(custom), 0o666); err != nil {
		t.Fatal(err)
	}
	runWith(t, build, []string{
		"GOWORK=off", "GOFLAGS=", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + filepath.ToSlash(repository) + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/golangci/golangci-lint.git",
	}, filepath.Join(bin, "golangci-lint"), "custom")

	dir := tree(t, map[string]string{".golangci.yml": documented(t, "type: module")})
	t.Setenv("GOLANGCI_LINT_CACHE", t.TempDir())
	linter := filepath.Join(build, "custom-gcl")
	for range 2 {
		out, err := runIn(dir, linter, "run", "./...")
		for _, want := range []string{"a.go:11:15: stale: ", "a.go:15:25: useless: ", "* arena: 2\n"} {
			if err == nil || !strings.Contains(filepath.ToSlash(out), want) {
				t.Errorf("%v: %s; want %q", err, out, want)
			}
		}
	}
	change(t, filepath.Join(dir, "b", "b.go"), "return arena.String(a, b)", "return arena.Clone(arena.String(a, b))")
	if out, _ := runIn(dir, linter, "run", "./..."); strings.Contains(out, "stale") || !strings.Contains(out, "useless") {
		t.Errorf("after a change: %s", out)
	}
}

// change replaces a piece of a file.
func change(t *testing.T, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", name, old)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte(old), []byte(new), 1), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestGopls builds a gopls with the analyzer, and edits files in it, which are not saved: facts of
// a package are there after an edit of another one, and are new after an edit of their own.
func TestGopls(t *testing.T) {
	needsDrivers(t)
	if v := runWith(t, ".", nil, "go", "env", "GOVERSION"); strings.HasPrefix(v, "go1.26") {
		t.Skip("gopls needs Go 1.27: set GOTOOLCHAIN")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	copied(t, moduleOf(t, "golang.org/x/tools/gopls", goplsVersion), source)
	if err := os.WriteFile(filepath.Join(source, "internal", "settings", "arena.go"), []byte(documented(t, "package settings")), 0o666); err != nil {
		t.Fatal(err)
	}
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	// gopls uses what is internal to golang.org/x/tools, so that it needs the version that it
	// names.
	tools := strings.TrimSpace(runWith(t, source, env, "go", "list", "-m", "-f", "{{.Version}}", "golang.org/x/tools"))
	runWith(t, source, env, "go", "mod", "edit", "-require=github.com/arena-go/arena/cmd/arena@v0.0.0", "-replace=github.com/arena-go/arena/cmd/arena="+here,
		"-replace=golang.org/x/tools=golang.org/x/tools@"+tools)
	gopls := filepath.Join(t.TempDir(), "gopls.exe")
	runWith(t, source, env, "go", "build", "-o", gopls, ".")

	dir := tree(t, nil)
	t.Setenv("GOPLSCACHE", t.TempDir())
	s := serve(t, gopls, dir)
	a, b := filepath.Join(dir, "a", "a.go"), filepath.Join(dir, "b", "b.go")
	textA, textB := s.open(a), s.open(b)
	const stale = "stale: the result of b.Text"
	s.wait("at the beginning", a, 10, stale)
	// An edit of the package moves the line, and b is not analyzed again.
	s.edit(a, strings.Replace(textA, "func f(", "// f is a function.\nfunc f(", 1))
	s.wait("after an edit of a", a, 11, stale)
	s.edit(a, textA)
	s.wait("after that was taken back", a, 10, stale)
	// An edit of b changes its fact.
	s.edit(b, strings.Replace(textB, "return arena.String(a, b)", "return arena.Clone(arena.String(a, b))", 1))
	s.wait("after an edit of b", a, -1, stale)
	s.edit(b, textB)
	s.wait("after that was taken back, too", a, 10, stale)
	// A package that does not compile for a while.
	s.edit(b, textB+"\nfunc (")
	s.edit(b, textB+"\nfunc more() {}\n")
	s.edit(a, textA+"\nfunc more() {}\n")
	s.wait("after an error was mended", a, 10, stale)
}

// A server is a gopls that runs, and what it has said.
type server struct {
	t       *testing.T
	in      io.Writer
	said    chan diagnostics
	version map[string]int
	last    map[string]diagnostics
}

// diagnostics are what a server says of a file.
type diagnostics struct {
	URI         string `json:"uri"`
	Version     int    `json:"version"`
	Diagnostics []struct {
		Range struct {
			Start struct {
				Line int `json:"line"`
			} `json:"start"`
		} `json:"range"`
		Source  string `json:"source"`
		Message string `json:"message"`
	} `json:"diagnostics"`
}

// serve starts gopls for a directory.
func serve(t *testing.T, gopls, dir string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, gopls)
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, in: in, said: make(chan diagnostics, 1000), version: map[string]int{}, last: map[string]diagnostics{}}
	done := make(chan bool)
	ready := make(chan bool)
	go func() { defer close(done); s.read(out, ready) }()
	t.Cleanup(func() { cancel(); cmd.Wait(); <-done })
	settings := map[string]any{"analyses": map[string]bool{"stale": true}}
	s.write(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
		"processId": nil, "rootUri": uri(dir), "capabilities": map[string]any{}, "initializationOptions": settings,
		"workspaceFolders": []any{map[string]string{"uri": uri(dir), "name": "sample"}},
	}})
	select {
	case <-ready:
	case <-time.After(5 * time.Minute):
		t.Fatal("gopls does not answer")
	}
	s.write(map[string]any{"method": "initialized", "params": map[string]any{}})
	return s
}

func uri(name string) string { return "file://" + filepath.ToSlash(name) }

func (s *server) write(message map[string]any) {
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		s.t.Log(err)
	}
}

// read reads what the server says until it ends, and answers what it asks.
func (s *server) read(out io.Reader, ready chan bool) {
	r := bufio.NewReader(out)
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		json.Unmarshal(text, &m)
		switch {
		case m.Method == "":
			close(ready) // of the only request
		case m.Method == "textDocument/publishDiagnostics":
			var d diagnostics
			json.Unmarshal(m.Params, &d)
			s.said <- d
		case m.ID != nil:
			s.write(map[string]any{"id": m.ID, "result": nil})
		}
	}
}

// open opens a file, and returns what is in it.
func (s *server) open(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.version[name] = 1
	s.write(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{
		"textDocument": map[string]any{"uri": uri(name), "languageId": "go", "version": 1, "text": string(text)},
	}})
	return string(text)
}

// edit makes text the contents of a file that is open, and does not save it.
func (s *server) edit(name, text string) {
	s.version[name]++
	s.write(map[string]any{"method": "textDocument/didChange", "params": map[string]any{
		"textDocument":   map[string]any{"uri": uri(name), "version": s.version[name]},
		"contentChanges": []any{map[string]string{"text": text}},
	}})
}

// wait waits until the server says of the last version of a file that there is a mistake in a line,
// counted from 0, or in none if that is -1.
func (s *server) wait(when, name string, line int, message string) {
	s.t.Helper()
	timeout := time.After(3 * time.Minute)
	for {
		if d, ok := s.last[uri(name)]; ok && d.Version == s.version[name] {
			at := -1
			for _, x := range d.Diagnostics {
				if x.Source == "stale" && strings.Contains(x.Message, message) {
					at = x.Range.Start.Line
				}
			}
			if at == line {
				return
			}
		}
		select {
		case d := <-s.said:
			s.last[d.URI] = d
		case <-timeout:
			s.t.Fatalf("%s: %s is not reported in line %d: %+v", when, message, line, s.last[uri(name)])
		}
	}
}
