package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// TestProve runs arena vet -prove on a program with one end of each kind: proved, not proved,
// trusted, and trusted in vain.
func TestProve(t *testing.T) {
	t.Chdir(tree(t, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n", "p/p.go": `package p

import "github.com/arena-go/arena"

var last string

func Proved(b []byte) int {
	a := arena.NewArena()
	n := len(arena.String(a, b))
	a.Reset()
	return n
}

func Kept(b []byte) {
	a := arena.NewArena()
	last = arena.String(a, b)
	a.Free()
}

func Trusted(b []byte) {
	a := arena.NewArena()
	last = arena.String(a, b)
	last = ""
	a.Free() //arena:trust last is empty
}
`, "q/q.go": `package q

import "github.com/arena-go/arena"

func InVain() {
	a := arena.NewArena()
	//arena:trust nothing is made
	a.Free()
}

func Unreasoned(a *arena.Arena) {
	a.Free() //arena:trust
}
`}))
	proved := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code, err := run(append([]string{"vet", "-prove"}, args...), &stdout, &stderr)
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := proved("./p")
	for _, want := range []string{"p.go:10:9: Reset: proved", "p.go:17:8: Free: not proved: it is stored in something older than the call\n",
		"p.go:16:21: text is made\n", "p.go:16:2: it is stored", "p.go:24:8: Free: trusted: last is empty", "3 ends: 1 proved, 1 trusted, 1 not proved"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if code != 1 || errs != "" {
		t.Errorf("code %d, %s", code, errs)
	}
	code, out, _ = proved("-json", "./p")
	var all []proof
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 1 || len(all) != 3 || !all[0].Proved || len(all[1].Path) != 2 || all[2].Trust == "" {
		t.Errorf("code %d, %v: %s", code, err, out)
	}
	code, out, errs = proved("./q")
	if code != 1 || !strings.Contains(errs, "q.go:7:2: //arena:trust is not needed") || !strings.Contains(errs, "q.go:12:11: //arena:trust needs a reason") ||
		!strings.Contains(out, "not proved: the arena comes from a caller") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	if code, out, errs = proved("./a", "./b"); code != 0 || !strings.HasPrefix(out, "0 ends") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}

// TestProveExamples: all ends in these programs are proved, or trusted with a reason.
func TestProveExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("loads a whole program: not in short mode")
	}
	root := filepath.Join("..", "..", "examples")
	if _, err := os.Stat(root); err != nil {
		testrun.Need(t, "the repository around the module (git clone)")
	}
	t.Chdir(root)
	names := []string{"requests"}
	if testrun.Long() {
		names = []string{"requests", "profiles", "service", "ingest"}
	}
	for _, name := range names {
		var stdout, stderr bytes.Buffer
		code, err := run([]string{"vet", "-prove", "./" + name}, &stdout, &stderr)
		t.Logf("%s:\n%s", name, stdout.String())
		if err != nil || code != 0 {
			t.Errorf("%s: code %d, %v\n%s", name, code, err, stderr.String())
		}
	}
}
