package advise

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// sink keeps the compiler from putting the values of the tests on the stack.
var sink *[64]*int

// run runs the command.
func run(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Main(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

// TestServer has the profiles of a program with two goroutines that allocate. The long form takes
// them of this very program: then it depends on the machine what the command says, or whether there
// are samples enough.
func TestServer(t *testing.T) {
	flags := []string{"-seconds", "10", "-src", "none", "-mine", "github.com/arena-go/arena/cmd/arena"}
	if testrun.Long() {
		dir := t.TempDir()
		s := recorder(t, dir, http.DefaultServeMux)
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
		status, out, err := run(append(flags, "-json", s.URL)...)
		close(stop)
		done.Wait()
		if (status == troubled) != tooFew(err) || status != troubled && !strings.Contains(out, `"cyclesMeasured": true`) {
			t.Errorf("status %d\n%s\n%s", status, out, err)
		}
		if *update {
			pack(t, "server", dir)
		}
	}
	begin := now()
	defer func() { now = time.Now }()
	calls := 0
	now = func() time.Time { calls++; return begin.Add(time.Duration(calls) * 10 * time.Second) } // it took ten seconds
	memory := []string{"/debug/pprof/heap?gc=1", "/debug/pprof/heap?debug=1"}
	s := replayer(t, unpack(t, "server"), slices.Concat(memory, []string{"/debug/pprof/profile?seconds=10"}, memory)...)
	status, out, err := run(append(flags, s.URL)...)
	if err != "" {
		t.Error(err)
	}
	golden(t, "server", status, out)
}

// tooFew tells whether the command says that there are too few samples, as on a machine that does
// other work.
func tooFew(err string) bool { return strings.Contains(err, "samples, and fewer than") }

//go:noinline
func makeGarbage() {
	for range 1000 {
		p := new([64]*int)
		p[0] = new(int)
		sink = p
	}
}

// tree is a module that has nothing to do with this one.
var tree = map[string]string{
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
}

// TestBenchmark has the benchmark of a module, and its sources.
func TestBenchmark(t *testing.T) {
	dir := t.TempDir()
	page, derived := filepath.Join(dir, "a.html"), filepath.Join(dir, "a.pprof")
	benchmarked(t, "tree", tree, "-gogc", "100", "-benchtime", "8s", "-html", page, "-pprof", derived, "-bench", "Use", "./...")
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
	if status, out, err := run(two[0], two[2]); status != maybe || err != "" {
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
