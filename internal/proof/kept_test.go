package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKeptShown runs the test at the top of docs/debugging.md in another module, in which only that
// line looks for mistakes, and compares its report with the report in the document.
func TestKeptShown(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs: not in short mode")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var handler, test, shown string
	for _, d := range read(t) {
		if filepath.Base(d.name) != "debugging.md" {
			continue
		}
		for _, b := range d.blocks {
			switch {
			case strings.Contains(b.text, "func TestGreet("):
				test = b.text
			case strings.Contains(b.text, "func greet("):
				handler = b.text
			}
		}
		text, err := os.ReadFile(filepath.Join(root, d.name))
		if err != nil {
			t.Fatal(err)
		}
		shown = regexp.MustCompile(`(?m)(?:^    arena: kept after the end.*\n)(?:^    .*\n)+`).FindString(string(text))
	}
	if handler == "" || test == "" || shown == "" {
		t.Fatalf("docs/debugging.md has no handler, test or report:\n%s\n%s\n%s", handler, test, shown)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": fmt.Sprintf("module greet\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", module, here),
		"greet.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"sync\"\n\n\t\"" + module + "\"\n)\n\n" + handler +
			"\nfunc main() { http.HandleFunc(\"/greet/{name}\", greet) }\n",
		"greet_test.go": "package main\n\nimport (\n\t\"net/http\"\n\t\"net/http/httptest\"\n\t\"testing\"\n\n\t\"" + module + "/arenahttp/arenahttptest\"\n)\n\n" + test,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", ".")
	cmd.Dir, cmd.Env = dir, append(cleanEnv(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the test passes:\n%s", out)
	}
	rest := string(out)
	for line := range strings.Lines(shown) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, "…") || strings.HasPrefix(line, "greet.go:") {
			continue
		}
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			t.Fatalf("%q is shown in docs/debugging.md, and is not in the report, or not there:\n%s", line, out)
		}
		rest = after
	}
}
