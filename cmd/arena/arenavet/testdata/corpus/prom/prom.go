// Package prom has the shape of a library of metrics.
package prom

import (
	"strings"
	"sync"
)

type Labels map[string]string

type Counter interface {
	Inc()
	Add(float64)
}

type counter struct {
	mu     sync.Mutex
	labels []string
	value  float64
}

func (c *counter) Inc() { c.Add(1) }
func (c *counter) Add(v float64) {
	c.mu.Lock()
	c.value += v
	c.mu.Unlock()
}

type CounterOpts struct {
	Name, Help  string
	ConstLabels Labels
}

type CounterVec struct {
	opts   CounterOpts
	names  []string
	mu     sync.RWMutex
	series map[string]*counter
}

func NewCounterVec(opts CounterOpts, names []string) *CounterVec {
	return &CounterVec{opts: opts, names: names, series: make(map[string]*counter)}
}

func (v *CounterVec) WithLabelValues(values ...string) Counter {
	key := strings.Join(values, "\xff")
	v.mu.RLock()
	c := v.series[key]
	v.mu.RUnlock()
	if c != nil {
		return c
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	c = &counter{labels: values}
	v.series[key] = c
	return c
}

func (v *CounterVec) Describe() string { return v.opts.Name + ": " + v.opts.Help }

type Registry struct {
	mu    sync.Mutex
	names map[string]*CounterVec
}

func NewRegistry() *Registry { return &Registry{names: map[string]*CounterVec{}} }

func (r *Registry) Register(name string, v *CounterVec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[name] = v
}

func (r *Registry) Has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.names[name]
	return ok
}
