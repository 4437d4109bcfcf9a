package fix

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// written returns the directory of a module example.com/m that is one text: files behind lines "-- name --".
func written(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	files := txtar.Parse([]byte(source)).Files
	for _, f := range append(files, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n\ngo 1.26\n")}) {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rewritten rewrites such a module, and runs its tests. It returns the result, and the new sources in one text.
func rewritten(t *testing.T, source string, o Options) (*Result, string) {
	t.Helper()
	arena := sources(t)
	o.Dir = written(t, source)
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	if err := require(context.Background(), o.Dir, "", arena); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, src := range r.Files {
		all.Write(src)
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = o.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, &all)
	}
	return r, all.String()
}
