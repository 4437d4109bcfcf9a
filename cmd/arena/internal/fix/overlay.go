package fix

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteOverlay writes the files into a directory beside name, and name for go build -overlay. The
// module of o.Dir stays unchanged: if it does not require package arena, a go.mod and a go.sum that
// do are among these files. sources is TestOptions.Arena. WriteOverlay builds the packages, and
// writes to log how to do that.
func (r *Result) WriteOverlay(ctx context.Context, name string, o Options, sources string, log io.Writer) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	// With the underscore it is no package of the module around it.
	dir := filepath.Join(filepath.Dir(name), "_"+strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))+".files")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	build := []string{"build", "-overlay=" + name}
	var all struct{ Replace map[string]string }
	if all.Replace, err = overlaidModule(ctx, cmp.Or(o.Dir, "."), dir, sources); err != nil {
		return err
	}
	for mod := range all.Replace {
		if exists(filepath.Join(filepath.Dir(mod), "vendor")) { // without package arena
			build = slices.Insert(build, 1, "-mod=readonly")
			break
		}
	}
	for i, old := range slices.Sorted(maps.Keys(r.Files)) {
		to := filepath.Join(dir, fmt.Sprintf("%d_%s", i, filepath.Base(old)))
		if err := os.WriteFile(to, r.Files[old], 0o666); err != nil {
			return fmt.Errorf("arena fix: %w", err)
		}
		all.Replace[old] = to
	}
	b, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	if err := os.WriteFile(name, append(b, '\n'), 0o666); err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	fmt.Fprintf(log, "To build with it: go %s ./...\n\n", strings.Join(build, " "))
	if _, err := command(ctx, cmp.Or(o.Dir, "."), "go", slices.Concat(build, []string{"-o", os.DevNull}, o.patterns())...); err != nil {
		return fmt.Errorf("arena fix: the packages do not build with %s; please report it, with the source: %w", name, err)
	}
	return nil
}

// overlaidModule writes copies of the go.mod and go.sum of the module in moduleDir into dir, but
// requiring package arena. It returns the names of the copies by the names of the files that they
// replace. If the module already requires the package there are none.
func overlaidModule(ctx context.Context, moduleDir, dir, sources string) (replace map[string]string, err error) {
	replace = map[string]string{}
	if _, err := command(ctx, moduleDir, "go", "list", "-mod=readonly", "-m", arenaPath); err == nil {
		return replace, nil
	}
	mod, err := goMod(ctx, moduleDir)
	if err != nil {
		return nil, err
	}
	to := filepath.Join(dir, "go.mod")
	if err := copyModFile(to, mod); err != nil {
		return nil, err
	}
	if err := require(ctx, moduleDir, to, sources); err != nil {
		return nil, err
	}
	replace[mod] = to
	if sum := sumOf(to); exists(sum) { // there is none where nothing is required but a directory
		replace[sumOf(mod)] = sum
	}
	return replace, nil
}

// goMod returns the name of the go.mod of the module in dir.
func goMod(ctx context.Context, dir string) (string, error) {
	out, err := command(ctx, dir, "go", "env", "GOMOD")
	return strings.TrimSpace(string(out)), err
}

// copyModFile copies a go.mod, and the go.sum beside it, if there is one.
func copyModFile(to, from string) error {
	for _, name := range []struct{ to, from string }{{to, from}, {sumOf(to), sumOf(from)}} {
		b, err := os.ReadFile(name.from)
		if errors.Is(err, fs.ErrNotExist) && name.from != from {
			continue
		}
		if err == nil {
			err = os.WriteFile(name.to, b, 0o666)
		}
		if err != nil {
			return fmt.Errorf("arena fix: %w", err)
		}
	}
	return nil
}

// sumOf returns the name of the go.sum that goes with a go.mod.
func sumOf(mod string) string { return strings.TrimSuffix(mod, ".mod") + ".sum" }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
