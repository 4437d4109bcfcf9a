package escape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLines: a program that cannot be linked does not matter, and what else the compiler says is no
// part of an error.
func TestLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, src := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"a/a.go":      "package a\n\ntype I interface{ M() }\n\ntype T int\n\nfunc (T) M() {}\n\nfunc F() *int { return new(int) }\n\nfunc G() int { var i I = T(1); i.M(); return *F() }\n",
		"tool/t.go":   "package main\n\nfunc init() {}\n",
		"wrong/no.go": "package wrong\n\nfunc F() *int { return new(string) }\n\nfunc G() *int { return new(int) }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines, inlined, err := Lines(t.Context(), dir, false, []string{"./a", "./tool"})
	if err != nil || len(inlined) != 2 || inlined[1].Line != 11 || inlined[1].Text != "F" || len(lines) != 1 || lines[0].Line != 9 || lines[0].Text != "new(int) escapes to heap" {
		t.Errorf("got %v, %v, %v", lines, inlined, err)
	}
	_, _, err = Lines(t.Context(), dir, false, []string{"./..."})
	if err == nil || !strings.Contains(err.Error(), "new(string)") || strings.Contains(err.Error(), "escapes to heap") || strings.Contains(err.Error(), "can inline") ||
		strings.Contains(err.Error(), "devirtualizing") || strings.Contains(err.Error(), "# m/a") || !strings.Contains(err.Error(), "# m/wrong") {
		t.Errorf("got %v", err)
	}
}
