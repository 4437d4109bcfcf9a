package proof

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// suites returns what .ci/suites says: the suites, with their packages and directories.
func suites(t *testing.T) map[string][]string {
	t.Helper()
	list := map[string][]string{}
	for _, f := range records(t, root+"/.ci/suites") {
		list[f[0]] = f[1:]
	}
	return list
}

// records returns the words of each line of a file that is neither empty nor a comment.
func records(t *testing.T, name string) (lines [][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			lines = append(lines, f)
		}
	}
	return lines
}

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

// needs skips a test for want of a program.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("needs %s: install it", name)
		}
	}
}

// TestSuites proves that each large suite of the Makefile has its sources in .ci/suites: all packages that its commands
// name are among them.
func TestSuites(t *testing.T) {
	needs(t, "make", "bash")
	list := suites(t)
	names := strings.Fields(output(t, root, "make", "-s", "list-suites"))
	for name := range list {
		if !slices.Contains(names, name) {
			t.Errorf(".ci/suites has %s, and the Makefile's SUITES has not", name)
		}
	}
	argument := regexp.MustCompile(`(?m)(?:^|\s)(work|\.(?:/[\w./]*)?)(?:\s|;|$)`)
	for _, name := range names {
		sources, ok := list[name]
		if !ok {
			t.Errorf("the Makefile's SUITES has %s, and .ci/suites has not", name)
			continue
		}
		commands := output(t, root, "make", "-s", "-n", name, "GO=go", "GOTEST=go test")
		commands = regexp.MustCompile(`-(?:skip|run|bench) '[^']*'|-bench \. |\$\(go test -list '\^Fuzz' work|cd \S+|go vet \./\.\.\. ; `).ReplaceAllString(commands, "")
		found := 0
		for _, m := range argument.FindAllStringSubmatch(strings.ReplaceAll(commands, " ", "  "), -1) {
			found++
			if dir, isDir := apart(sources); !slices.Contains(sources, m[1]) && !(isDir && within(dir, m[1])) {
				t.Errorf("make %s has a command for %s, which .ci/suites does not name", name, m[1])
			}
		}
		if found == 0 && name != "fuzz" {
			t.Errorf("no package was found in the commands of make %s:\n%s", name, commands)
		}
	}
}

// apart returns the directory among the sources of a suite, which has a module of its own.
func apart(sources []string) (dir string, ok bool) {
	for _, s := range sources {
		if dir, ok = strings.CutSuffix(s, "/"); ok {
			return dir, true
		}
	}
	return "", false
}

// within reports whether a package's path is one of the module in dir.
func within(dir, path string) bool {
	_, err := os.Stat(filepath.Join(root, dir, path))
	return err == nil
}

// TestFuzzed proves that the suite of the fuzz targets has all packages with one.
func TestFuzzed(t *testing.T) {
	var dirs []string
	target := regexp.MustCompile(`(?m)^func Fuzz\w+\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if dir, err := filepath.Rel(root, filepath.Dir(path)); err == nil && target.Match(data) {
				dirs = append(dirs, "./"+filepath.ToSlash(dir))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if dirs[0] == "./." {
		dirs[0] = "."
	}
	got := slices.Sorted(slices.Values(suites(t)["fuzz"]))
	if !slices.Equal(got, dirs) {
		t.Errorf(".ci/suites has for fuzz %v; there are fuzz targets in %v", got, dirs)
	}
}

// TestPassed proves that the record .ci/passed is one of suites, in the form in which .ci/suite writes it.
func TestPassed(t *testing.T) {
	list := suites(t)
	form := regexp.MustCompile(`^[0-9a-f]{40} [0-9a-f]{12} go1\.\d+(\.\d+|rc\d+)?$`)
	seen := map[string]bool{}
	for _, f := range records(t, root+"/.ci/passed") {
		if list[f[0]] == nil || seen[f[0]] || !form.MatchString(strings.Join(f[1:], " ")) {
			t.Errorf(".ci/passed has a line %v; .ci/suite record writes such lines", f)
		}
		seen[f[0]] = true
	}
}

// copied returns a copy of the tree: of the files that are tracked, and of those that are new and not ignored.
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

// TestDue proves on a copy of the repository that a suite is due when one of its sources has changed, or its commands have, and
// only then.
func TestDue(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the repository: not in short mode")
	}
	needs(t, "git", "bash", "make")
	dir := copied(t)
	output(t, dir, "git", "init", "-q")
	output(t, dir, "git", "add", ".") // git finds files that it has, and new ones, in different ways
	suite := filepath.Join(dir, ".ci", "suite")
	for _, c := range []struct {
		suite, file string
		due         bool
	}{
		{"malloc", "offheap/file_test.go", true},
		{"malloc", "offheap/new.txt", true},
		{"malloc", "offheap/testdata/x/new.txt", true},
		{"malloc", "arena.go", true},
		{"malloc", "go.mod", true},
		{"malloc", "map_test.go", false},
		{"malloc", "README.md", false},
		{"malloc", "arenapb/arenapb.go", false},
		{"arrow", "arenaarrow/internal/suite/testdata/new.txt", true},
		{"arrow", "arenaarrow/go.mod", true},
		{"arrow", "arenaprom/go.mod", false},
		{"schemas", "arenapb/internal/schemas/go.mod", true},
		{"schemas", "arenapb/internal/schemas/common/imports.go", true},
		{"schemas", "arenapb/gogo/gogo.go", true},
		{"protobuf", "arenapb/decode.go", true},
		{"protobuf", "arenapb/json_test.go", true},
		{"protobuf", "arenapb/testdata/new.txt", true},
		{"protobuf", "arenapb/README.md", false},
		{"protobuf", "arenapb/gogo/gogo.go", false},
		{"protobuf", "internal/vm/vm.go", true},
		{"parser", "cmd/arena/internal/fix/fix.go", true},
		{"gogc", "map_test.go", true},
		{"experiment", "arena.go", true},
		{"experiment", "map_test.go", false},
		{"nocgo", "internal/proof/fence_test.go", false},
	} {
		before := output(t, dir, suite, "sources", c.suite)
		name := filepath.Join(dir, filepath.FromSlash(c.file))
		old, err := os.ReadFile(name)
		isNew := os.IsNotExist(err)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(slices.Clone(old), "// changed\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
		if due := output(t, dir, suite, "sources", c.suite) != before; due != c.due {
			t.Errorf("with a change to %s suite %s is due: %t, want %t", c.file, c.suite, due, c.due)
		}
		if isNew {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, old, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
