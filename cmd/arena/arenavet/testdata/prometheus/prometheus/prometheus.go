// Package prometheus stands for the library of this name, whose vectors keep their labels.
package prometheus

type Labels map[string]string

type Counter interface {
	Inc()
	Add(float64)
}

type counter struct{ value float64 }

func (c *counter) Inc()          { c.value++ }
func (c *counter) Add(n float64) { c.value += n }

type CounterVec struct{ labels [][]string }

func (v *CounterVec) WithLabelValues(values ...string) Counter {
	v.labels = append(v.labels, append([]string(nil), values...))
	return new(counter)
}

func (v *CounterVec) With(labels Labels) Counter {
	var values []string
	for _, value := range labels {
		values = append(values, value)
	}
	v.labels = append(v.labels, values)
	return new(counter)
}
