package arenahttptest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp/arenahttptest"
	"github.com/arena-go/arena/internal/fake"
	"github.com/arena-go/arena/internal/testrun"
)

// A service keeps what it should not, in a field that nothing but the handler leads to.
type service struct {
	seen map[string]bool
	keep func(s string) string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	if item := arena.Concat(a, "item ", r.URL.Path[1:]); r.URL.Path == "/3" {
		s.seen[s.keep(item)] = true
	}
}

// TestKept proves that text which a handler keeps is found after one request, in a server and
// without one, and what the report says.
func TestKept(t *testing.T) {
	for _, served := range []bool{false, true} {
		for _, test := range []struct {
			name string
			keep func(s string) string
			want int
		}{
			{"kept", func(s string) string { return s }, 1},
			{"a part", func(s string) string { return s[2:4] }, 1},
			{"copied", strings.Clone, 0},
		} {
			f := fake.New(t, fmt.Sprint(t.Name(), "/", test.name, served))
			h := arenahttptest.Handler(f, &service{map[string]bool{}, test.keep})
			for i := range 5 {
				if r := httptest.NewRequest("GET", fmt.Sprint("/", i), nil); !served {
					h.ServeHTTP(httptest.NewRecorder(), r)
					continue
				}
				srv := httptest.NewServer(h)
				resp, err := srv.Client().Get(srv.URL + fmt.Sprint("/", i))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				srv.Close()
			}
			got := f.End()
			if n := strings.Count(got, "arena: "+string(arena.Kept)); n != test.want {
				t.Errorf("%s: %d values are kept, want %d: %s", test.name, n, test.want, got)
			}
			if test.want == 0 {
				continue
			}
			if strings.Contains(got, "heapdump: ") {
				testrun.Need(t, "the go command, which builds this program again for the names of its variables")
			}
			for _, want := range []string{
				f.Name() + `: text "item 3" (6 bytes)` + "\nkept by:\n\tthe handler of the test (", "field next (*arenahttptest_test.service)\n\tfield seen (map[string]bool)\n\tkey\nallocated at:\n", "service).ServeHTTP", "unit: GET /3, number 4\nended at:\n", "\nmade at:\n",
			} {
				_, after, ok := strings.Cut(got, want)
				if !ok {
					t.Errorf("%s: %q is not in the report, or not after what comes before it: %s", test.name, want, got)
				}
				got = after
			}
		}
	}
}
