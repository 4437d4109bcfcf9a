// Package foreign has programs in other languages that do some of the workloads with an arena of
// theirs.
package foreign

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// sources are the source files. They are called as
//
//	program implementation workload n seconds
//
// and write a [suite.Result] to their standard output.
//
//go:embed c/bump.c c/pmr.cc c/work.h rust/Cargo.toml rust/Cargo.lock rust/src/main.rs zig/arena.zig
var sources embed.FS

// The programs.
const (
	Rust suite.Program = "Rust"
	C    suite.Program = "C"
	CPP  suite.Program = "C++"
	Zig  suite.Program = "Zig"
)

// Workloads are what the programs do.
var Workloads = []string{"struct16", "trees", "fresh-5"}

// Implementations are what the programs have, for each of the workloads.
var Implementations = []suite.Implementation{
	{Name: "bumpalo", Program: Rust}, {Name: "bump-scope", Program: Rust}, {Name: "mimalloc", Program: Rust},
	{Name: "c", Program: C}, {Name: "pmr", Program: CPP}, {Name: "zig", Program: Zig},
}

// Programs are all of them.
var Programs = []suite.Program{Rust, C, CPP, Zig}

// A compiler builds one of them.
type compiler struct {
	tools     []string // Of which one is needed.
	advice    string   // How to get it.
	arguments []string
	built     string // Where the program is then.
}

var compilers = map[suite.Program]compiler{
	Rust: {[]string{"cargo"}, "install Rust 1.85 or later, https://rustup.rs, and a C compiler",
		[]string{"build", "--release", "--locked", "--manifest-path", filepath.Join("rust", "Cargo.toml"), "--target-dir", "target"}, filepath.Join("target", "release", "objects")},
	C:   {[]string{"cc"}, "install a C compiler, gcc or clang", []string{"-O2", "-o", "bump", filepath.Join("c", "bump.c")}, "bump"},
	CPP: {[]string{"c++"}, "install a C++ compiler, g++ or clang++", []string{"-O2", "-std=c++17", "-o", "pmr", filepath.Join("c", "pmr.cc")}, "pmr"},
	Zig: {[]string{"zig", "python-zig"}, "install Zig 0.17, as by pip install ziglang==0.17.1",
		[]string{"build-exe", "-O", "ReleaseFast", "-mcpu=baseline", "-femit-bin=arena", filepath.Join("zig", "arena.zig")}, "arena"},
}

// Build builds the programs that are wanted, in dir. It returns their paths, and what is missing
// for the rest.
func Build(dir string, wanted func(suite.Program) bool) (paths map[suite.Program]string, missing []string) {
	if err := os.CopyFS(dir, sources); err != nil {
		return nil, []string{err.Error()}
	}
	paths = map[suite.Program]string{}
	for _, p := range Programs {
		if !wanted(p) {
			continue
		}
		c := compilers[p]
		if path, err := c.build(dir); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v; %s", p, err, c.advice))
		} else {
			paths[p] = path
		}
	}
	return paths, missing
}

func (c *compiler) build(dir string) (path string, err error) {
	for _, tool := range c.tools {
		if path, err = exec.LookPath(tool); err == nil {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("there is no %s", strings.Join(c.tools, " nor "))
	}
	cmd := exec.Command(path, c.arguments...)
	cmd.Dir = dir
	_, err = suite.Output(cmd)
	return filepath.Join(dir, c.built), err
}
