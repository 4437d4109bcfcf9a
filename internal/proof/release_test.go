package proof

import (
	"archive/zip"
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// version is what TestRelease releases: later than all versions whose module paths do not end in /v2 or more.
const version = "v1.999.0"

// uses has for each released module a program, or a package, that somebody writes who has just got it. Programs are run, and print the first line.
var uses = map[string]string{
	".": `// Hello, Ada
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

func main() {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, arena.Concat(arena.FromContext(r.Context()), "Hello, ", r.FormValue("name")))
	})
	w := httptest.NewRecorder()
	arenahttp.Middleware(h, arenahttp.Options{}).ServeHTTP(w, httptest.NewRequest("GET", "/?name=Ada", nil))
	fmt.Println(w.Body)
}
`,
	"arenaarrow": `package use

import "github.com/arena-go/arena/arenaarrow"

func Use() int {
	q := arenaarrow.New(arenaarrow.Options{}).Child("query")
	defer q.Close()
	return len(q.Allocate(100))
}
`,
	"arenapb": `package use

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

func Use(a *arena.Arena, b []byte, m proto.Message) error {
	return arenapb.Unmarshal(a, b, m)
}
`,
	"arenagrpc": `package use

import (
	"github.com/arena-go/arena/arenagrpc"
	"google.golang.org/grpc"
)

func Use() *grpc.Server {
	return grpc.NewServer(arenagrpc.ServerOptions(arenagrpc.Options{})...)
}
`,
	"arenaprom": `package use

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaprom"
	"github.com/prometheus/client_golang/prometheus"
)

func Use(p *arena.Pool) prometheus.Collector {
	return arenaprom.NewPoolCollector("requests", p)
}
`,
}

// TestRelease makes a release of a copy of the tree, and a module proxy of the release. Then it does what outsiders do, who have no workspace
// and no replace: it gets each module, and builds and runs what uses it.
func TestRelease(t *testing.T) {
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
			t.Skipf("needs the modules that %s requires, from the module cache or the network: %v\n%s", dir, err, out)
		}
	}
	makeRelease(t, tree, dirs)

	// Modules of other people come from the module cache, which is a proxy too. All are unpacked elsewhere, since the
	// release is none. With -trimpath what is built of them is the same all the same, and built once.
	temp := t.TempDir()
	proxy := filepath.Join(temp, "proxy")
	files := strings.Split(strings.TrimSpace(output(t, tree, "git", "ls-files")), "\n")
	env := []string{
		"GOENV=off", "GOWORK=off", "GOTOOLCHAIN=local", "GOEXPERIMENT=", "GOOS=", "GOARCH=",
		"GOFLAGS=-modcacherw -trimpath -buildvcs=false",
		"GOCACHE=" + strings.TrimSpace(output(t, root, "go", "env", "GOCACHE")),
		"GOMODCACHE=" + filepath.Join(temp, "modules"),
		"GOBIN=" + filepath.Join(temp, "bin"),
		"GOPROXY=file://" + proxy + ",file://" + strings.TrimSpace(output(t, root, "go", "env", "GOMODCACHE")) + "/cache/download,off",
		"GOPRIVATE=", "GONOPROXY=", "GOSUMDB=off",
	}
	for _, dir := range dirs {
		publish(t, proxy, tree, dir, files)
	}

	for _, dir := range dirs {
		packages, commands := importable(t, tree, dir, files)
		t.Run("get "+dir, func(t *testing.T) {
			text, ok := uses[dir]
			if !ok {
				t.Fatalf("uses has no program for %s, which is released", dir)
			}
			outside := t.TempDir()
			write(t, filepath.Join(outside, "use.go"), text)
			write(t, filepath.Join(outside, "all", "all.go"), "package all\n\nimport (\n\t_ \""+strings.Join(packages, "\"\n\t_ \"")+"\"\n)\n")
			outputWith(t, outside, env, "go", "mod", "init", "outsider")
			get := []string{"get"}
			for _, p := range packages {
				get = append(get, p+"@"+version)
			}
			outputWith(t, outside, env, "go", get...)
			outputWith(t, outside, env, "go", "build", "-o", os.DevNull, "./...")
			if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "//") {
				if got := strings.TrimSpace(outputWith(t, outside, env, "go", "run", ".")); "// "+got != first {
					t.Errorf("the program printed %q, want %q", got, first)
				}
			}
		})
		for _, command := range commands {
			t.Run("install "+command, func(t *testing.T) {
				outside := t.TempDir()
				outputWith(t, outside, env, "go", "install", command+"@"+version)
				if _, err := os.Stat(filepath.Join(temp, "bin", path.Base(command))); err != nil {
					t.Error(err)
				}
				outputWith(t, outside, env, "go", "mod", "init", "outsider")
				outputWith(t, outside, env, "go", "get", "-tool", command+"@"+version)
				outputWith(t, outside, env, "go", "tool", path.Base(command), "-h")
			})
		}
	}
	t.Run("README", func(t *testing.T) {
		readme(t, env)
	})
}

// makeRelease runs .ci/release in a copy of the tree. It checks what that refuses, what it writes, and which tags it makes.
func makeRelease(t *testing.T, tree string, dirs []string) {
	t.Helper()
	env := append(os.Environ(), "TAG=1", "UNPROVEN=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
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

// contents returns those of the files that are in the module of a directory: not in a module below it, and not of others.
func contents(dir string, files []string) (in []string) {
	within := func(file, dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }
	var below []string
	for _, file := range files {
		if d := path.Dir(file); path.Base(file) == "go.mod" && d != dir && within(d, dir) {
			below = append(below, d)
		}
	}
	for _, file := range files {
		if within(file, dir) && !strings.Contains("/"+file, "/vendor/") && !slices.ContainsFunc(below, func(d string) bool { return within(file, d) }) {
			in = append(in, file)
		}
	}
	return in
}

// publish writes what a module proxy has of a module: the names are those that https://go.dev/ref/mod#goproxy-protocol has. As the go command does
// with a repository, it puts into the module of a directory the license of the repository.
func publish(t *testing.T, proxy, tree, dir string, files []string) {
	t.Helper()
	name := path.Join(module, dir)
	goMod, err := os.ReadFile(filepath.Join(tree, dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(goMod), "module "+name+"\n") {
		t.Errorf("%s/go.mod is not of module %s", dir, name)
	}
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	add := func(from, to string) {
		data, err := os.ReadFile(filepath.Join(tree, from))
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(name + "@" + version + "/" + to)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	in := contents(dir, files)
	for _, file := range in {
		add(file, strings.TrimPrefix(file, strings.TrimPrefix(dir+"/", "./")))
	}
	if !slices.Contains(in, path.Join(dir, "LICENSE")) {
		add("LICENSE", "LICENSE")
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(proxy, name, "@v", version)
	write(t, filepath.Join(filepath.Dir(at), "list"), version+"\n")
	write(t, at+".info", fmt.Sprintf(`{"Version":%q,"Time":"2000-01-01T00:00:00Z"}`, version))
	write(t, at+".mod", string(goMod))
	write(t, at+".zip", buf.String())
}

// importable returns the paths of the packages of a module that others may import, and of the commands that they may install.
func importable(t *testing.T, tree, dir string, files []string) (packages, commands []string) {
	t.Helper()
	for _, file := range contents(dir, files) {
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || regexp.MustCompile(`(^|/)(internal|testdata|examples|[_.][^/]*)/`).MatchString(file) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(tree, file), nil, parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "main" {
			commands = append(commands, path.Join(module, path.Dir(file)))
		} else {
			packages = append(packages, path.Join(module, path.Dir(file)))
		}
	}
	slices.Sort(packages)
	slices.Sort(commands)
	return slices.Compact(packages), slices.Compact(commands)
}

// readme does what the README says next to its program.
func readme(t *testing.T, env []string) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, b := range parse("README.md", string(text)).blocks {
		if !b.whole() || !strings.Contains(b.text, "\nfunc main() {") {
			continue
		}
		programs++
		outside := t.TempDir()
		write(t, filepath.Join(outside, "main.go"), b.text)
		outputWith(t, outside, env, "go", "mod", "init", "words")
		outputWith(t, outside, env, "go", "get", module)
		if goMod := outputWith(t, outside, env, "go", "list", "-m", module); goMod != module+" "+version+"\n" {
			t.Errorf("go get took %s", goMod)
		}
		cmd := exec.CommandContext(t.Context(), "go", "run", ".")
		cmd.Dir, cmd.Env, cmd.Stdin = outside, append(os.Environ(), env...), strings.NewReader("a rose is a rose is a rose\n")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
			t.Errorf("the program printed %q: %v", out, err)
		}
	}
	if programs == 0 {
		t.Error("README.md has no program")
	}
}
