package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// number has three digits that count, or all before the point. Those that nobody measures have an
// exponent.
func number(v float64) string {
	if !finite(v) {
		return "–"
	}
	if v == 0 {
		return "0"
	}
	s := strconv.FormatFloat(v, 'e', 2, 64)
	_, exponent, _ := strings.Cut(s, "e")
	before, _ := strconv.Atoi(exponent)
	if before < -9 || before > 12 {
		return s
	}
	return suite.Commas(strconv.FormatFloat(v, 'f', max(2-before, 0), 64))
}

// short leaves out zeros after the point.
func short(v float64) string {
	s := number(v)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// A step is one of those in which a unit is written.
type step struct {
	size float64
	name string
}

var (
	timeSteps  = []step{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}
	byteSteps  = []step{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}
	countSteps = []step{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}
)

// in writes with the largest step that is not larger.
func in(v float64, steps []step, digits func(float64) string) string {
	if v == 0 || !finite(v) {
		return digits(v)
	}
	s := steps[len(steps)-1]
	for _, t := range steps {
		if math.Abs(v) >= t.size*0.9995 {
			s = t
			break
		}
	}
	if s.name == "" {
		return digits(v / s.size)
	}
	return digits(v/s.size) + "\u00a0" + s.name
}

func seconds(v float64) string { return in(v, timeSteps, number) }
func memory(v float64) string  { return in(v, byteSteps, number) }

func ratio(v float64) string {
	if !finite(v) {
		return number(v)
	}
	return number(v) + "×"
}

// brief is for counts at an axis.
func brief(v float64) string { return strings.ReplaceAll(in(v, countSteps, short), "\u00a0", "") }

// formats returns how the numbers of a unit are written, and those at an axis.
func formats(unit string) (figure, mark func(float64) string) {
	switch unit {
	case "s":
		return seconds, func(v float64) string { return in(v, timeSteps, short) }
	case "B":
		return memory, func(v float64) string { return in(v, byteSteps, short) }
	case "×":
		return ratio, func(v float64) string { return short(v) + "×" }
	case "%":
		return func(v float64) string { return number(v) + "\u00a0%" }, func(v float64) string { return short(v) + "\u00a0%" }
	}
	return number, brief
}

// Quantity writes a number of a unit as the page does, with a no-break space.
func Quantity(v float64, unit string) string {
	figure, _ := formats(unit)
	return figure(v)
}

// between writes what a spread lies between.
func between(s suite.Spread, figure func(float64) string) string {
	return figure(s.Min) + " – " + figure(s.Max)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
