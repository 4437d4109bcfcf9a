package advise

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// sink keeps the compiler from putting the values of the tests on the stack.
var sink *[64]*int

// run runs the command.
func run(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Main(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

// TestServer takes the profiles of this very program, which has a goroutine that allocates. What it says depends on the machine; that it has
// counted the cycles, and found where, does not.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes profiles for ten seconds")
	}
	s := httptest.NewServer(http.DefaultServeMux)
	defer s.Close()
	stop := make(chan struct{})
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					makeGarbage()
				}
			}
		})
	}
	// On a machine that does other work, too, ten seconds may be too short for the samples that are needed.
	var status int
	var out, err string
	for _, seconds := range []string{"10", "40"} {
		status, out, err = run("-seconds", seconds, "-json", "-mine", "github.com/arena-go/arena/cmd/arena", s.URL)
		if !strings.Contains(err, "samples, and fewer than") {
			break
		}
	}
	close(stop)
	done.Wait()
	if status == troubled || !strings.Contains(out, `"cyclesMeasured": true`) || !strings.Contains(out, "makeGarbage") {
		t.Errorf("status %d\n%s\n%s", status, out, err)
	}
}

//go:noinline
func makeGarbage() {
	for range 1000 {
		p := new([64]*int)
		p[0] = new(int)
		sink = p
	}
}

// TestBenchmark runs the benchmark of a module that has nothing to do with this one.
func TestBenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs a benchmark for seconds")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/tree\n\ngo 1.26\n",
		"tree.go": `package tree

type Node struct{ Left, Right *Node }

func Make(depth int) *Node {
	if depth == 0 {
		return &Node{}
	}
	return &Node{Make(depth - 1), Make(depth - 1)}
}

func Use(depth int) bool { return Make(depth).Left != nil }
`,
		"tree_test.go": `package tree

import "testing"

func BenchmarkUse(b *testing.B) {
	for b.Loop() {
		Use(12)
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	page, derived := filepath.Join(dir, "a.html"), filepath.Join(dir, "a.pprof")
	var status int
	var out, err string
	for _, d := range []string{"6s", "40s"} { // as in TestServer
		status, out, err = run("-benchtime", d, "-src", "./...", "-html", page, "-pprof", derived, "-bench", "Use", "./...")
		if !strings.Contains(err, "samples, and fewer than") {
			break
		}
	}
	if status == troubled { // whether it pays depends on the machine
		t.Fatalf("status %d\n%s\n%s", status, out, err)
	}
	for _, want := range []string{"example.com/tree.Use", "&Node{...} escapes to heap", "(counted)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, name := range []string{page, derived} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMisuse has a clear error for each mistake.
func TestMisuse(t *testing.T) {
	text := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(text, []byte("no profile"), 0o666); err != nil {
		t.Fatal(err)
	}
	var two [3]string
	for i := range two {
		two[i] = filepath.Join(t.TempDir(), "p")
		in := parser().profiles(t)
		p := in.CPU
		if i == 2 {
			p = in.Allocs
		}
		f, err := os.Create(two[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no profiles"},
		{[]string{"-nonsense"}, "flag provided but not defined"},
		{[]string{text}, text},
		{[]string{text + ".no"}, "no such file"},
		{[]string{two[0], two[1]}, "a second CPU profile"},
		{[]string{two[0]}, "needs a CPU profile and one of allocations"},
		{[]string{two[0], two[2], two[2], two[2]}, "a third profile of memory"},
		{[]string{two[0], two[2], "-json"}, "flags come first"},
		{[]string{"-gogc", "0", two[0], two[2]}, "a number above 0, or off"},
		{[]string{"-gogc", "off", two[0], two[2]}, "by -cycles"},
		{[]string{"-header", "none", two[0], two[2]}, "a name, a colon and a value"},
		{[]string{"localhost:6060"}, "begins with http://"},
		{[]string{"-bench", "."}, "-bench needs one package"},
		{[]string{"-seconds", "0", "http://127.0.0.1:1"}, "-seconds must be 1"},
		{[]string{"http://127.0.0.1:1"}, "connection refused"},
	} {
		status, _, err := run(c.args...)
		if status != troubled || !strings.HasPrefix(err, "arena advise: ") || !strings.Contains(err, c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, err)
		}
	}
	if status, out, err := run(two[0], two[2]); status != pays || err != "" {
		t.Errorf("status %d\n%s\n%s", status, out, err)
	}
	if status, out, _ := run("-h"); status != 0 || out != Usage {
		t.Errorf("-h: status %d, %s", status, out)
	}
}

// TestServerWithoutPprof: a server that has no profiles is an error that names its address.
func TestServerWithoutPprof(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if _, _, err := run(s.URL); !strings.Contains(err, s.URL+"/debug/pprof/heap?gc=1") || !strings.Contains(err, "404") {
		t.Error(err)
	}
}
