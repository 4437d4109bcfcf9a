// Package prometheus stands for the library of this name, whose vectors keep their labels.
package prometheus

type Labels map[string]string

type Counter interface {
	Inc()
	Add(float64)
}

type CounterVec struct{ _ int }

func (*CounterVec) WithLabelValues(values ...string) Counter { return nil }

func (*CounterVec) With(labels Labels) Counter { return nil }
