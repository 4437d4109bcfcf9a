package report

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

var (
	//go:embed browser_test.js
	examine string
	//go:embed colours_test.js
	contrast string
)

// inBlock returns a script that may use what is in colours_test.js, and may be evaluated again.
func inBlock(script string) string { return "{" + contrast + script + "}" }

// A browser is a tab of Chromium, and what went wrong in it.
type browser struct {
	*testing.T
	ctx context.Context

	mu     sync.Mutex
	page   string // Its address.
	errors []string
}

// newBrowser starts it.
func newBrowser(t *testing.T) *browser {
	if testing.Short() {
		t.Skip("what a browser shows is the same in all programs, and a browser takes a minute beside some of them: go test without -short")
	}
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		testrun.Need(t, "a browser (Debian package chromium)")
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	return b
}

// write writes the page that is to be shown next.
func (b *browser) write(name string, page []byte) {
	b.Helper()
	file := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(file, page, 0o644); err != nil {
		b.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page = (&url.URL{Scheme: "file", Path: file}).String()
}

// prefer sets the scheme of colours that pages are shown in.
func (b *browser) prefer(scheme string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		b.Fatal(err)
	}
}

func (b *browser) event(e any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var s string
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		s = "exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		s = fmt.Sprintf("console: %s", e.Type)
	case *log.EventEntryAdded:
		s = "log: " + e.Entry.Text
	case *network.EventLoadingFailed:
		s = "request failed: " + e.ErrorText
	case *network.EventRequestWillBeSent:
		if e.Request.URL == b.page {
			return
		}
		s = "request: " + e.Request.URL
	default:
		return
	}
	b.errors = append(b.errors, s)
}

// do runs actions, and fails if that, or anything in the page, goes wrong.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.errors {
		b.Error(e)
	}
	b.errors = nil
}

// value evaluates an expression in the page.
func value[T any](b *browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// open shows the page in a window of that width, all of it unfolded.
func (b *browser) open(width int64, scheme string, scripts bool) {
	b.Helper()
	b.prefer(scheme)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(b.page))
	value[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
}

// What browser_test.js has seen.
type seen struct {
	Plots, Marks, Texts int
	Problems            []string
}

// TestBrowser looks at the page in a browser, and uses what it has to press, choose and point at.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	b.write("report.html", write(t, generate(1)))
	for _, width := range []int64{400, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("width=%d/scheme=%s", width, scheme), func(t *testing.T) {
				b.T = t
				b.look(width, scheme, true)
			})
		}
		t.Run(fmt.Sprintf("width=%d/scripts=off", width), func(t *testing.T) {
			b.T = t
			b.look(width, "light", false)
		})
	}
	t.Run("controls", func(t *testing.T) {
		b.T = t
		b.controls()
	})
}

// look checks that all can be read, nothing lies over anything else, and all data are there.
func (b *browser) look(width int64, scheme string, scripts bool) {
	page := write(b.T, generate(1))
	all, ofWall := bytes.Count(page, []byte(`<svg class="plot `)), bytes.Count(page, []byte(` wall" role=`))
	b.open(width, scheme, scripts)
	for _, clock := range []string{"cpu", "wall"} {
		b.press(clock)
		r := value[seen](b, inBlock(examine))
		for _, p := range r.Problems {
			b.Error(clock, p)
		}
		// Half of those that there are for both clocks are hidden.
		if r.Plots != all-ofWall || r.Marks < 500 || r.Texts < 1000 {
			b.Errorf("%s: %d plots of %d are shown, with %d marks and %d texts", clock, r.Plots, all, r.Marks, r.Texts)
		}
	}
}

// press chooses one of the times or of the schemes.
func (b *browser) press(id string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS("label:has(#" + id + ")")))
}

func (b *browser) controls() {
	for _, scheme := range []string{"light", "dark"} {
		b.open(1400, scheme, true)
		dark := func() bool {
			return value[bool](b, `parseInt(getComputedStyle(document.body).backgroundColor.slice(4)) < 128`)
		}
		for _, c := range []struct {
			id   string
			dark bool
		}{{"auto", scheme == "dark"}, {"dark", true}, {"light", false}, {"auto", scheme == "dark"}} {
			b.press(c.id)
			if dark() != c.dark {
				b.Errorf("%s scheme, %s chosen: dark is %v", scheme, c.id, dark())
			}
		}
	}
	for _, c := range []string{"wall", "cpu"} {
		b.press(c)
		for _, class := range []string{"wall", "cpu"} {
			n := value[int](b, `[...document.querySelectorAll("svg.`+class+`")].filter(e => e.checkVisibility()).length`)
			if (n > 0) != (class == c) {
				b.Errorf("%s chosen: %d plots of %s are there", c, n, class)
			}
		}
	}

	faint := `[...document.querySelectorAll(".figures [data-i]")].filter(e => getComputedStyle(e).opacity < 1).map(e => e.dataset.i)`
	if n := len(value[[]string](b, faint)); n > 0 {
		b.Errorf("%d are faint, though nobody has been chosen", n)
	}
	for _, i := range implementations[:5] {
		value[bool](b, fmt.Sprintf(`{ const s = document.getElementById("highlight"); s.value = %q; s.dispatchEvent(new Event("change")); true }`, i.name))
		all := value[[]string](b, faint)
		if len(all) == 0 {
			b.Errorf("%s: nobody is faint", i.name)
		}
		for _, name := range all {
			if name == i.name {
				b.Errorf("%s is faint itself", name)
				break
			}
		}
	}
	value[bool](b, `{ const s = document.getElementById("highlight"); s.value = ""; s.dispatchEvent(new Event("change")); true }`)

	for _, selector := range []string{"svg.lines use.mark", "svg.bars rect.mark", "svg.dots use.mark", "svg.histograms path.mark"} {
		at := value[[]float64](b, `{ const e = [...document.querySelectorAll("`+selector+`")].find(e => e.checkVisibility() && e.getBoundingClientRect().width > 3);
			e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getBoundingClientRect(); [r.x + r.width / 2, r.y + r.height / 2 + (e.tagName == "path" ? r.height / 2 - 2 : 0)] }`)
		b.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
		tip := value[string](b, `document.getElementById("tip").checkVisibility() ? document.getElementById("tip").textContent : ""`)
		name, _, ok := strings.Cut(tip, ":")
		name, _, _ = strings.Cut(name, ", n = ")
		if !ok {
			b.Errorf("%s: the tooltip is %q", selector, tip)
		}
		for _, i := range value[[]string](b, faint) {
			if i == name {
				b.Errorf("%s: %s is faint, and pointed at", selector, i)
				break
			}
		}
		b.do(chromedp.MouseEvent("mouseMoved", 1, 1))
		if value[bool](b, `document.getElementById("tip").checkVisibility()`) {
			b.Errorf("%s: the tooltip stays", selector)
		}
	}
}
