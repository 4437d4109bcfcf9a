package arenadebug_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

func TestMain(m *testing.M) {
	// Leaks that tests make on purpose, or because they fail, are nobody's business.
	arenadebug.SetReporter(func(*arena.Report) {})
	os.Exit(m.Run())
}

// ask returns what the handler answers.
func ask(h http.Handler, method, target string, body io.Reader, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, body)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// page returns the page as JSON.
func page(t *testing.T, h http.Handler, target string) (p arenadebug.Page) {
	t.Helper()
	w := ask(h, "GET", target, nil)
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || w.Code != 200 || w.Result().Header.Get("Content-Type") != "application/json" {
		t.Fatalf("GET %s: status %d, %v", target, w.Code, err)
	}
	return p
}

type document struct {
	_    []*document
	text string
}

// A kind of arena is one that comes from a place of its own.
type kind struct {
	name    string
	count   int
	guarded int
	get     func() *arena.Arena
	place   string // a function in the stack
}

var pools = [3]arena.Pool{
	{Options: arena.Options{Name: "requests", Track: true}},
	{Options: arena.Options{Name: "batches", Guard: true}},
}

var group = arena.Group{Options: arena.Options{Name: "parts", Track: true}}

//go:noinline
func getRequest() *arena.Arena { return pools[0].Get() }

//go:noinline
func getBatch() *arena.Arena { return pools[1].Get() }

//go:noinline
func getUnnamed() *arena.Arena { return pools[2].Get() } // not tracked

//go:noinline
func getPart() *arena.Arena { return group.Arena() }

//go:noinline
func makeCache() *arena.Arena { return arena.NewWith(arena.Options{Name: "requests", Track: true}) } // the name of a Pool

// TestPage has arenas of several kinds and compares what the page says with what they say
// themselves.
func TestPage(t *testing.T) {
	kinds := []*kind{
		{name: "requests", count: 3, get: getRequest, place: "arenadebug_test.getRequest"},
		{name: "batches", count: 2, guarded: 2, get: getBatch, place: "arenadebug_test.getBatch"},
		{name: "parts", count: 4, get: getPart, place: "arenadebug_test.getPart"},
		{name: "requests", count: 1, get: makeCache, place: "arenadebug_test.makeCache"},
	}
	h := arenadebug.Handler(arenadebug.Options{})
	if p := page(t, h, "/?format=json"); p.Arenas != 0 || p.Sites == nil {
		t.Fatalf("before: %+v", p)
	}
	begin := time.Now()
	arenas := map[*kind][]*arena.Arena{}
	untracked := getUnnamed()
	arena.New[document](untracked)
	for i, k := range kinds {
		for j := range k.count {
			a := k.get()
			arenas[k] = append(arenas[k], a)
			for range 100*i + j {
				arena.New[document](a).text = arena.String(a, "some text")
			}
			arena.MakeSlice[int](a, 10000*(i+1), 10000*(i+1))
			arena.New[document](a)
			arena.MakeSlice[float64](a, 40000, 40000) // a chunk of its own: what came before shows from here on
		}
	}
	end := time.Now()

	p := page(t, h, "/?format=json&sort=count")
	if p.Arenas != 10 || len(p.Sites) != len(kinds) {
		t.Errorf("%d arenas in %d places, want 10 in %d", p.Arenas, len(p.Sites), len(kinds))
	}
	total := int64(0)
	for _, k := range kinds {
		reserved := int64(0)
		for _, a := range arenas[k] {
			reserved += a.Stats().Reserved
		}
		total += reserved
		found := 0
		for _, s := range p.Sites {
			if !strings.Contains(s.Stack, k.place+"\n") {
				continue
			}
			found++
			if s.Name != k.name || s.Count != k.count || s.Guarded != k.guarded || s.Reserved != reserved {
				t.Errorf("%s: %+v, want %d arenas with %d bytes", k.place, s, k.count, reserved)
			}
			if s.Oldest.Before(begin.Round(0)) || s.Oldest.After(end.Round(0)) {
				t.Errorf("%s: the oldest is of %v, want one between %v and %v", k.place, s.Oldest, begin, end)
			}
			if !typesHave(s.Types, "arenadebug_test.document", "int") {
				t.Errorf("%s: types %v", k.place, s.Types)
			}
		}
		if found != 1 {
			t.Errorf("%s is there %d times", k.place, found)
		}
	}
	if p.Reserved != total {
		t.Errorf("%d bytes, want %d", p.Reserved, total)
	}

	// The other formats say the same.
	html, text := ask(h, "GET", "/?sort=count", nil).Body.String(), ask(h, "GET", "/?debug=1&sort=count", nil).Body.String()
	for _, body := range []string{html, text} {
		for _, k := range kinds {
			title, rest, _ := strings.Cut(body, k.place)
			if !strings.Contains(title, "10 arenas tracked, ") || strings.Contains(rest, k.place+"\n") {
				t.Errorf("%s is missing in\n%s", k.place, body)
			}
		}
		at := -1
		for i, head := range []string{"4 arenas", "3 arenas", "2 arenas", "1 arena"} {
			next := strings.Index(body, head)
			if next <= at {
				t.Errorf("%d. %q is not in\n%s", i+1, head, body)
			}
			at = next
		}
	}

	// One after the other they go.
	left := 10
	for i, k := range kinds {
		for _, a := range arenas[k] {
			switch {
			case k.place == "arenadebug_test.getPart":
				continue
			case i < 2:
				pools[i].Put(a)
			default:
				a.Free()
			}
			left--
			if p := page(t, h, "/?format=json"); p.Arenas != left {
				t.Fatalf("%d arenas, want %d", p.Arenas, left)
			}
		}
	}
	group.Reset()
	if p := page(t, h, "/?format=json"); p.Arenas != 0 || len(p.Sites) != 0 {
		t.Errorf("after: %+v", p)
	}
	for _, target := range []string{"/", "/?debug=1"} {
		if body := ask(h, "GET", target, nil).Body.String(); !strings.Contains(body, "arenadebug.Track") {
			t.Errorf("an empty page does not say how to have arenas tracked:\n%s", body)
		}
	}
	pools[2].Put(untracked)
}

func typesHave(types []arenadebug.Type, names ...string) bool {
	have := map[string]bool{}
	for _, ty := range types {
		have[ty.Name] = ty.Bytes > 0 && ty.Count > 0
	}
	for _, n := range names {
		if !have[n] {
			return false
		}
	}
	return true
}

func TestJSONRoundTrip(t *testing.T) {
	a := arena.NewWith(arena.Options{Name: "<&>\n\"", Track: true})
	defer a.Free()
	arena.MakeSlice[int](a, 1000, 1000)
	p := page(t, arenadebug.Handler(arenadebug.Options{}), "/?format=json")
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var q arenadebug.Page
	if err := json.Unmarshal(b, &q); err != nil || !reflect.DeepEqual(p, q) || p.Sites[0].Name != "<&>\n\"" {
		t.Errorf("%v: %+v is not %+v", err, q, p)
	}
	// The names of fields are for programs that have been written.
	var m map[string]any
	json.Unmarshal(b, &m)
	for _, name := range []string{"time", "arenas", "reserved_bytes", "sites"} {
		if m[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	site := m["sites"].([]any)[0].(map[string]any)
	for _, name := range []string{"name", "count", "guarded", "reserved_bytes", "oldest", "types", "more_types", "stack"} {
		if site[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestEscaping(t *testing.T) {
	const hostile = `</pre><script>alert("1")</script><img src=x onerror='f()'>` + "\n99 arenas: 0 bytes"
	a := arena.NewWith(arena.Options{Name: hostile, Track: true})
	defer a.Free()
	h := arenadebug.Handler(arenadebug.Options{AllowTrack: true})
	w := ask(h, "GET", "/?sort=size&x=%22%3E%3Cscript%3E", nil)
	body := w.Body.String()
	if strings.Contains(body, "<script") || strings.Contains(body, "<img") || !strings.Contains(body, "&lt;script&gt;alert(") {
		t.Errorf("the name is not escaped:\n%s", body)
	}
	if policy := w.Result().Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	for line := range strings.Lines(ask(h, "GET", "/?debug=1", nil).Body.String()) {
		if strings.HasPrefix(line, "99 arenas") {
			t.Error("a name has begun a line of the text")
		}
	}
	for _, target := range []string{"/?sort=%3Cscript%3E", "/?format=%3Cscript%3E"} {
		w := ask(h, "GET", target, nil)
		if ct := w.Result().Header.Get("Content-Type"); w.Code != 400 || !strings.HasPrefix(ct, "text/plain") {
			t.Errorf("%s: %d %s", target, w.Code, ct)
		}
	}
}

func TestFormats(t *testing.T) {
	h := arenadebug.Handler(arenadebug.Options{})
	const html, text, js = "text/html; charset=utf-8", "text/plain; charset=utf-8", "application/json"
	for _, c := range []struct{ target, accept, want string }{
		{"/", "", html}, {"/", "*/*", html}, {"/?debug=0", "", html}, {"/?debug=1", "text/html", text},
		{"/", "text/html,application/xhtml+xml,text/plain;q=0.1", html}, {"/", "text/plain", text}, {"/", "application/json", js},
		{"/?format=json", "text/html", js}, {"/?format=text", "text/html", text}, {"/?format=html&debug=1", "text/plain", html},
	} {
		w := ask(h, "GET", c.target, nil, "Accept", c.accept)
		if got := w.Result().Header.Get("Content-Type"); got != c.want || w.Code != 200 {
			t.Errorf("%s, Accept %q: %d %s, want %s", c.target, c.accept, w.Code, got, c.want)
		}
	}
}

// tracks reports whether a new arena is tracked.
func tracks() bool {
	before := len(arenadebug.Live())
	var a arena.Arena
	arena.New[int](&a)
	defer a.Free()
	return len(arenadebug.Live()) > before
}

func TestMethods(t *testing.T) {
	t.Cleanup(func() { arenadebug.Track(0) })
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	for _, c := range []struct {
		allow                bool
		method, target, body string
		header               []string
		status               int
		tracks               bool // afterwards; before it is the opposite
	}{
		{true, "POST", "/?sort=age", "every=1", form, 303, true},
		{true, "POST", "/", "every=0", form, 303, false},
		{true, "POST", "/", "every=1", append(form, "Sec-Fetch-Site", "same-origin"), 303, true},
		{true, "POST", "/", "every=1", append(form, "Sec-Fetch-Site", "cross-site"), 403, false},
		{true, "POST", "/", "every=1", append(form, "Origin", "https://example.org"), 403, false},
		{true, "POST", "/", "every=-1", form, 400, false},
		{true, "POST", "/", "every=", form, 400, false},
		{true, "POST", "/", "", form, 400, false},
		{true, "POST", "/?every=1", "", form, 400, false}, // the form counts
		{true, "POST", "/", "every=1&x=" + strings.Repeat("x", 10000), form, 400, false},
		{false, "POST", "/", "every=1", form, 405, false},
		{true, "GET", "/?every=1", "", nil, 200, false},
		{true, "HEAD", "/?every=1", "", nil, 200, false},
		{true, "PUT", "/?every=1", "every=1", form, 405, false},
		{false, "DELETE", "/", "", nil, 405, false},
	} {
		if c.tracks {
			arenadebug.Track(0)
		} else if c.status == 303 {
			arenadebug.Track(1)
		}
		w := ask(arenadebug.Handler(arenadebug.Options{AllowTrack: c.allow}), c.method, c.target, strings.NewReader(c.body), c.header...)
		if w.Code != c.status || tracks() != c.tracks {
			t.Errorf("%+v: status %d, tracks %v: %s", c, w.Code, tracks(), w.Body)
		}
		head := w.Result().Header
		switch allow := head.Get("Allow"); w.Code {
		case 405:
			if strings.Contains(allow, "POST") != c.allow {
				t.Errorf("%+v: Allow: %s", c, allow)
			}
		case 303:
			if loc := head.Get("Location"); loc != "?"+strings.TrimPrefix(strings.TrimPrefix(c.target, "/"), "?") {
				t.Errorf("%+v: Location: %s", c, loc)
			}
		}
		arenadebug.Track(0)
	}
	for _, allow := range []bool{false, true} {
		h := arenadebug.Handler(arenadebug.Options{AllowTrack: allow})
		if has := strings.Contains(ask(h, "GET", "/", nil).Body.String(), "<form"); has != allow {
			t.Errorf("AllowTrack %v: a form: %v", allow, has)
		}
	}
}

// TestMounted goes through a server and a prefix, with a form as a browser sends it.
func TestMounted(t *testing.T) {
	t.Cleanup(func() { arenadebug.Track(0) })
	mux := http.NewServeMux()
	mux.Handle("/admin/", http.StripPrefix("/admin", arenadebug.Handler(arenadebug.Options{AllowTrack: true})))
	server := httptest.NewServer(mux)
	defer server.Close()
	res, err := server.Client().PostForm(server.URL+"/admin/arena?sort=age", url.Values{"every": {"1"}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := res.Request.URL.RequestURI(); res.StatusCode != 200 || got != "/admin/arena?sort=age" || !tracks() {
		t.Errorf("the form led to %s, status %d; tracks: %v", got, res.StatusCode, tracks())
	}
}

// TestConcurrent serves pages while arenas come and go in other goroutines.
func TestConcurrent(t *testing.T) {
	arenadebug.Track(2)
	defer arenadebug.Track(0)
	h := arenadebug.Handler(arenadebug.Options{})
	pool := arena.Pool{Options: arena.Options{Name: "concurrent", Track: true}}
	done := make(chan bool)
	var workers, readers sync.WaitGroup
	for i := range 4 {
		workers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				switch i {
				case 0, 1:
					a := pool.Get()
					arena.MakeSlice[document](a, n%1000, 1000)
					if n%100 == 0 {
						a.Free()
					}
					pool.Put(a)
				case 2:
					var g arena.Group
					for range 3 {
						g.Go(func(a *arena.Arena) { arena.New[document](a).text = arena.String(a, "text") })
					}
					g.Wait()
					g.Free()
				case 3:
					a := arena.NewArena()
					for range n % 100 {
						arena.New[document](a)
						arena.MakeSlice[byte](a, 1000, 1000)
					}
					a.Reset()
					a.Free()
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for i := range 30 {
				ask(h, "GET", []string{"/", "/?debug=1"}[i%2], nil)
				p := page(t, h, "/?format=json&sort="+[]string{"size", "age", "count"}[i%3])
				count, bytes := 0, int64(0)
				for _, s := range p.Sites {
					count += s.Count
					bytes += s.Reserved
				}
				if count != p.Arenas || bytes != p.Reserved {
					t.Errorf("the sites have %d arenas and %d bytes, the page %d and %d", count, bytes, p.Arenas, p.Reserved)
				}
			}
		})
	}
	readers.Wait()
	close(done)
	workers.Wait()
	if p := page(t, h, "/?format=json"); p.Arenas != 0 {
		t.Errorf("in the end %d arenas are tracked: %+v", p.Arenas, p)
	}
}
