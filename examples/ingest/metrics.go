package main

import (
	"net/http"
	"strconv"

	"github.com/arena-go/arena/arenaprom"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A metrics counts what a service does, and exports it together with what its arenas hold.
type metrics struct {
	handler  http.Handler
	bytes    prometheus.Counter
	profiles *prometheus.CounterVec // by status
}

func newMetrics(s *service) *metrics {
	m := &metrics{
		bytes:    prometheus.NewCounter(prometheus.CounterOpts{Name: "ingest_bytes_total", Help: "Bytes of profiles, inflated."}),
		profiles: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ingest_profiles_total", Help: "Profiles by the HTTP status they were answered with, or would be."}, []string{"status"}),
	}
	m.profiles.WithLabelValues("200")
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.bytes, m.profiles, collectors.NewGoCollector(),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "ingest_apps", Help: "Applications with profiles in the windows that are kept."}, func() float64 {
			return float64(len(s.store.selected(nil)))
		}),
		arenaprom.NewPoolCollector(profileArena, s.profiles),
		arenaprom.NewPoolCollector("query", s.queries),
		arenaprom.NewArenaCollector(windowArena, s.store.stats))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) count(bytes int, err error) {
	if err == nil {
		m.bytes.Add(float64(bytes))
	}
	m.profiles.WithLabelValues(strconv.Itoa(status(err))).Inc()
}
