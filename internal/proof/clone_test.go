package proof

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// TestClone follows literally the documents about using a clone: in an empty directory next to the
// clone, with the README's program, and with a program that imports the adapter that requires most
// of our modules, or with -long each of them.
func TestClone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the go command: not in short mode")
	}
	needs(t, "bash", "make", "go")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	program := ""
	for _, b := range parse("README.md", string(text)).blocks {
		if b.whole() && strings.Contains(b.text, "\nfunc main() {") && program == "" {
			program = b.text
		}
	}
	programs := map[string]string{".": program}
	for dir := range strings.FieldsSeq(output(t, root, "make", "-s", "--no-print-directory", "list-released")) {
		if dir = path.Clean(dir); dir == "arenagrpc" || testrun.Long() && dir != "." && !strings.HasPrefix(dir, "cmd/") {
			programs[dir] = "package main\n\nimport _ \"" + path.Join(module, dir) + "\"\n\nfunc main() {}\n"
		}
	}
	recipes := 0
	for _, d := range read(t) {
		for _, b := range d.blocks {
			if !strings.Contains(b.text, "go mod edit -replace") {
				continue
			}
			recipes++
			for dir, program := range programs {
				t.Run(d.name+" "+dir, func(t *testing.T) {
					out := followed(t, b.text, program)
					if dir == "." && out != "a\n" {
						t.Errorf("the README's program prints %q", out)
					}
				})
			}
		}
	}
	if recipes == 0 {
		t.Error("no document says how to use a clone")
	}
}

// followed runs the commands in an empty directory with a program, next to the clone.
func followed(t *testing.T, commands, program string) string {
	t.Helper()
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	beside := t.TempDir()
	if err := os.Symlink(clone, filepath.Join(beside, "arena")); err != nil {
		t.Skip(err) // Windows lets few users make one
	}
	write(t, filepath.Join(beside, "outsider", "main.go"), program)
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", commands)
	cmd.Dir, cmd.Env = filepath.Join(beside, "outsider"), append(os.Environ(), "GOWORK=", "GOFLAGS=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && strings.Contains(stderr.String(), "dial tcp") {
		t.Log(stderr.String())
		testrun.Need(t, "modules that the adapters require (from a module cache or the network)")
	}
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, &stderr)
	}
	return string(out)
}
