package load

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A polyline is one of the plot, with the numbers of its points.
type polyline struct {
	class string
	x, y  []float64
}

// polylines returns the polylines of a plot, which must be well-formed and refer to nothing.
func polylines(t *testing.T, svg []byte) (lines []polyline) {
	t.Helper()
	if strings.Contains(strings.ReplaceAll(string(svg), `xmlns="http://www.w3.org/2000/svg"`, ""), "://") || bytes.Contains(svg, []byte("href")) {
		t.Error("the plot refers to something")
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for first := true; ; {
		token, err := d.Token()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if first && (e.Name.Local != "svg" || e.Name.Space != "http://www.w3.org/2000/svg") {
			t.Fatalf("the plot is a %v", e.Name)
		}
		first = false
		if e.Name.Local != "polyline" {
			continue
		}
		var p polyline
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "class":
				p.class = a.Value
			case "points":
				for _, pair := range strings.Fields(a.Value) {
					var x, y float64
					if _, err := fmt.Sscanf(pair, "%f,%f", &x, &y); err != nil {
						t.Fatalf("%q: %v", pair, err)
					}
					if x < left || x > plotWidth-right || y < above || y > panelHeight-below || math.IsNaN(x+y) {
						t.Errorf("the point %s is outside of the axes", pair)
					}
					p.x, p.y = append(p.x, x), append(p.y, y)
				}
			}
		}
		lines = append(lines, p)
	}
}

// TestPlot plots known latencies: the arena's are a tenth of the heap's, with a peak and a gap.
func TestPlot(t *testing.T) {
	ways := []string{"heap", "arena", "<&>"}
	const d = buckets * time.Millisecond
	file := filepath.Join(t.TempDir(), "plot.svg")
	runs := map[string]*Run{}
	for i, way := range ways {
		r := &Run{Rate: 1234}
		for due := time.Duration(0); due < d; due += time.Millisecond / 4 {
			took := 10 * time.Millisecond
			if i > 0 {
				took /= 10
			}
			if due == 75*time.Millisecond {
				took *= 8
			}
			if due < 100*time.Millisecond || due >= 110*time.Millisecond {
				r.Samples = append(r.Samples, Sample{Due: due, Took: took})
			}
		}
		r.Summarize()
		runs[way] = r
	}
	if err := WritePlot(file, d, ways, []Panel{{"/item", runs}}); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := polylines(t, svg)
	if len(lines) != 6 {
		t.Fatalf("%d lines", len(lines))
	}
	const points = buckets - 10
	for i, l := range lines {
		if want := fmt.Sprintf("%s way%d", []string{"usual", "worst"}[i%2], i/2); l.class != want {
			t.Errorf("line %d is %s, want %s", i, l.class, want)
		}
		if len(l.x) != points || !slices.IsSorted(l.x) {
			t.Fatalf("line %d has the points %v", i, l.x)
		}
	}
	// The axis is from 1ms to 100ms: a tenth is half of it.
	half := float64(panelHeight-above-below) / 2
	at := func(line, point int) float64 { return lines[line].y[point] }
	for _, test := range []struct {
		line, point int
		up          float64 // from the bottom, in tenfolds
	}{
		{0, 0, 1}, {1, 0, 1}, {2, 0, 0}, {3, 0, 0}, {0, 75, 1}, {1, 75, 1 + math.Log10(8)}, {2, 75, 0}, {3, 75, math.Log10(8)}, {1, 74, 1}, {1, points - 1, 1},
	} {
		if got := (panelHeight - below - at(test.line, test.point)) / half; math.Abs(got-test.up) > 0.01 {
			t.Errorf("point %d of line %d is %.3f tenfolds up, want %.3f", test.point, test.line, got, test.up)
		}
	}
	for _, want := range []string{">/item: latency at 1,234 requests per second<", ">heap: p99 10ms<", ">&lt;&amp;&gt;: p99 1ms<", ">1ms<", ">100ms<", ">0s<", ">0.15s<", "prefers-color-scheme: dark"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high time.Duration
		want      string
	}{
		{0, 0, "[1µs 2µs]"}, {1500, 1500, "[1µs 2µs]"}, {2000, 2000, "[2µs 5µs]"},
		{3 * time.Millisecond, 40 * time.Millisecond, "[2ms 5ms 10ms 20ms 50ms]"},
		{30 * time.Millisecond, 2 * time.Second, "[20ms 50ms 100ms 200ms 500ms 1s 2s 5s]"},
	} {
		if got := fmt.Sprint(ticks(test.low, test.high)); got != test.want {
			t.Errorf("ticks(%v, %v) = %s, want %s", test.low, test.high, got, test.want)
		}
	}
}
