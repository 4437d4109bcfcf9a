package main

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenapb/profilepb"
	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/proto"
)

// maxUploads bounds the uploads that are read at the same time, and so the memory that slow clients
// hold.
const maxUploads = 256

// handler returns the HTTP interface of the service.
func (s *service) handler() http.Handler {
	queries := http.NewServeMux()
	queries.HandleFunc("GET /apps", s.serveApps)
	queries.HandleFunc("GET /top", s.answers(serveTop))
	queries.HandleFunc("GET /flamegraph", s.answers(serveFlame))
	queries.HandleFunc("GET /export", s.answers(serveExport))
	var queriesInArenas http.Handler = queries
	if s.queries != nil {
		queriesInArenas = arenahttp.Middleware(queries, arenahttp.Options{Pool: s.queries})
	}
	mux := http.NewServeMux()
	mux.Handle("POST /ingest", s.serveIngest(make(chan struct{}, maxUploads)))
	mux.Handle("GET /metrics", s.metrics.handler)
	mux.Handle("GET /", queriesInArenas)
	return mux
}

// serveIngest takes profiles. It has no arenahttp.Middleware around it, because an arena is to be
// held while a profile is decoded, and not while a client sends it.
func (s *service) serveIngest(uploads chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case uploads <- struct{}{}:
			defer func() { <-uploads }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many uploads at the same time", http.StatusServiceUnavailable)
			return
		}
		q := r.URL.Query()
		n, t, err := s.about(q.Get("name"), cmp.Or(q.Get("from"), q.Get("until")))
		if err != nil {
			s.metrics.count(0, err)
			http.Error(w, err.Error(), status(err))
			return
		}
		u := s.uploads.Get().(*upload)
		data, err := u.read(w, r, s.maxUpload)
		if err != nil {
			s.metrics.count(0, err)
		} else {
			err = s.ingest(r.Context(), n, t, data)
		}
		if u.reusable() {
			s.uploads.Put(u)
		}
		if err != nil {
			http.Error(w, err.Error(), status(err))
		}
	}
}

// about returns the application and the time that an upload is of.
func (s *service) about(name, from string) (name, time.Time, error) {
	n, err := parseName(name)
	if err != nil {
		return n, time.Time{}, badUpload("%v", err)
	}
	now := time.Now()
	t, err := parseTime(from, now)
	switch {
	case err != nil:
	case t.After(now.Add(s.store.window)):
		err = badUpload("the profile is of %v, and now is %v: set the clock", t.UTC(), now.UTC())
	case !s.anyPast && s.store.number(t) <= s.store.over(now):
		err = badUpload("the profile is of %v, of a window that is over: now is %v, and %d windows of %v are kept", t.UTC(), now.UTC(), s.store.windows, s.store.window)
	}
	return n, t, err
}

func (s *service) serveApps(w http.ResponseWriter, r *http.Request) {
	apps := []string{}
	for _, p := range s.store.selected(nil) {
		apps = append(apps, p.name.String())
	}
	serveJSON(w, apps)
}

func serveJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// An answer is a tree, and the column of it that was asked for.
type answer struct {
	*tree
	a           *arena.Arena
	app         string
	column      *column
	from, until time.Time
}

// answers returns a handler that has f answer with the tree that was asked for.
func (s *service) answers(f func(w http.ResponseWriter, r *http.Request, t answer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		t := answer{a: arena.FromContext(r.Context()), app: q.Get("app")}
		var err error
		if t.tree, t.from, t.until, err = s.view(t.a, t.app); err == nil {
			t.column, err = t.show(q.Get("type"))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		f(w, r, t)
	}
}

// serveTop lists the functions with the largest values, as JSON for those who ask for it.
func serveTop(w http.ResponseWriter, r *http.Request, t answer) {
	n, err := strconv.Atoi(cmp.Or(r.FormValue("n"), "20"))
	if err != nil || n < 0 {
		http.Error(w, "n must be a number, and not negative", http.StatusBadRequest)
		return
	}
	report := report{App: t.app, Type: t.column.String(), Unit: t.column.unit}
	report.Total, report.Functions, report.Rows = t.top(t.a, t.column, n)
	if r.FormValue("format") == "json" || strings.Contains(r.Header.Get("Accept"), "application/json") {
		serveJSON(w, report)
		return
	}
	b := arena.NewBuilder(t.a)
	report.write(b)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write(b.Bytes())
}

func serveFlame(w http.ResponseWriter, r *http.Request, t answer) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	t.writeFlame(t.a, w, t.column, t.app)
}

// serveExport answers with the tree as a profile, compressed as pprof has it.
func serveExport(w http.ResponseWriter, r *http.Request, t answer) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="profile.pb.gz"`)
	writeProfile(w, t.exported(t.a, t.app, t.from, t.until.Sub(t.from)))
}

// writeProfile writes a compressed profile.
func writeProfile(w io.Writer, p *profilepb.Profile) error {
	data, err := proto.Marshal(p)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(data); err != nil {
		return err
	}
	return z.Close()
}
