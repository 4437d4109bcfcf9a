package fix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Copied is a module that the main module depends on, copied so that it can be changed, and a
// go.mod that replaces it.
type Copied struct {
	Module, Dir, ModFile string
	vendored             bool // the main module has a vendor directory
	workspace            bool // it is in one
}

// Copy copies the module of the packages that patterns name into to, and writes modFile: the go.mod
// of the main module in dir, in which the copy replaces the module. The main module's own go.mod
// stays unchanged. arena is as in TestOptions.
func Copy(ctx context.Context, dir string, patterns []string, to, modFile, arena string) (c Copied, err error) {
	out, err := command(ctx, dir, "go", append([]string{"list", "-mod=readonly", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}\t{{.Main}}{{end}}"}, patterns...)...)
	if err != nil {
		return c, err
	}
	from := ""
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		source, main, _ := strings.Cut(rest, "\t")
		switch {
		case path == "":
			return c, errors.New("arena fix: -copy: packages of the standard library have no module")
		case main == "true":
			return c, fmt.Errorf("arena fix: -copy: %s is the main module, which needs no copy", path)
		case c.Module != "" && c.Module != path:
			return c, fmt.Errorf("arena fix: -copy: the packages are in %s and in %s: name packages of one module", c.Module, path)
		}
		c.Module, from = path, source
	}
	if c.Module == "" {
		return c, fmt.Errorf("arena fix: -copy: %s: no packages", strings.Join(patterns, " "))
	}
	if c.Dir, err = filepath.Abs(to); err != nil {
		return c, fmt.Errorf("arena fix: %w", err)
	}
	if c.ModFile, err = filepath.Abs(modFile); err != nil {
		return c, fmt.Errorf("arena fix: %w", err)
	}
	if list, err := os.ReadDir(c.Dir); err == nil && len(list) > 0 {
		return c, fmt.Errorf("arena fix: -copy: %s is there, and not empty", to)
	}
	if err := copyTree(c.Dir, from); err != nil {
		return c, fmt.Errorf("arena fix: %w", err)
	}
	if err := c.require(ctx, dir, arena); err != nil {
		return c, errors.Join(err, os.RemoveAll(c.Dir))
	}
	return c, nil
}

// copyTree copies files, so that they can be written to: files of the module cache cannot.
func copyTree(to, from string) error {
	return fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(to, name), 0o777))
		}
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), b, 0o666)
	})
}

// require writes the go.mod with the replacement, and has it and the copy require package arena.
func (c *Copied) require(ctx context.Context, dir, arena string) error {
	mod, err := goMod(ctx, dir)
	if err != nil {
		return err
	}
	c.vendored = exists(filepath.Join(filepath.Dir(mod), "vendor"))
	if !exists(filepath.Join(c.Dir, "go.mod")) { // it is older than modules
		if err := os.WriteFile(filepath.Join(c.Dir, "go.mod"), []byte("module "+c.Module+"\n"), 0o666); err != nil {
			return fmt.Errorf("arena fix: %w", err)
		}
	}
	if err := copyModFile(c.ModFile, mod); err != nil {
		return err
	}
	if err := require(ctx, c.Dir, "", arena); err != nil {
		return err
	}
	if _, err := command(ctx, dir, "go", "mod", "edit", "-replace="+c.Module+"="+c.Dir, c.ModFile); err != nil {
		return err
	}
	if c.workspace, err = inWorkspace(ctx, dir); err != nil {
		return err
	}
	// The go command takes the file from its flags, in all that follows.
	if err := os.Setenv("GOWORK", "off"); err != nil { // it allows no -modfile
		return fmt.Errorf("arena fix: %w", err)
	}
	if err := os.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod -modfile="+c.ModFile)); err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	return require(ctx, dir, c.ModFile, arena)
}

// remove takes the copy back.
func (c Copied) remove() error {
	if c.Dir == "" {
		return nil
	}
	err := errors.Join(os.RemoveAll(c.Dir), os.Remove(c.ModFile))
	if sum := strings.TrimSuffix(c.ModFile, ".mod") + ".sum"; exists(sum) {
		err = errors.Join(err, os.Remove(sum))
	}
	return err
}

// inWorkspace tells whether the go command finds a go.work.
func inWorkspace(ctx context.Context, dir string) (bool, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOWORK")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return false, fmt.Errorf("arena fix: go env GOWORK: %w", err)
	}
	work := strings.TrimSpace(string(out))
	return work != "" && work != "off", nil
}

// say prints how to build with the copy.
func (c Copied) say(w io.Writer) {
	off, vendor := "", ""
	if c.workspace {
		off = "GOWORK=off "
	}
	if c.vendored { // which has the former module
		vendor = "-mod=mod "
	}
	fmt.Fprintf(w, "%s is in %s, and is changed there. To build with it: %sgo build %s-modfile=%s ./...\n\n", c.Module, c.Dir, off, vendor, c.ModFile)
}
