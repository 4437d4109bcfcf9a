package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// codePerType is the most that one more type in an arena may add to a program: 5.1 kB, and some
// room for other systems and versions of Go. It was 17 kB while slabs were generic with all that
// they do.
const codePerType = 7 << 10

// TestCodePerType builds programs that make values of many types in an arena. What a type adds is
// paid by each program with arenas, in its size and in the time to compile it.
func TestCodePerType(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs; run it without -short")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", "module types\n\ngo 1.26\n\nrequire github.com/arena-go/arena v0.0.0\n\nreplace github.com/arena-go/arena => "+abs+"\n")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	size := func(types int) int64 {
		var b strings.Builder
		b.WriteString("package main\n\nimport \"github.com/arena-go/arena\"\n\nvar sink any\n\nfunc main() {\n\ta := arena.NewArena()\n")
		for i := range types {
			fmt.Fprintf(&b, "\tsink = arena.New[T%d](a)\n", i)
		}
		b.WriteString("}\n")
		for i := range types {
			fmt.Fprintf(&b, "\ntype T%d struct {\n\ta, b int\n\tnext *T%d\n\tname string\n\trest [%d]int\n}\n", i, i, i%7+1)
		}
		write("main.go", b.String())
		goCommand(t, dir, "build", "-ldflags=-s -w", "-o", "types.exe", ".")
		info, err := os.Stat(filepath.Join(dir, "types.exe"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	const few, many = 20, 120
	perType := (size(many) - size(few)) / (many - few)
	if perType > codePerType {
		t.Errorf("a type in an arena adds %d bytes to a program, more than %d", perType, codePerType)
	}
	t.Logf("a type in an arena adds %d bytes to a program", perType)
}
