package advise

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// served is a server with the profiles of a made program. With each profile that it serves, it has
// done more cycles of the collector.
func served(t *testing.T, in Input, check func(*http.Request)) *httptest.Server {
	cycles := 10
	text := func(p *profile.Profile) []byte {
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Error(err)
		}
		return b.Bytes()
	}
	none := in.Allocs.Copy()
	none.Sample = none.Sample[:0]
	mux := http.NewServeMux()
	mux.HandleFunc("/x/debug/pprof/heap", func(w http.ResponseWriter, r *http.Request) {
		check(r)
		switch {
		case r.FormValue("debug") == "1":
			_, _ = w.Write([]byte("heap profile\n# NumGC = " + strings.Repeat("1", cycles-9) + "\n"))
		case cycles == 10:
			cycles++
			_, _ = w.Write(text(none))
		default:
			cycles++
			_, _ = w.Write(text(in.Allocs))
		}
	})
	mux.HandleFunc("/x/debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
		check(r)
		_, _ = w.Write(text(in.CPU))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestServerRequests: the query of the address and the header go with each request, and one cycle
// is not the program's own.
func TestServerRequests(t *testing.T) {
	requests := 0
	s := served(t, parser().profiles(t), func(r *http.Request) {
		requests++
		if r.FormValue("token") != "a b" || r.Header.Get("Authorization") != "Bearer c" {
			t.Errorf("%v, %v", r.URL, r.Header)
		}
	})
	// NumGC is 11 and then 111: 99 cycles and the one of the last request.
	status, out, err := run("-seconds", "1", "-header", "Authorization: Bearer c", s.URL+"/x/debug/pprof/?token=a+b")
	if status != maybe || requests != 5 || !strings.Contains(out, "99 cycles of the collector (counted)") {
		t.Errorf("status %d, %d requests\n%s\n%s", status, requests, out, err)
	}
}

// TestServerFew: profiles are taken again where there are too few samples, and count together.
func TestServerFew(t *testing.T) {
	requests := 0
	p := parser()
	for i := range p.calls {
		p.calls[i].cpu /= 5
	}
	s := served(t, p.profiles(t), func(r *http.Request) { requests++ })
	status, out, err := run("-seconds", "1", "-src", "none", s.URL+"/x/debug/pprof")
	if status != maybe || requests != 8 || !strings.Contains(err, "200 of 300 samples of the cpu profile; on for 1s") || !strings.Contains(out, "4.0 s of CPU time in 400 samples") {
		t.Errorf("status %d, %d requests\n%s\n%s", status, requests, out, err)
	}
}

// TestServerStalls: a server that does not answer is an error that says so, and no error has a
// password, or a control character.
func TestServerStalls(t *testing.T) {
	stop := make(chan struct{})
	defer func(d time.Duration) { patience = d }(patience)
	patience = 200 * time.Millisecond
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-stop }))
	defer s.Close()
	defer close(stop)
	with := strings.Replace(s.URL, "http://", "http://user:secret@", 1)
	if status, _, err := run(with); status != troubled || !strings.Contains(err, "has not answered for 200ms") || strings.Contains(err, "secret") {
		t.Errorf("status %d, %s", status, err)
	}
	patience = time.Hour
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "\x1b[2J", http.StatusTeapot) }))
	defer bad.Close()
	with = strings.Replace(bad.URL, "http://", "HTTP://user:secret@", 1)
	if _, _, err := run(with); !strings.Contains(err, "418") || strings.Contains(err, "secret") || strings.Contains(err, "\x1b") {
		t.Error(err)
	}
}
