package proof

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

// output runs a command in a directory, and returns what it prints on its standard output.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	return outputWith(t, dir, nil, name, args...)
}

// outputWith is output with more environment variables.
func outputWith(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, &stderr)
	}
	return string(out)
}

// needs skips a test unless the programs are on the path.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		testrun.NeedProgram(t, name, "see .ci/packages")
	}
}

// copied returns a copy of the tree: of the files that are tracked, and of those that are new and
// not ignored.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := bufio.NewScanner(strings.NewReader(output(t, root, "git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard")))
	for files.Scan() {
		from, to := filepath.Join(root, files.Text()), filepath.Join(dir, files.Text())
		data, err := os.ReadFile(from)
		if os.IsNotExist(err) {
			continue
		}
		info, err := os.Stat(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
