package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/arena-go/arena/bench/internal/rounds"
)

// sources are those of the programs in other languages.
//
//go:embed c/bump.c bumpalo/Cargo.toml bumpalo/Cargo.lock bumpalo/src/main.rs
var sources embed.FS

// buildOthers builds them in dir, and returns their paths by name, and what is missing for the rest.
func buildOthers(dir string) (paths map[string]string, missing []string) {
	paths = map[string]string{}
	if err := os.CopyFS(dir, sources); err != nil {
		return nil, []string{err.Error()}
	}
	build := func(name, tool, advice, program string, arguments ...string) {
		path, err := exec.LookPath(tool)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s: there is no %s: %s", name, tool, advice))
			return
		}
		cmd := exec.Command(path, arguments...)
		cmd.Dir = dir
		if _, err := rounds.Output(cmd); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", name, err))
			return
		}
		paths[name] = filepath.Join(dir, program)
	}
	build("bumpalo", "cargo", "install Rust, https://rustup.rs", filepath.Join("target", "release", "trees"),
		"build", "--release", "--locked", "--manifest-path", filepath.Join("bumpalo", "Cargo.toml"), "--target-dir", "target")
	build("c", "cc", "install a C compiler, gcc or clang", "bump",
		"-O2", "-o", "bump", filepath.Join("c", "bump.c"))
	return paths, missing
}
