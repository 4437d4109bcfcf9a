package report

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

//go:embed images_test.js
var examineImage string

// What images_test.js has seen.
type image struct {
	Marks, Texts int
	Width        float64
	Problems     []string
}

// TestImages looks at the pictures of the documents in a browser: those for light and for dark
// pages, and those that are for both.
func TestImages(t *testing.T) {
	b := newBrowser(t)
	files, err := filepath.Glob("../../../docs/images/*.svg")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no images: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []string{"light", "dark"} {
			t.Run(filepath.Base(file)+"/scheme="+scheme, func(t *testing.T) {
				b.T = t
				b.write(filepath.Base(file), text)
				b.prefer(scheme)
				b.do(chromedp.EmulateViewport(1000, 1000), chromedp.Navigate(b.page))
				seen := value[image](b, inBlock(examineImage))
				for _, p := range seen.Problems {
					b.Error(p)
				}
				if seen.Width > 800 || seen.Marks < 5 || seen.Texts < 5 {
					b.Errorf("it is %g pixels wide, with %d marks and %d texts", seen.Width, seen.Marks, seen.Texts)
				}
			})
		}
	}
}
