package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// version is what TestRelease releases: later than all versions whose module paths do not end in
// /v2 or more.
const version = "v1.999.0"

// TestRelease makes a release of a copy of the tree. With -long it then makes a module proxy of the
// release, and does what outsiders do, who have no workspace and no replace: it gets each module,
// and builds a program with all its packages; it installs each command; and it does what the README
// says.
func TestRelease(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes a release, and builds what uses it: not in short mode")
	}
	if runtime.GOOS == "windows" {
		t.Skip("releases are made where scripts can be started")
	}
	needs(t, "git", "bash", "make", "tsort")
	tree := copied(t)
	// So there is a command, to install.
	write(t, filepath.Join(tree, "cmd", "outside", "main.go"), "package main\n\nfunc main() { println() }\n")
	dirs := strings.Fields(output(t, tree, "make", "-s", "--no-print-directory", "list-released"))
	for i, dir := range dirs {
		dirs[i] = path.Clean(dir)
		download := exec.CommandContext(t.Context(), "go", "mod", "download")
		download.Dir, download.Env = filepath.Join(tree, dir), append(os.Environ(), "GOWORK=off")
		if out, err := download.CombinedOutput(); err != nil {
			t.Logf("%v\n%s", err, out)
			testrun.Need(t, "modules that "+dir+" requires (from a module cache or the network)")
		}
	}
	makeRelease(t, tree, dirs)
	if !testrun.Long() {
		return // the rest builds everything, for minutes
	}

	// The go command finds the tags as it would at GitHub. What it downloads is a proxy, and so is
	// the module cache, which has the modules of other people. All are unpacked elsewhere, since
	// the release is none. With -trimpath what is built of them is the same wherever they are, and
	// built once.
	temp := t.TempDir()
	env := []string{
		"GOENV=off", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=", "GOEXPERIMENT=", "GOOS=", "GOARCH=",
		"GOFLAGS=-modcacherw -trimpath -buildvcs=false", "GOPRIVATE=", "GONOPROXY=", "GOSUMDB=off",
		"GOCACHE=" + strings.TrimSpace(output(t, root, "go", "env", "GOCACHE")),
		"GOBIN=" + filepath.Join(temp, "bin"),
	}
	args := []string{"mod", "download"}
	for _, dir := range dirs {
		args = append(args, path.Join(module, dir)+"@"+version)
	}
	outputWith(t, temp, append(env, "GOPROXY=direct", "GOMODCACHE="+filepath.Join(temp, "released"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+tree+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+module), "go", args...)
	env = append(env, "GOMODCACHE="+filepath.Join(temp, "modules"), fmt.Sprintf("GOPROXY=file://%s/cache/download,file://%s/cache/download,off",
		filepath.Join(temp, "released"), strings.TrimSpace(output(t, root, "go", "env", "GOMODCACHE"))))
	outside := func(t *testing.T, files map[string]string, commands ...string) (last string) {
		dir := t.TempDir()
		for name, text := range files {
			write(t, filepath.Join(dir, name), text)
		}
		for _, command := range append([]string{"go mod init outsider"}, commands...) {
			args := strings.Fields(command)
			last = outputWith(t, dir, env, args[0], args[1:]...)
		}
		return last
	}

	for _, dir := range dirs {
		var imports, get strings.Builder
		var commands []string
		list := outputWith(t, filepath.Join(tree, dir), []string{"GOWORK=off"}, "go", "list", "-f", "{{.ImportPath}} {{.Name}}", "./...")
		for line := range strings.Lines(list) {
			name, main := strings.CutSuffix(strings.TrimSpace(line), " main")
			name, _, _ = strings.Cut(name, " ")
			switch {
			case strings.Contains(name+"/", "/internal/"):
			case main:
				commands = append(commands, name)
			default:
				fmt.Fprintf(&imports, "import _ %q\n", name)
				fmt.Fprintf(&get, " %s@%s", name, version)
			}
		}
		t.Run("get "+dir, func(t *testing.T) {
			program := "package main\n\n" + imports.String() + "\nfunc main() {}\n"
			outside(t, map[string]string{"main.go": program}, "go get"+get.String(), "go run .")
		})
		for _, name := range commands {
			t.Run("install "+name, func(t *testing.T) {
				outside(t, nil, "go install "+name+"@"+version, filepath.Join(temp, "bin", path.Base(name))+" -h",
					"go get -tool "+name+"@"+version, "go tool "+path.Base(name)+" -h")
			})
		}
	}

	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, b := range parse("README.md", string(text)).blocks {
		if b.whole() && strings.Contains(b.text, "\nfunc main() {") {
			programs++
			t.Run("README", func(t *testing.T) {
				if got := outside(t, map[string]string{"main.go": b.text}, "go get "+module, "go run .", "go list -m "+module); got != module+" "+version+"\n" {
					t.Errorf("go get took %s", got)
				}
			})
		}
	}
	if programs == 0 {
		t.Error("README.md has no program")
	}
}

// makeRelease runs .ci/release in a copy of the tree. It checks what that refuses, what it writes,
// and which tags it makes.
func makeRelease(t *testing.T, tree string, dirs []string) {
	t.Helper()
	env := append(os.Environ(), "TAG=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	git := func(args ...string) string { return outputWith(t, tree, env, "git", args...) }
	release := func(version string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", ".ci/release", version)
		cmd.Dir, cmd.Env = tree, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	refuse := func(version, why string) {
		t.Helper()
		if out, err := release(version); err == nil || !strings.Contains(out, why) {
			t.Errorf("release %s: %v: %s; want that it fails and says: %s", version, err, out, why)
		}
	}
	git("init", "-q")
	refuse(version, "the tree is not clean")
	git("add", "-A")
	git("commit", "-q", "-m", "tree")
	for _, bad := range []string{"", "1.0.0", "v0.1", "v0.01.0", "v0.1.0+meta", "v0.1.0-beta"} {
		refuse(bad, "the version has to be")
	}
	refuse("v2.0.0", "end in /v2")
	out, err := release(version)
	if err != nil {
		t.Fatalf("release %s: %v\n%s", version, err, out)
	}
	if dirty := git("status", "--porcelain"); dirty != "" {
		t.Errorf("the release left in the tree:\n%s", dirty)
	}
	refuse("v1.999.0-rc.1", "is not greater than v1.999.0")
	refuse("v1.1000.0", "nothing under Unreleased")

	// All tags are made, and no module is pushed before what it requires.
	_, pushed, _ := strings.Cut(out, "git push --atomic origin ")
	order := strings.Fields(pushed)
	tag := func(dir string) string { return strings.TrimPrefix(dir+"/"+version, "./") }
	var want []string
	for _, dir := range dirs {
		want = append(want, tag(dir))
	}
	for _, got := range [][]string{order, strings.Fields(git("tag"))} {
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("the tags are %q, want %q", got, want)
		}
	}
	own := regexp.MustCompile(`(?m)^(?:require)?\s+` + regexp.QuoteMeta(module) + `(/\S+)? (v\S+)`)
	for name := range strings.FieldsSeq(git("ls-files", "go.mod", "*/go.mod")) {
		if strings.Contains(name, "/testdata/") {
			continue // of a test, with a version that nobody asks for
		}
		dir := path.Dir(name)
		text, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range own.FindAllStringSubmatch(string(text), -1) {
			if m[2] != version {
				t.Errorf("%s has the requirement %q, want %s", name, strings.TrimSpace(m[0]), version)
			}
			required := tag("." + m[1])
			if slices.Contains(dirs, dir) && (!slices.Contains(order, required) || slices.Index(order, required) > slices.Index(order, tag(dir))) {
				t.Errorf("%s requires what is not pushed before it: %q", name, order)
			}
		}
	}
	log, err := os.ReadFile(filepath.Join(tree, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^## Unreleased\n\n## ` + regexp.QuoteMeta(version) + ` \(\d{4}-\d\d-\d\d\)\n\n\S`).Match(log) {
		t.Errorf("CHANGELOG.md has no dated heading for %s:\n%.1000s", version, log)
	}

	// What is taken from the API waits for the next line of versions.
	write(t, filepath.Join(tree, "CHANGELOG.md"), strings.Replace(string(log), "## Unreleased\n", "## Unreleased\n\n### Removed\n", 1))
	write(t, filepath.Join(tree, "api", "next.txt"), "")
	git("commit", "-q", "-a", "-m", "nothing is left")
	refuse("v1.1000.0", "may not take anything from the API of v1.999.0")
	git("reset", "-q", "--hard", "HEAD^")
}

// write writes a file, and makes its directory.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
