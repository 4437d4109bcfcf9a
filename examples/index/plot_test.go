package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
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
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "polyline" {
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

// TestPlot plots known times: each way takes a tenth of the one before, and each point of the heap
// twice as long as the one before.
func TestPlot(t *testing.T) {
	var points []map[string]*run
	for i := range 3 {
		point := map[string]*run{}
		took := time.Second / 4 << i
		for j, way := range ways {
			if j > 0 {
				took = time.Second
			}
			for range j {
				took /= 10
			}
			point[way] = &run{Places: 1_000_000 << i, GC: took, Ready: took / 1000}
		}
		points = append(points, point)
	}
	path := filepath.Join(t.TempDir(), "plot.svg")
	if err := writePlot(path, points); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := polylines(t, svg)
	if len(lines) != 6 {
		t.Fatalf("%d lines", len(lines))
	}
	tenth := float64(panelHeight-above-below) / 2 // the axis is from 10ms to 1s
	for i, l := range lines {
		if want := fmt.Sprint("way", i%3); l.class != want || len(l.x) != 3 {
			t.Fatalf("line %d is %v, want %s", i, l, want)
		}
		for j, x := range l.x {
			if want := left + float64(j)*(plotWidth-left-right)/2; math.Abs(x-want) > 0.1 {
				t.Errorf("point %d of line %d is at %.1f, want %.1f", j, i, x, want)
			}
			up := float64(2 - i%3)
			if i%3 == 0 {
				up += math.Log10([]float64{0.25, 0.5, 1}[j])
			}
			if want := panelHeight - below - up*tenth; math.Abs(l.y[j]-want) > 0.1 {
				t.Errorf("point %d of line %d is at height %.1f, want %.1f", j, i, l.y[j], want)
			}
		}
	}
	for _, want := range []string{">heap: 1.00s<", ">file: 10ms<", ">heap: 1ms<", ">10ms<", ">1s<", ">10µs<", ">1<", ">4<", "prefers-color-scheme: dark"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	// A single point, and times that could not be measured.
	for _, r := range []*run{{}, {Places: 5, GC: 1, Ready: 1}} {
		if err := writePlot(path, []map[string]*run{{onHeap: r, asRefs: r, inFile: r}}); err != nil {
			t.Fatal(err)
		}
		svg, _ := os.ReadFile(path)
		polylines(t, svg)
	}
}
