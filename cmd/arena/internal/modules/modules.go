// Package modules fetches modules of others, for the programs that try the commands on them.
package modules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fetch copies a module, as path@version, into dir, and returns where. Its files can be written to
// there, which those in the module cache cannot. A module that is older than modules gets a go.mod.
func Fetch(ctx context.Context, module, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = dir // there is no module
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); err == nil {
		err = jsonErr
	}
	if err != nil || m.Error != "" {
		return "", fmt.Errorf("%s: %w %s", strings.Join(cmd.Args, " "), cmp.Or(err, errors.New("failed")), m.Error)
	}
	src := filepath.Join(dir, "src")
	if err := os.CopyFS(src, os.DirFS(m.Dir)); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(src, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		path, _, _ := strings.Cut(module, "@")
		if err := os.WriteFile(filepath.Join(src, "go.mod"), fmt.Appendf(nil, "module %s\n\ngo 1.26\n", path), 0o666); err != nil {
			return "", err
		}
	}
	return src, filepath.WalkDir(src, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		return os.Chmod(name, info.Mode()|0o200)
	})
}
