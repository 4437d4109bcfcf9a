package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena/arenapb/profilepb"
	pprof "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"
)

// A testServer is a service that listens on loopback.
type testServer struct {
	*service
	url  string
	stop func() error
}

// startServer starts a server with the flags. It is stopped when the test ends, at the latest.
func startServer(t *testing.T, args ...string) *testServer {
	t.Helper()
	c, err := parse(io.Discard, append([]string{"-listen", "127.0.0.1:0", "-window", "1h", "-windows", "3", "-maxsize", "1"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{service: newService(c, c.ways[len(c.ways)-1] == onHeap)}
	ctx, cancel := context.WithCancel(context.Background())
	started, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- s.serve(ctx, c, func(addr string) { started <- addr }) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	select {
	case addr := <-started:
		s.url = "http://" + addr
	case err := <-done:
		done <- err
		t.Fatal(err)
	}
	return s
}

// post sends a body, and returns status and answer.
func (s *testServer) post(t *testing.T, query string, header map[string]string, body io.Reader) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", s.url+"/ingest?"+query, body)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	return answered(t, r)
}

func answered(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (s *testServer) get(t *testing.T, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answered(t, r)
}

func zip(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// form returns a form with a field, and its Content-Type.
func form(field string, data []byte) (string, []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("sample_type_config", "{}")
	f, _ := w.CreateFormFile(field, "profile.pprof")
	f.Write(data)
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// fixedProfile is main -> work with 7 samples, 70 ns, and main with 1, 10 ns.
func fixedProfile() *profilepb.Profile {
	return &profilepb.Profile{
		StringTable: []string{"", "samples", "count", "cpu", "nanoseconds", "main.main", "main.work</script>"},
		SampleType:  []*profilepb.ValueType{{Type: 1, Unit: 2}, {Type: 3, Unit: 4}},
		Function:    []*profilepb.Function{{Id: 1, Name: 5}, {Id: 2, Name: 6}},
		Location:    []*profilepb.Location{{Id: 1, Line: []*profilepb.Line{{FunctionId: 1}}}, {Id: 2, Line: []*profilepb.Line{{FunctionId: 2}}}},
		Sample:      []*profilepb.Sample{{LocationId: []uint64{2, 1}, Value: []int64{7, 70}}, {LocationId: []uint64{1}, Value: []int64{1, 10}}},
	}
}

// TestUploads sends profiles in all forms, good and bad, and asks for everything.
func TestUploads(t *testing.T) {
	for _, way := range []string{"-heap", "-arena"} {
		s := startServer(t, way)
		data := marshal(t, fixedProfile())
		kind, body := form("profile", data)
		zippedKind, zipped := form("profile", zip(data))
		other, without := form("jfr", data)
		large := bytes.Repeat([]byte{0}, 1<<20+1)
		largeKind, largeBody := form("profile", large)
		good := 0
		for _, test := range []struct {
			query  string
			header map[string]string
			body   []byte
			status int
			want   string
		}{
			{"name=app", nil, data, 200, ""},
			{"name=app", nil, zip(data), 200, ""},
			{"name=app", map[string]string{"Content-Encoding": "gzip"}, zip(data), 200, ""},
			{"name=app", map[string]string{"Content-Encoding": "gzip"}, zip(zip(data)), 200, ""},
			{"name=app", map[string]string{"Content-Type": kind}, body, 200, ""},
			{"name=app", map[string]string{"Content-Type": zippedKind}, zipped, 200, ""},
			{"name=app", map[string]string{"Content-Type": zippedKind, "Content-Encoding": "gzip"}, zip(zipped), 200, ""},
			{fmt.Sprintf("name=app&from=%d&until=%[1]d", time.Now().Unix()), nil, data, 200, ""},
			{fmt.Sprintf("name=app&from=%d", time.Now().UnixMilli()), nil, data, 200, ""},
			{fmt.Sprintf("name=app&until=%d", time.Now().UnixMicro()), nil, data, 200, ""},
			{fmt.Sprintf("name=app&from=%d", time.Now().UnixNano()), nil, data, 200, ""},
			{"name=" + url.QueryEscape(`app{zone="a", env=x}`), nil, data, 200, ""},

			{"", nil, data, 400, "is not the name of an application"},
			{"name=app{", nil, data, 400, "do not end with }"},
			{"name=app{x}", nil, data, 400, "is not key=value"},
			{"name=app{k=1,k=2}", nil, data, 400, "there twice"},
			{"name=a%00", nil, data, 400, "without control characters"},
			{"name=app&from=x", nil, data, 400, "is not a time"},
			{fmt.Sprintf("name=app&from=%d", time.Now().Unix()+100_000), nil, data, 400, "set the clock"},
			{fmt.Sprintf("name=app&from=%d", time.Now().Unix()-100_000), nil, data, 400, "of a window that is over"},
			{fmt.Sprintf("name=unknown&from=%d", time.Now().Unix()-100_000), nil, data, 400, "of a window that is over"},
			{"name=unknown&from=1", nil, data, 400, "of a window that is over"},
			{"name=app", nil, nil, 400, `the first string is not ""`},
			{"name=app", nil, data[:len(data)-3], 400, "the profile is invalid: proto:"},
			{"name=app", nil, []byte("no profile"), 400, "the profile is invalid"},
			{"name=app", nil, zip(data)[:40], 400, "the gzip stream is damaged"},
			{"name=app", map[string]string{"Content-Encoding": "gzip"}, data, 400, "the gzip stream is damaged"},
			{"name=app", map[string]string{"Content-Encoding": "br"}, data, 400, "use gzip or none"},
			{"name=app", map[string]string{"Content-Type": "multipart/form-data"}, body, 400, "no boundary"},
			{"name=app", map[string]string{"Content-Type": other}, without, 400, `no field "profile"`},
			{"name=app", map[string]string{"Content-Type": kind}, body[:len(body)-30], 400, "the form is damaged"},
			{"name=app", nil, large, 413, "larger than 1048576 bytes"},
			{"name=app", nil, bytes.Repeat(large, 2), 413, "larger than 1048576 bytes"},
			{"name=app", nil, zip(large), 413, "larger than 1048576 bytes"},
			{"name=app", map[string]string{"Content-Encoding": "gzip"}, zip(zip(large)), 413, "larger than 1048576 bytes"},
			{"name=app", map[string]string{"Content-Type": largeKind, "Content-Encoding": "gzip"}, zip(append(largeBody, large...)), 413, "larger than 1114112 bytes"},
			{"name=app", map[string]string{"Content-Type": largeKind}, largeBody, 413, "larger than 1048576 bytes"},
		} {
			status, text := s.post(t, test.query, test.header, bytes.NewReader(test.body))
			if status != test.status || !strings.Contains(text, test.want) || test.want == "" && text != "" {
				t.Errorf("%s %v: status %d, %s; want %d, %s", test.query, test.header, status, text, test.status, test.want)
			}
			if status == 200 {
				good++
			}
		}
		for _, test := range []struct{ path, want string }{
			{"/apps", `["app","app{env=x,zone=a}"]`},
			{"/top?app=app&n=1", fmt.Sprintf("app, cpu/nanoseconds: %dns in 2 functions, of which 1 follow\n", 80*good)},
			{"/top?app=app&type=samples&format=json", fmt.Sprintf(`{"app":"app","type":"samples/count","unit":"count","total":%d,"functions":2,"rows":[{"name":"main.work\u003c/script\u003e","flat":%d,"cum":%[2]d},{"name":"main.main","flat":%d,"cum":%[1]d}]}`, 8*good, 7*good, good)},
			{"/top?app=app%7Benv=x%7D&type=samples/count&n=0", "samples/count: 8 in 2 functions"},
			{"/flamegraph?app=app", fmt.Sprintf(`"value":[%d,%[1]d,%d]`, 80*good, 70*good)},
			{"/flamegraph?app=app", `main.work\u003c/script\u003e`},
			{"/metrics", fmt.Sprintf("ingest_profiles_total{status=\"200\"} %d\n", good)},
			{"/metrics", `ingest_profiles_total{status="413"} 6` + "\n"},
			{"/metrics", "ingest_apps 2\n"},
			{"/metrics", map[bool]string{true: `arena_pool_gets_total{pool="profile"} 0`, false: `arena_pool_out_arenas{pool="profile"} 0`}[way == "-heap"]},
			{"/metrics", map[bool]string{true: `arena_in_use_bytes{arena="window"} 0`, false: `arena_chunks{arena="window"} `}[way == "-heap"]},
		} {
			if status, text := s.get(t, test.path); status != 200 || !strings.Contains(text, test.want) {
				t.Errorf("%s: status %d, %s; want %s", test.path, status, text, test.want)
			}
		}
		for _, test := range []struct {
			path   string
			status int
			want   string
		}{
			{"/top", 404, "is not the name"},
			{"/top?app=none", 404, "there are no profiles"},
			{"/top?app=app&type=x", 404, `there is no sample type "x"; there are ["samples/count" "cpu/nanoseconds"]`},
			{"/top?app=app&n=-1", 400, "not negative"},
			{"/export?app=none", 404, "there are no profiles"},
			{"/ingest", 404, ""},
		} {
			if status, text := s.get(t, test.path); status != test.status || !strings.Contains(text, test.want) {
				t.Errorf("%s: status %d, %s; want %s", test.path, status, text, test.want)
			}
		}
		_, text := s.get(t, "/export?app=app")
		p, err := pprof.ParseData([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckValid(); err != nil || len(p.Sample) != 2 || p.DefaultSampleType != "cpu" {
			t.Errorf("%v: %v", err, p)
		}
	}
}

// TestInflate has one upload inflate what was compressed twice, and what is far too large.
func TestInflate(t *testing.T) {
	text := bytes.Repeat([]byte("a profile "), 30_000)
	for i := range text {
		if i%100 < 20 {
			text[i] = byte(i * i * i >> 8)
		}
	}
	var u upload
	for range 3 {
		r := &http.Request{Header: http.Header{"Content-Encoding": {"gzip"}}, Body: io.NopCloser(bytes.NewReader(zip(zip(text))))}
		if data, err := u.read(nil, r, 1<<20); err != nil || !bytes.Equal(data, text) {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
	}
	bomb := zip(make([]byte, 64<<20))
	if _, err := u.inflateAny(bomb, 1<<20); status(err) != 413 || u.inflated.Cap() > 8<<20 {
		t.Errorf("%v, with %d bytes of memory", err, u.inflated.Cap())
	}
}

// TestSlowUpload has clients send half of a profile and then nothing. They hold no arena, do not
// keep others waiting, and are cut off.
func TestSlowUpload(t *testing.T) {
	data := marshal(t, fixedProfile())
	half := func(s *testServer) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /ingest?name=app HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(data), data[:len(data)/2])
		return conn
	}
	patient := startServer(t, "-timeout", "1h")
	for range 8 {
		defer half(patient).Close()
	}
	if status, text := patient.post(t, "name=app", nil, bytes.NewReader(data)); status != 200 {
		t.Error(status, text)
	}
	if got := patient.profiles.Stats().Gets; got != 1 {
		t.Errorf("%d arenas for one complete upload", got)
	}
	// If the machine is busy, a client may be cut off before the server has the head of its
	// request, and has no answer.
	s := startServer(t, "-timeout", "50ms")
	for answer := ""; answer == ""; {
		conn := half(s)
		b, _ := io.ReadAll(conn) // until the server closes it
		conn.Close()
		if answer = string(b); answer != "" && !strings.HasPrefix(answer, "HTTP/1.1 400") {
			t.Fatal(answer)
		}
	}
	if got := s.profiles.Stats().Gets; got != 0 {
		t.Errorf("%d arenas for no complete upload", got)
	}
}

// TestTooManyUploads has more clients than uploads are read at the same time.
func TestTooManyUploads(t *testing.T) {
	s := startServer(t)
	h := s.serveIngest(make(chan struct{}))
	w := &recorder{header: http.Header{}}
	h(w, &http.Request{URL: &url.URL{}})
	if w.status != 503 || w.header.Get("Retry-After") == "" {
		t.Errorf("%+v", w)
	}
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return len(b), nil }

// TestConcurrentUploads has real clients upload to two applications, while others ask.
func TestConcurrentUploads(t *testing.T) {
	for _, way := range []string{"-heap", "-arena"} {
		s := startServer(t, way)
		data := marshal(t, fixedProfile())
		const clients, each = 6, 10
		var wait sync.WaitGroup
		for g := range clients {
			wait.Go(func() {
				for range each {
					body := [][]byte{data, zip(data)}[g%2]
					if status, text := s.post(t, fmt.Sprintf("name=app{g=%d}", g%3), nil, bytes.NewReader(body)); status != 200 {
						t.Error(status, text)
						return
					}
					var top report
					status, text := s.get(t, "/top?app=app&format=json")
					if err := json.Unmarshal([]byte(text), &top); err != nil || status != 200 || top.Total == 0 || top.Total%80 != 0 || top.Rows[1].Flat*8 != top.Total {
						t.Errorf("status %d, %v: %s", status, err, text)
						return
					}
				}
			})
		}
		wait.Wait()
		if _, text := s.get(t, "/top?app=app"); !strings.Contains(text, fmt.Sprintf(" %.4gµs in 2", 80*clients*each/1000.0)) {
			t.Error(text)
		}
	}
}

// TestRestart has a server begin with what another has left behind.
func TestRestart(t *testing.T) {
	random := newRandom(t)
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := startServer(t, "-data", dir)
	want := model{}
	for i := range 20 {
		p, m := randomProfile(random, [][]valueType{cpuTypes, heapTypes}[i%2])
		at := time.Now().Unix() - int64(3600*random.IntN(2))
		if status, text := s.post(t, fmt.Sprintf("name=%s&from=%d", url.QueryEscape(fmt.Sprintf("ü/../x{k=%d}", i%3)), at), nil, bytes.NewReader(marshal(t, p))); status != 200 {
			t.Fatal(status, text)
		}
		want.addAll(m)
	}
	digest, err := s.digest()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"-arena", "-heap"} {
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		s = startServer(t, "-data", dir, way)
		tree, _, _, err := s.view(nil, "ü/../x")
		if err != nil || !modelOf(tree).equal(want) {
			t.Fatalf("got %v, %v, want %v", modelOf(tree), err, want)
		}
		if again, err := s.digest(); err != nil || again != digest {
			t.Errorf("digest %s, %v, want %s", again, err, digest)
		}
	}

	// Windows that are over are removed from the directory, and from then on there is nothing.
	s.store.expire(time.Now().Add(24 * time.Hour))
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%v", files)
	}
	if err := os.WriteFile(filepath.Join(dir, "1"+savedSuffix), []byte("bad"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.load(dir); err == nil || !strings.Contains(err.Error(), "remove it to start without it") {
		t.Error(err)
	}
}
