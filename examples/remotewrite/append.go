package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unique"

	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/metadata"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"github.com/prometheus/prometheus/storage"
)

// An appender appends a request to a storage. What the storage keeps is copied:
//
//   - the labels of a series that it does not have yet; a sample of one that it has goes by the
//     storage's own labels, and nothing is copied,
//   - the labels of exemplars,
//   - histograms, of which the storage keeps the last one of each series,
//   - unit and help of a series, once for each text, with package unique.
//
// Numbers are copied anyway. Metadata of protocol 1.0 is of names and not of series; a TSDB has no
// place for it, and Prometheus' own receiver ignores it, too.
type appender struct {
	to       storage.ExemplarAppenderV2
	known    storage.GetRef
	builder  labels.ScratchBuilder
	scratch  labels.Labels // its memory is used again for each series
	ref      storage.SeriesRef
	labels   labels.Labels // of the series
	stats    remoteapi.WriteResponseStats
	exemplar []exemplar.Exemplar
	refused  error // why the first one was
}

func newAppender(ctx context.Context, s storage.AppendableV2) (*appender, error) {
	to := s.AppenderV2(ctx)
	exemplars, ok1 := to.(storage.ExemplarAppenderV2)
	known, ok2 := to.(storage.GetRef)
	if !ok1 || !ok2 {
		return nil, errors.Join(fmt.Errorf("%T has no exemplars, or does not find series by their labels", to), to.Rollback())
	}
	return &appender{to: exemplars, known: known, builder: labels.NewScratchBuilder(16)}, nil
}

// v1 appends a request of protocol 1.0. The error is a refusal, or the storage's own.
func (a *appender) v1(m *prompb.WriteRequest) error {
	for i := range m.Timeseries {
		s := &m.Timeseries[i]
		a.builder.Reset()
		for _, l := range s.Labels {
			a.builder.Add(l.Name, l.Value)
		}
		if !a.series() {
			continue
		}
		for _, v := range s.Samples {
			if err := a.sample(0, v.Timestamp, v.Value, storage.AOptions{}); err != nil {
				return err
			}
		}
		for _, h := range s.Histograms {
			if err := a.histogram(0, h.Timestamp, h.IsFloatHistogram(), h.ToIntHistogram, h.ToFloatHistogram, storage.AOptions{}); err != nil {
				return err
			}
		}
		for _, e := range s.Exemplars {
			a.builder.Reset()
			for _, l := range e.Labels {
				a.builder.Add(strings.Clone(l.Name), strings.Clone(l.Value))
			}
			a.addExemplar(e.Timestamp, e.Value)
		}
		if err := a.exemplars(); err != nil {
			return err
		}
	}
	return a.refused
}

// v2 appends a request of protocol 2.0, as v1 does.
func (a *appender) v2(m *writev2.Request) error {
	text := func(refs []uint32, add func(name, value string)) bool {
		a.builder.Reset()
		for len(refs) >= 2 && int64(refs[0]) < int64(len(m.Symbols)) && int64(refs[1]) < int64(len(m.Symbols)) {
			add(m.Symbols[refs[0]], m.Symbols[refs[1]])
			refs = refs[2:]
		}
		if len(refs) > 0 {
			a.refuse("labels refer to symbols that there are not: %d", refs)
		}
		return len(refs) == 0
	}
	keep := func(name, value string) { a.builder.Add(strings.Clone(name), strings.Clone(value)) }
	for i := range m.Timeseries {
		s := &m.Timeseries[i]
		if !text(s.LabelsRefs, a.builder.Add) || !a.series() {
			continue
		}
		meta, err := s.ToMetadata(m.Symbols)
		if err != nil {
			a.refuse("metadata of %v: %w", a.labels, err)
			continue
		}
		opts := storage.AOptions{Metadata: metadata.Metadata{Type: meta.Type, Unit: unique.Make(meta.Unit).Value(), Help: unique.Make(meta.Help).Value()}}
		for _, v := range s.Samples {
			if err := a.sample(v.StartTimestamp, v.Timestamp, v.Value, opts); err != nil {
				return err
			}
		}
		for _, h := range s.Histograms {
			if err := a.histogram(h.StartTimestamp, h.Timestamp, h.IsFloatHistogram(), h.ToIntHistogram, h.ToFloatHistogram, opts); err != nil {
				return err
			}
		}
		for _, e := range s.Exemplars {
			if text(e.LabelsRefs, keep) {
				a.addExemplar(e.Timestamp, e.Value)
			}
		}
		if err := a.exemplars(); err != nil {
			return err
		}
	}
	return a.refused
}

// refuse notes what is not appended.
func (a *appender) refuse(format string, args ...any) {
	if a.refused == nil {
		a.refused = refuse(http.StatusBadRequest, format, args...)
	}
}

// series looks for the series whose labels are in the builder, and reports whether there may be
// one.
func (a *appender) series() bool {
	a.builder.Sort()
	a.builder.Overwrite(&a.scratch)
	if !a.scratch.Has(model.MetricNameLabel) || !a.scratch.IsValid(model.UTF8Validation) {
		a.refuse("the labels are not valid: %v", a.scratch)
		return false
	}
	if name, twice := a.scratch.HasDuplicateLabelNames(); twice {
		a.refuse("label %q is there twice: %v", name, a.scratch)
		return false
	}
	if a.ref, a.labels = a.known.GetRef(a.scratch, a.scratch.Hash()); a.ref == 0 {
		a.builder.Reset()
		a.scratch.Range(func(l labels.Label) { a.builder.Add(strings.Clone(l.Name), strings.Clone(l.Value)) })
		a.labels = a.builder.Labels()
	}
	return true
}

func (a *appender) sample(start, at int64, v float64, opts storage.AOptions) error {
	ref, err := a.to.Append(a.ref, a.labels, start, at, v, nil, nil, opts)
	return a.done(ref, err, &a.stats.Samples)
}

func (a *appender) histogram(start, at int64, floats bool, ofInts func() *histogram.Histogram, ofFloats func() *histogram.FloatHistogram, opts storage.AOptions) error {
	var ref storage.SeriesRef
	var err error
	if floats {
		ref, err = a.to.Append(a.ref, a.labels, start, at, 0, nil, ofFloats().Copy(), opts)
	} else {
		ref, err = a.to.Append(a.ref, a.labels, start, at, 0, ofInts().Copy(), nil, opts)
	}
	return a.done(ref, err, &a.stats.Histograms)
}

// addExemplar adds one whose labels are in the builder, and stay valid.
func (a *appender) addExemplar(at int64, v float64) {
	a.builder.Sort()
	a.exemplar = append(a.exemplar, exemplar.Exemplar{Labels: a.builder.Labels(), Value: v, Ts: at, HasTs: at != 0})
}

// exemplars appends those that were added. Those that the storage does not take are left out, and
// only the count says so: Prometheus' own receiver does that, too.
func (a *appender) exemplars() error {
	if len(a.exemplar) == 0 {
		return nil
	}
	slices.SortFunc(a.exemplar, exemplar.Compare)
	_, err := a.to.AppendExemplars(a.ref, a.labels, a.exemplar)
	n := len(a.exemplar)
	a.exemplar = a.exemplar[:0]
	var partial *storage.AppendPartialError
	if errors.As(err, &partial) {
		a.stats.Exemplars += max(0, n-len(partial.ExemplarErrors))
		return nil
	}
	if err == nil {
		a.stats.Exemplars += n
	}
	return err
}

// done counts what was appended, or says why it was not.
func (a *appender) done(ref storage.SeriesRef, err error, count *int) error {
	if err == nil {
		a.ref = ref
		*count++
		return nil
	}
	var invalid histogram.Error
	switch {
	case errors.Is(err, storage.ErrOutOfOrderSample), errors.Is(err, storage.ErrOutOfBounds), errors.Is(err, storage.ErrDuplicateSampleForTimestamp),
		errors.Is(err, storage.ErrTooOldSample), errors.As(err, &invalid):
		a.refuse("%v: %w", a.labels, err)
		return nil
	}
	return err
}
