package advise

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// escapeLine is a line of what go build -gcflags=-m prints.
var escapeLine = regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (.* escapes to heap|moved to heap: .*)$`)

// Escapes adds to the sites of a what the compiler says about their lines: which expressions go to the heap, and in which column. It builds the packages
// that patterns name, in the current directory.
func (a *Advice) Escapes(ctx context.Context, patterns []string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", os.DevNull, "-gcflags=-m"}, patterns...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("arena advise: %s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(out))
	}
	type line struct {
		file string
		n    int64
	}
	says := map[line][]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		m := escapeLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		n, _ := strconv.ParseInt(m[2], 10, 64)
		k := line{filepath.Base(m[1]), n}
		says[k] = append(says[k], m[1]+"\x00"+m[3]+": "+m[4])
	}
	for _, s := range a.Scopes {
		for _, site := range s.Sites {
			for _, text := range says[line{filepath.Base(site.File), site.Line}] {
				file, text, _ := strings.Cut(text, "\x00")
				if strings.HasSuffix(filepath.ToSlash(site.File), "/"+strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "../")) || site.File == file {
					site.Escapes = append(site.Escapes, text)
				}
			}
		}
	}
	return nil
}
