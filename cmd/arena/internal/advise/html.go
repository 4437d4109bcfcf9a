package advise

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed report.html
var reportHTML string

var report = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent":     percent,
	"life":        life,
	"short":       short,
	"name":        (*Scope).name,
	"gogc":        (*Advice).gogc,
	"cut":         (*Advice).cut,
	"rewriting":   (*Advice).rewriting,
	"notNarrowed": func() string { return notNarrowed },
	"plus":        func(a, b float64) float64 { return a + b },
	"inc":         func(i int) int { return i + 1 },
}).Parse(reportHTML))

// WriteHTML writes the advice as one page, without scripts, and with nothing from elsewhere: the
// answer, the tables, and a flame graph of the bytes that would move.
func (a *Advice) WriteHTML(w io.Writer) error {
	flames, depth := a.flames()
	return report.Execute(w, map[string]any{
		"Advice": a, "Malloc": a.share[malloc] + a.share[zeroing], "Collector": a.share[gc] + a.share[barrier],
		"User": a.share[user], "Idle": a.share[idle],
		"Flames": flames, "Height": depth*flameRow + 4,
	})
}

// short returns the name of a function without the directories of its package.
func short(fn string) string { return fn[strings.LastIndexByte(fn, '/')+1:] }

// A flame is a box of the flame graph. Its width is the bytes that would move, allocated below a
// call.
type flame struct {
	X, Width float64 // in percent
	Y        int
	Label    string
	Title    string
	Hue      uint32
	Scope    bool // an arena would end here
}

const (
	flameRow   = 18
	flameDepth = 40
	flameWidth = 0.2 // percent; what is narrower is left out
)

// flames returns the boxes, and how many rows they take.
func (a *Advice) flames() (boxes []flame, depth int) {
	root := &node{}
	for _, s := range a.Scopes {
		for _, x := range s.samples {
			root.add(a.pathOf(x.stack), x.moving())
		}
	}
	if root.bytes == 0 {
		return nil, 0
	}
	ends := map[string]bool{}
	for _, s := range a.Scopes {
		ends[s.path.key()] = true
	}
	var draw func(n *node, path stack, x float64)
	draw = func(n *node, path stack, x float64) {
		for _, c := range n.sorted() {
			width := 100 * float64(c.bytes) / float64(root.bytes)
			if width >= flameWidth && len(path) < flameDepth {
				h := fnv.New32a()
				io.WriteString(h, c.frame.pkg)
				p := append(slices.Clip(path), c.frame)
				boxes = append(boxes, flame{
					X: x, Width: width, Y: len(path) * flameRow, Label: short(c.frame.fn),
					Title: fmt.Sprintf("%s: %s of the bytes that would move", c.frame.fn, percent(width/100)),
					Hue:   h.Sum32() % 360, Scope: ends[p.key()],
				})
				depth = max(depth, len(p))
				draw(c, p, x)
			}
			x += width
		}
	}
	draw(root, nil, 0)
	return boxes, depth
}

// key returns what tells a path from others.
func (st stack) key() string {
	var b strings.Builder
	for _, f := range st {
		b.WriteString(f.fn)
		b.WriteByte('\n')
	}
	return b.String()
}
