package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A progress is a line on a terminal that changes. On anything else it is
// silent.
type progress struct {
	w     io.Writer // nil: silent
	shown int       // the length of the line
}

func newProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return &progress{w: f}
		}
	}
	return &progress{}
}

// show replaces the line.
func (p *progress) show(format string, args ...any) {
	if p.w == nil {
		return
	}
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(p.w, "\r%-*s", p.shown, line)
	p.shown = len(line)
}

// clear removes the line.
func (p *progress) clear() {
	if p.w != nil && p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}
