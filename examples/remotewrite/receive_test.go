package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenatest"
	"github.com/klauspost/compress/snappy"
	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/metadata"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/record"
	"github.com/prometheus/prometheus/tsdb/tsdbutil"
	"github.com/prometheus/prometheus/tsdb/wlog"
)

var types = []remoteapi.WriteMessageType{remoteapi.WriteV1MessageType, remoteapi.WriteV2MessageType}

// decoders returns the options of the receiver with each decoder. The arenas find stale text.
func decoders(t *testing.T) map[string]*arena.Options {
	watched := arenatest.Options(t)
	return map[string]*arena.Options{"heap": nil, "arena": new(arena.Options), "arena, watched": &watched}
}

func openTest(t *testing.T) *tsdb.DB {
	db, err := openTSDB(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// contents returns all samples, exemplars and metadata of a TSDB, by series.
func contents(t *testing.T, db *tsdb.DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	q, err := db.Querier(0, 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	every := labels.MustNewMatcher(labels.MatchRegexp, "__name__", ".*")
	set := q.Select(t.Context(), true, nil, every)
	for set.Next() {
		s := set.At()
		name := s.Labels().String()
		for it := s.Iterator(nil); ; {
			switch it.Next() {
			case chunkenc.ValNone:
				if it.Err() != nil {
					t.Fatal(it.Err())
				}
			case chunkenc.ValFloat:
				at, v := it.At()
				all[name] = append(all[name], fmt.Sprint(at, " ", v))
				continue
			case chunkenc.ValHistogram:
				at, h := it.AtHistogram(nil)
				all[name] = append(all[name], fmt.Sprint(at, " ints ", h))
				continue
			case chunkenc.ValFloatHistogram:
				at, h := it.AtFloatHistogram(nil)
				all[name] = append(all[name], fmt.Sprint(at, " floats ", h))
				continue
			}
			break
		}
	}
	if set.Err() != nil {
		t.Fatal(set.Err())
	}
	eq, err := db.ExemplarQuerier(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exemplars, err := eq.Select(0, 1<<62, []*labels.Matcher{every})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range exemplars {
		name := e.SeriesLabels.String()
		for _, x := range e.Exemplars {
			all[name] = append(all[name], fmt.Sprint("exemplar ", x.Ts, " ", x.Value, " ", x.Labels))
		}
	}
	return all
}

// metadataOf returns the metadata of all series in the write-ahead log of a TSDB: it has no other
// way to ask for it.
func metadataOf(t *testing.T, db *tsdb.DB) map[string]string {
	t.Helper()
	files, err := wlog.NewSegmentsReader(db.Dir() + "/wal")
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	names, all := map[any]string{}, map[string]string{}
	decoder := record.NewDecoder(labels.NewSymbolTable(), discard)
	for r := wlog.NewReader(files); r.Next(); {
		switch decoder.Type(r.Record()) {
		case record.Series:
			list, err := decoder.Series(r.Record(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				names[s.Ref] = s.Labels.String()
			}
		case record.Metadata:
			list, err := decoder.Metadata(r.Record(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				all[names[m.Ref]] = fmt.Sprint(m.Type, " ", m.Unit, " ", m.Help)
			}
		}
	}
	return all
}

// scrape appends what a scrape would: numbers, histograms of both kinds, exemplars and metadata.
func scrape(app storage.AppenderV2, round, n int, at int64) error {
	for i := range n {
		ls := labels.FromStrings("__name__", fmt.Sprint("metric_", i%17), "job", "test", "series", fmt.Sprintf("%d-%d", i, i*i), "text", strings.Repeat("x", i*7%300+1))
		opts := storage.AOptions{Metadata: metadata.Metadata{Type: model.MetricTypeCounter, Unit: "bytes", Help: fmt.Sprint("What metric_", i%17, " counts.")}}
		if i%3 == 0 {
			opts.Exemplars = []exemplar.Exemplar{{Labels: labels.FromStrings("trace_id", fmt.Sprintf("%d-%d", round, i)), Value: float64(i), Ts: at, HasTs: true}}
		}
		var h *histogram.Histogram
		var fh *histogram.FloatHistogram
		switch i % 5 {
		case 0:
			h = tsdbutil.GenerateTestHistogram(int64(round*n + i))
		case 1:
			fh = tsdbutil.GenerateTestFloatHistogram(int64(round*n + i))
		}
		if _, err := app.Append(0, ls, 0, at, float64(round)+float64(i)/8, h, fh, opts); err != nil {
			return err
		}
	}
	return nil
}

// TestSent has a Prometheus send what it has, and compares the TSDB of the receiver with its own,
// when later requests have used the arenas again.
func TestSent(t *testing.T) {
	for name, options := range decoders(t) {
		for _, typ := range types {
			t.Run(protocol(typ)+"/"+name, func(t *testing.T) {
				const series, rounds = 500, 8
				db := openTest(t)
				server := httptest.NewServer(newReceiver(db, options, 8<<20))
				defer server.Close()
				s, err := newSender(t.TempDir(), server.URL, typ, 3, 100)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now().Add(time.Minute).UnixMilli()
				for round := range rounds {
					if err := s.append(func(app storage.AppenderV2) error { return scrape(app, round, series, start+int64(round)*1000) }); err != nil {
						t.Fatal(err)
					}
				}
				want := contents(t, s.db)
				if len(want) != series || len(want[slices.Sorted(maps.Keys(want))[0]]) < rounds {
					t.Fatalf("the sender has %d series", len(want))
				}
				got := contents(t, db)
				count := func(all map[string][]string) (n int) {
					for _, list := range all {
						n += len(list)
					}
					return n
				}
				for ; count(got) < count(want); got = contents(t, db) {
					s.queues.Notify()
					time.Sleep(50 * time.Millisecond)
				}
				for name, list := range want {
					if !slices.Equal(got[name], list) {
						t.Errorf("%s\nis not what was sent:\n%s\n%s", name, strings.Join(got[name], "\n"), strings.Join(list, "\n"))
						break
					}
				}
				if len(got) != len(want) {
					t.Errorf("%d series, want %d", len(got), len(want))
				}
				if want, got := metadataOf(t, s.db), metadataOf(t, db); typ == remoteapi.WriteV2MessageType && (len(want) != series || !maps.Equal(got, want)) {
					t.Errorf("metadata of %d series, want %d", len(got), len(want))
				}
				if err := s.close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestRefused sends what is not to be stored, between requests that are.
func TestRefused(t *testing.T) {
	const max = 1 << 20
	good := func(at int64) []byte {
		b, err := (&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{
			Labels: []prompb.Label{{Name: "__name__", Value: "up"}}, Samples: []prompb.Sample{{Value: 1, Timestamp: at}},
		}}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v1 := func(ls ...prompb.Label) []byte {
		b, err := (&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{Labels: ls, Samples: []prompb.Sample{{Value: 1, Timestamp: 1e12}}}}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v2 := func(symbols []string, refs ...uint32) []byte {
		b, err := (&writev2.Request{Symbols: symbols, Timeseries: []writev2.TimeSeries{{LabelsRefs: refs, Samples: []writev2.Sample{{Value: 1, Timestamp: 1e12}}}}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	many := bytes.Repeat([]byte{1<<3 | 2, 0}, max/2) // series of two bytes each
	cut := good(1)
	cut = snappy.Encode(nil, cut[:len(cut)-1])
	for name, options := range decoders(t) {
		t.Run(name, func(t *testing.T) {
			db := openTest(t)
			h := newReceiver(db, options, max)
			send := func(body []byte, typ remoteapi.WriteMessageType, encoding string) int {
				r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/x-protobuf;proto="+string(typ))
				r.Header.Set("Content-Encoding", encoding)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w.Code
			}
			const t1, t2 = remoteapi.WriteV1MessageType, remoteapi.WriteV2MessageType
			tooMuch := http.StatusBadRequest // the heap has no limit
			if options != nil {
				tooMuch = http.StatusRequestEntityTooLarge
			}
			for i, c := range []struct {
				name     string
				body     []byte
				typ      remoteapi.WriteMessageType
				encoding string
				want     int
			}{
				{"not snappy", []byte("hello"), t1, "snappy", 400},
				{"nothing", nil, t1, "snappy", 400},
				{"snappy that is cut", snappy.Encode(nil, good(1))[:10], t1, "snappy", 400},
				{"a length and nothing", []byte{0x80, 0x80, 0x20}, t1, "snappy", 400},
				{"a message that is cut", cut, t1, "snappy", 400},
				{"a message that is cut, 2.0", cut, t2, "snappy", 400},
				{"large", make([]byte, max+1), t1, "snappy", 413},
				{"large uncompressed", snappy.Encode(nil, make([]byte, max+1)), t1, "snappy", 413},
				{"a large message", snappy.Encode(nil, many), t1, "snappy", tooMuch},
				{"gzip", snappy.Encode(nil, good(1)), t1, "gzip", 415},
				{"another message", snappy.Encode(nil, good(1)), "prometheus.Other", "snappy", 415},
				{"no name", snappy.Encode(nil, v1(prompb.Label{Name: "a", Value: "b"})), t1, "snappy", 400},
				{"a label twice", snappy.Encode(nil, v1(prompb.Label{Name: "__name__", Value: "b"}, prompb.Label{Name: "a", Value: "b"}, prompb.Label{Name: "a", Value: "c"})), t1, "snappy", 400},
				{"not UTF-8", snappy.Encode(nil, v1(prompb.Label{Name: "__name__", Value: "b"}, prompb.Label{Name: "a", Value: "\xff"})), t1, "snappy", 400},
				{"an old sample", snappy.Encode(nil, v1(prompb.Label{Name: "__name__", Value: "b"})), t1, "snappy", 400},
				{"a symbol that is not there", snappy.Encode(nil, v2([]string{"", "__name__"}, 1, 2)), t2, "snappy", 400},
				{"half a label", snappy.Encode(nil, v2([]string{"", "__name__", "up"}, 1, 2, 1)), t2, "snappy", 400},
			} {
				if got := send(c.body, c.typ, c.encoding); got != c.want {
					t.Errorf("%s: status %d, want %d", c.name, got, c.want)
				}
				if got := send(snappy.Encode(nil, good(2e12+int64(i))), t1, "snappy"); got != 204 {
					t.Fatalf("after %s: status %d", c.name, got)
				}
			}
			all := contents(t, db)
			if list := all[`{__name__="up"}`]; len(all) != 1 || len(list) != 17 {
				t.Errorf("there is %q", all)
			}
		})
	}
}

// TestPartly sends a request of which a part can be appended. The answer says how much.
func TestPartly(t *testing.T) {
	body, err := (&writev2.Request{Symbols: []string{"", "__name__", "up", "down"}, Timeseries: []writev2.TimeSeries{
		{LabelsRefs: []uint32{1, 2}, Samples: []writev2.Sample{{Value: 1, Timestamp: 2e12}}},
		{LabelsRefs: []uint32{1, 9}, Samples: []writev2.Sample{{Value: 2, Timestamp: 2e12}}},
		{LabelsRefs: []uint32{1, 3}, Samples: []writev2.Sample{{Value: 3, Timestamp: 2e12}}},
	}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range decoders(t) {
		t.Run(name, func(t *testing.T) {
			db := openTest(t)
			server := httptest.NewServer(newReceiver(db, options, 1<<20))
			defer server.Close()
			c, err := newClient(server.URL, remoteapi.WriteV2MessageType)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := c.Store(context.Background(), snappy.Encode(nil, body), 0)
			if err == nil || stats.Samples != 2 {
				t.Errorf("%v, %+v", err, stats)
			}
			if all := contents(t, db); len(all) != 2 || all[`{__name__="up"}`][0] != "2000000000000 1" || all[`{__name__="down"}`][0] != "2000000000000 3" {
				t.Errorf("there is %q", all)
			}
		})
	}
}
