package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/internal/testrun"
)

func write(t *testing.T, run *suite.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An element of a page, with methods to find others.
type element struct{ *html.Node }

func parse(t *testing.T, page []byte) element {
	t.Helper()
	n, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return element{n}
}

func (e element) attr(name string) string {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (e element) is(name, class string) bool {
	return e.Type == html.ElementNode && (name == "" || e.Data == name) && (class == "" || slices.Contains(strings.Fields(e.attr("class")), class))
}

// all returns the elements inside of e, with a name and a class if they are not empty.
func (e element) all(name, class string) (found []element) {
	for n := range e.Descendants() {
		if x := (element{n}); x.is(name, class) {
			found = append(found, x)
		}
	}
	return found
}

func (e element) text() string {
	var b strings.Builder
	for n := range e.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// mangle makes a run that has gone wrong in many places.
func mangle(r *rand.Rand, run *suite.Run) {
	odd := []float64{0, -1, 1e-300, 1e300, math.Inf(1), math.NaN()}
	for i := range run.Workloads {
		m := &run.Workloads[i]
		for k := range m.Cells {
			c := &m.Cells[k]
			switch r.IntN(12) {
			case 0:
				c.Results, c.Failed = nil, fmt.Sprintf("exit status %d <&>", r.IntN(100))
			case 1:
				c.Failed = "signal: killed"
			case 2:
				c.Results = nil
			case 3:
				for j := range c.Results {
					c.Results[j].CPU = odd[r.IntN(len(odd))]
				}
			case 4:
				for j := range c.Results {
					c.Results[j].Wall, c.Results[j].Peak = odd[r.IntN(len(odd))], 0
				}
			case 5:
				c.Results = c.Results[:min(len(c.Results), 1+r.IntN(3))]
			case 6:
				for j := range c.Results {
					delete(c.Results[j].Values, "hit")
					delete(c.Results[j].Times, "request")
				}
			}
		}
		if r.IntN(12) == 0 {
			m.Cells = m.Cells[:r.IntN(len(m.Cells)+1)]
		}
	}
	if r.IntN(4) == 0 {
		run.Soundness, run.Versions, run.Skipped = nil, nil, nil
	}
}

// usable is whether there is a place for a number on a logarithmic scale.
func usable(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

// plots returns how many marks each plot is to have, by the section and the label.
func plots(run *suite.Run) map[string]int {
	want := map[string]int{}
	sizes := map[string]int{}
	for _, m := range run.Workloads {
		sizes[m.Name]++
	}
	for i := range run.Workloads {
		m := &run.Workloads[i]
		add := func(label string, ok bool) {
			if ok {
				want["w-"+m.Name+" "+label]++
			}
		}
		n := ", n = " + suite.Commas(strconv.Itoa(m.N))
		for clock, metric := range map[string]suite.Metric{"CPU time": suite.CPU, "wall time": suite.Wall} {
			compared := false
			for _, metric := range []suite.Metric{suite.CPU, suite.Wall} {
				for k := range m.Cells {
					compared = compared || usable(m.Cells[k].Ratio(&m.Cells[0], metric).Median)
				}
			}
			for k := range m.Cells {
				c, base := &m.Cells[k], &m.Cells[0]
				if compared {
					add("Times faster than "+base.Implementation+", "+clock+n, usable(c.Ratio(base, metric).Median))
				} else {
					add("Time for one of n, "+clock+n, usable(c.Spread(metric).Median/float64(max(m.N, 1))))
				}
				if sizes[m.Name] >= 3 {
					add(clock+" for one of n "+m.Unit+", over n", usable(c.Spread(metric).Median/float64(m.N)))
				}
			}
		}
		for _, c := range m.Cells {
			add("Peak memory"+n, c.Spread(suite.Peak).Median > 0)
			for _, v := range m.Values {
				add(v.Name+n, slices.ContainsFunc(c.Results, func(r suite.Result) bool { _, ok := r.Values[v.Name]; return ok }))
			}
			for _, name := range []string{"request", "collection"} {
				add("How long each "+name+" took"+n, slices.ContainsFunc(c.Results, func(r suite.Result) bool { return r.Times[name] != nil }))
			}
		}
	}
	return want
}

// TestPlots compares the plots of random runs with what is in them: all plots are there, with as
// many marks as they are to have.
func TestPlots(t *testing.T) {
	for range 5 {
		seed := testrun.Seed(t)
		run := generate(seed)
		mangle(rand.New(rand.NewPCG(seed, 1)), run)
		page := parse(t, write(t, run))
		got := map[string]int{}
		for _, s := range page.all("section", "") {
			if !strings.HasPrefix(s.attr("id"), "w-") {
				continue
			}
			for _, p := range s.all("svg", "plot") {
				label := s.attr("id") + " " + p.attr("aria-label")
				if _, twice := got[label]; twice {
					t.Errorf("seed %d: %s is there twice", seed, label)
				}
				got[label] = len(p.all("", "mark"))
				if p.attr("data-count") != strconv.Itoa(got[label]) {
					t.Errorf("seed %d: %s: %s marks are announced, there are %d", seed, label, p.attr("data-count"), got[label])
				}
			}
		}
		for label, n := range plots(run) {
			if got[label] != n {
				t.Errorf("seed %d: %s: %d marks, want %d", seed, label, got[label], n)
			}
			delete(got, label)
		}
		for label, n := range got {
			t.Errorf("seed %d: %s: %d marks, and there is nothing to show", seed, label, n)
		}
		for _, e := range page.all("", "") {
			for _, a := range e.Attr {
				if e.Namespace == "svg" && (strings.Contains(a.Val, "NaN") || strings.Contains(a.Val, "Inf") || strings.Contains(a.Val, "%!")) {
					t.Errorf("seed %d: %s %s=%q", seed, e.Data, a.Key, a.Val)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestTable looks for each figure of a run in the tables.
func TestTable(t *testing.T) {
	seed := testrun.Seed(t)
	run := generate(seed)
	mangle(rand.New(rand.NewPCG(seed, 1)), run)
	page := parse(t, write(t, run))
	type key struct{ section, implementation, n string }
	rows := map[key][]string{}
	for _, s := range page.all("section", "") {
		for _, d := range s.all("details", "numbers") {
			for _, r := range d.all("tr", "") {
				name := r.all("th", "")[0].text()
				var cells []string
				for _, c := range r.all("td", "") {
					cells = append(cells, c.text())
				}
				if len(cells) > 0 {
					k := key{s.attr("id"), strings.TrimSuffix(name, " ⚠"), cells[0]}
					rows[k] = append(rows[k], cells[1:]...)
				}
			}
		}
	}
	for i := range run.Workloads {
		m := &run.Workloads[i]
		for k := range m.Cells {
			c := &m.Cells[k]
			cells := rows[key{"w-" + m.Name, c.Implementation, suite.Commas(strconv.Itoa(m.N))}]
			has := func(what, figure string) {
				t.Helper()
				if !slices.ContainsFunc(cells, func(s string) bool { return strings.HasPrefix(s, figure) }) {
					t.Errorf("seed %d: %s, %s, n=%d: no %s %q in %q", seed, m.Name, c.Implementation, m.N, what, figure, cells)
				}
			}
			if c.Failed != "" {
				has("failure", "failed: "+c.Failed)
			}
			if len(c.Results) == 0 {
				continue
			}
			for what, metric := range map[string]suite.Metric{
				"CPU": suite.CPU, "wall": suite.Wall, "each": func(r *suite.Result) float64 { return r.CPU / float64(max(m.N, 1)) },
				"collector": func(r *suite.Result) float64 { return r.Collector },
			} {
				s := c.Spread(metric)
				want := seconds(s.Median)
				if s.Min != s.Max && s.Max-s.Min <= math.MaxFloat64 {
					want += seconds(s.Min) + " – " + seconds(s.Max)
				}
				has(what, want)
			}
			has("peak", memory(c.Spread(suite.Peak).Median))
			has("before", memory(c.Spread(func(r *suite.Result) float64 { return float64(r.Before) }).Median))
			has("allocated", memory(c.Spread(func(r *suite.Result) float64 { return r.Allocated }).Median))
			has("allocations", number(c.Spread(func(r *suite.Result) float64 { return r.Allocs }).Median))
			has("collections", number(c.Spread(func(r *suite.Result) float64 { return float64(r.Collections) }).Median))
			for _, metric := range []suite.Metric{suite.CPU, suite.Wall} {
				if r := c.Ratio(&m.Cells[0], metric).Median; usable(r) {
					has("ratio", ratio(r))
				}
			}
			for _, v := range m.Values {
				if _, ok := c.Results[0].Values[v.Name]; ok {
					figure, _ := formats(v.Unit)
					has(v.Name, figure(c.Spread(suite.ValueOf(v.Name)).Median))
				}
			}
			for name := range c.Results[0].Times {
				longest, n := 0.0, 0
				for _, r := range c.Results {
					if r.Times[name] != nil {
						longest = max(longest, r.Times[name].Max)
						n += r.Times[name].N
					}
				}
				if longest > 0 {
					has("longest "+name, seconds(longest))
					has("number of "+name, suite.Commas(strconv.Itoa(n)))
					has("median "+name, seconds(c.Spread(func(r *suite.Result) float64 { return r.Times[name].P50 }).Median))
				}
			}
		}
	}
}

// TestText looks for what a run says in words, and for names that are not to become elements.
func TestText(t *testing.T) {
	seed := testrun.Seed(t)
	run := generate(seed)
	page := parse(t, write(t, run))
	text := page.text()
	for _, s := range append([]string{run.Machine, run.Go, run.Date, run.Command}, run.Skipped...) {
		if !strings.Contains(text, s) {
			t.Errorf("there is no %q", s)
		}
	}
	for module, version := range run.Versions {
		if !strings.Contains(text, module+version) {
			t.Errorf("there is no %s %s", module, version)
		}
	}
	verdicts := page.all("table", "verdicts")[0]
	for i, v := range run.Soundness {
		row := verdicts.all("tr", "")[1+i%12]
		cell := row.all("td", "")[i/12]
		if d := cell.all("div", ""); !strings.HasPrefix(row.text(), v.Implementation) || !strings.Contains(d[0].text(), v.Outcome) || d[0].is("", "unsound") == v.Sound {
			t.Errorf("%v: the table has %q in the row %q", v, cell.text(), row.text())
		}
	}
	for _, w := range run.Workloads {
		for _, s := range page.all("section", "") {
			if s.attr("id") == "w-"+w.Name && (!strings.Contains(s.text(), w.About) || !strings.Contains(s.all("h2", "")[0].text(), w.Title)) {
				t.Errorf("%s: no title, or it is not said what it is about", w.Name)
			}
		}
		for _, c := range w.Cells {
			if !strings.Contains(text, c.Failed) || !strings.Contains(text, c.Implementation) {
				t.Errorf("there is no %q, %q", c.Implementation, c.Failed)
			}
		}
	}
	for _, name := range []string{"i", "all", "bad", "cc"} {
		if n := len(page.all(name, "")); n > 0 {
			t.Errorf("there are %d elements %s, which were names", n, name)
		}
	}
}

// TestUnsound looks for the warnings: all that is unsound has one in all plots, and nothing else
// has.
func TestUnsound(t *testing.T) {
	seed := testrun.Seed(t)
	page := parse(t, write(t, generate(seed)))
	unsound := map[string]bool{}
	for _, i := range implementations {
		unsound[i.name] = i.unsound
	}
	seen := 0
	for _, p := range page.all("svg", "plot") {
		for _, e := range p.all("", "name") {
			if name := e.attr("data-i"); name != "" && strings.HasSuffix(e.text(), "⚠") != unsound[name] {
				t.Errorf("%s: %q is shown as %q", p.attr("aria-label"), name, e.text())
			}
		}
		for _, e := range p.all("", "mark") {
			n := e
			for n.attr("data-i") == "" {
				n = element{n.Parent}
			}
			if e.is("", "unsound") != unsound[n.attr("data-i")] {
				t.Errorf("%s: the mark of %s has the class %q", p.attr("aria-label"), n.attr("data-i"), e.attr("class"))
			}
			seen++
		}
	}
	if seen < 500 {
		t.Errorf("only %d marks", seen)
	}
}

// TestAlone checks that the page is the same each time, and needs nothing else.
func TestAlone(t *testing.T) {
	for _, run := range []*suite.Run{{}, generate(1), generate(2), {Workloads: make([]suite.Measured, 2)}} {
		page := write(t, run)
		for range 3 {
			if !bytes.Equal(page, write(t, run)) {
				t.Fatal("the same run makes different pages")
			}
		}
		if !bytes.HasSuffix(bytes.TrimSpace(page), []byte("</html>")) {
			t.Error("the page has no end")
		}
		for _, s := range []string{"http:", "https:", "@import", "//fonts", "src=", "<link", "<iframe"} {
			if bytes.Contains(page, []byte(s)) {
				t.Errorf("the page has %s", s)
			}
		}
		ids := map[string]bool{}
		for _, e := range parse(t, page).all("", "") {
			ids[e.attr("id")] = true
		}
		for _, e := range parse(t, page).all("", "") {
			if to := e.attr("href"); to != "" && (to[0] != '#' || !ids[to[1:]]) && len(run.Workloads) != 2 {
				t.Errorf("%s refers to %q", e.Data, to)
			}
		}
	}
}

// TestMany draws more implementations than any run has.
func TestMany(t *testing.T) {
	run := &suite.Run{}
	for n := 1; n <= 3; n++ {
		m := suite.Measured{Name: "many", N: n * 10}
		for i := range 300 {
			m.Cells = append(m.Cells, suite.Cell{Implementation: fmt.Sprintf("implementation-%d", i), Results: []suite.Result{{CPU: float64(i + 1), Wall: 1}}})
		}
		run.Workloads = append(run.Workloads, m)
	}
	page := parse(t, write(t, run))
	for _, class := range []string{"lines", "bars"} {
		p := page.all("svg", class)[0]
		last := math.Inf(-1)
		height, _ := strconv.ParseFloat(p.attr("height"), 64)
		var at []float64
		for _, e := range p.all("text", "name") {
			y, _ := strconv.ParseFloat(e.attr("y"), 64)
			at = append(at, y)
		}
		slices.Sort(at)
		for _, y := range at {
			if y-last < spacing-0.2 || y < 0 || y > height {
				t.Errorf("%s: names at %g and %g in a height of %g", class, last, y, height)
				break
			}
			last = y
		}
		if len(at) != 300 {
			t.Errorf("%s: %d names", class, len(at))
		}
	}
}

// TestOverview compares the fastest ones with the run.
func TestOverview(t *testing.T) {
	seed := testrun.Seed(t)
	run := generate(seed)
	mangle(rand.New(rand.NewPCG(seed, 1)), run)
	for _, row := range newOverview(group(run), styles(run)).Rows {
		n, _, _ := strings.Cut(row.N, " ")
		size, _ := strconv.Atoi(strings.ReplaceAll(n, ",", ""))
		m := run.Find(row.Name, size)
		for i, v := range row.Views {
			fastest := map[string]float64{}
			for k := range m.Cells {
				c := &m.Cells[k]
				r := c.Ratio(&m.Cells[0], clocks[i].metric).Median
				if !usable(r) {
					continue
				}
				fastest["unsound"] = max(fastest["unsound"], r)
				if !c.Unsound {
					fastest["sound"] = max(fastest["sound"], r)
					if k > 0 && ours(c.Implementation) {
						fastest["ours"] = max(fastest["ours"], r)
					}
				}
			}
			var want []string
			last := 0.0
			for _, kind := range []string{"ours", "sound", "unsound"} {
				if fastest[kind] > last {
					last = fastest[kind]
					want = append(want, kind+" "+ratio(last))
				}
			}
			var got []string
			for _, b := range v.Best {
				got = append(got, b.Kind+" "+b.Ratio)
			}
			if !slices.Equal(got, want) || (v.Without == "") != (len(want) > 0) {
				t.Errorf("seed %d: %s, %s: %q %q, want %q", seed, row.Name, v.Class, got, v.Without, want)
			}
		}
	}
}
