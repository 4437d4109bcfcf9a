package objects

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/arena-go/arena/bench/internal/suite"
)

// sources are the source files of the programs in other languages. They are called as
//
//	program struct16 n seconds
//	program trees depth
//
// and write a [suite.Result] to their standard output.
//
//go:embed c/bump.c bumpalo/Cargo.toml bumpalo/Cargo.lock bumpalo/src/main.rs
var sources embed.FS

// Build builds the programs in other languages in dir. It returns their paths, and what is missing
// for the rest.
func Build(dir string) (programs map[suite.Program]string, missing []string) {
	if err := os.CopyFS(dir, sources); err != nil {
		return nil, []string{err.Error()}
	}
	programs = map[suite.Program]string{}
	build := func(p suite.Program, name, tool, advice, program string, arguments ...string) {
		path, err := exec.LookPath(tool)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s: there is no %s: %s", name, tool, advice))
			return
		}
		cmd := exec.Command(path, arguments...)
		cmd.Dir = dir
		if _, err := suite.Output(cmd); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", name, err))
			return
		}
		programs[p] = filepath.Join(dir, program)
	}
	build(suite.Rust, "bumpalo", "cargo", "install Rust, https://rustup.rs", filepath.Join("target", "release", "objects"),
		"build", "--release", "--locked", "--manifest-path", filepath.Join("bumpalo", "Cargo.toml"), "--target-dir", "target")
	build(suite.C, "c", "cc", "install a C compiler, gcc or clang", "bump",
		"-O2", "-o", "bump", filepath.Join("c", "bump.c"))
	return programs, missing
}
