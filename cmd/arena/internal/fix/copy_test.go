package fix

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// proxy makes a file system proxy that has the module words as example.com/m v1.0.0.
func proxy(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "example.com", "m", "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	const mod = "module example.com/m\n\ngo 1.26\n"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range append(txtar.Parse([]byte(words)).Files, txtar.File{Name: "go.mod", Data: []byte(mod)}) {
		w, err := z.Create("example.com/m@v1.0.0/" + file.Name)
		if err == nil {
			_, err = w.Write(file.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": mod, "v1.0.0.zip": b.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + filepath.ToSlash(root)
}

// TestCopy changes a copy of a module in the module cache, and builds with it. Nothing of the main
// module changes.
func TestCopy(t *testing.T) {
	arena := sources(t)
	for name, value := range map[string]string{
		"GOPROXY": proxy(t), "GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw", "GONOSUMDB": "*", "GOWORK": "off", "GOTOOLCHAIN": "local",
	} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	const mod = "module example.com/user\n\ngo 1.26\n\nrequire example.com/m v1.0.0\n"
	for name, text := range map[string]string{
		"go.mod":  mod,
		"main.go": "package main\n\nimport \"example.com/m\"\n\nfunc main() { println(m.Count(\"a b c\")) }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "mod", "tidy").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string) {
		var out, log bytes.Buffer
		status := Main(context.Background(), append([]string{"-arena", arena}, args...), &out, &log)
		return status, log.String()
	}
	if status, log := run("-root", "m.Parse", "-copy", "third", "-w", "."); status != 2 || !strings.Contains(log, "is the main module") {
		t.Errorf("status %d, %s", status, log)
	}
	status, log := run("-root", "m.Parse", "-scope", "m.Count", "-copy", "third/m", "-modfile", "out.mod", "-w", "example.com/m")
	if status != 0 || !strings.Contains(log, "go build -modfile="+filepath.Join(dir, "out.mod")) {
		t.Fatalf("status %d, %s", status, log)
	}
	t.Setenv("GOFLAGS", "-modcacherw")
	for name, want := range map[string]string{"go.mod": mod, "go.sum": string(sum)} {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s has changed: %s %v", name, b, err)
		}
	}
	out, err := exec.Command("go", "run", "-modfile=out.mod", ".").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "4" {
		t.Errorf("%v\n%s", err, out)
	}
	list, err := exec.Command("go", "list", "-deps", "-modfile=out.mod", ".").CombinedOutput()
	if err != nil || !strings.Contains(string(list), arenaPath+"\n") {
		t.Errorf("%v\n%s", err, list)
	}
	// A vendor directory contains the previous module, and go build uses it unless a flag says
	// otherwise.
	if out, err := exec.Command("go", "mod", "vendor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if status, log := run("-root", "m.Parse", "-copy", "third/more", "-modfile", "more.mod", "-w", "example.com/m"); status != 0 || !strings.Contains(log, "-mod=mod -modfile=") {
		t.Errorf("status %d, %s", status, log)
	}
	t.Setenv("GOFLAGS", "-modcacherw")
	if out, err := exec.Command("go", "run", "-mod=mod", "-modfile=more.mod", ".").CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "4" {
		t.Errorf("%v\n%s", err, out)
	}
	if status, log := run("-root", "m.Parse", "-copy", "third/m", "-w", "example.com/m"); status != 2 || !strings.Contains(log, "not empty") {
		t.Errorf("status %d, %s", status, log)
	}
	// A workspace allows no -modfile.
	t.Setenv("GOWORK", "")
	if err := os.WriteFile("go.work", []byte("go 1.26\n\nuse .\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("vendor"); err != nil {
		t.Fatal(err)
	}
	if status, log := run("-root", "m.Parse", "-copy", "third/work", "-modfile", "work.mod", "-w", "example.com/m"); status != 0 || !strings.Contains(log, ": GOWORK=off go build -modfile=") {
		t.Errorf("status %d, %s", status, log)
	}
	t.Setenv("GOFLAGS", "-modcacherw")
	if out, err := exec.Command("go", "run", "-modfile=work.mod", ".").CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "4" {
		t.Errorf("%v\n%s", err, out)
	}
}
