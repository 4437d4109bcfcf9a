package measure

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A Progress is a line on a terminal that changes. On anything else it is
// silent. It is used by one goroutine at a time.
type Progress struct {
	w     io.Writer // nil: silent
	shown int       // the length of the line
}

// NewProgress returns a Progress that writes to w if that is a terminal.
func NewProgress(w io.Writer) *Progress {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return &Progress{w: f}
		}
	}
	return &Progress{}
}

// Show replaces the line.
func (p *Progress) Show(format string, args ...any) {
	if p.w == nil {
		return
	}
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(p.w, "\r%-*s", p.shown, line)
	p.shown = len(line)
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.w != nil && p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}
