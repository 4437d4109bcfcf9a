package heapdump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// noNames says what to add to the command, after the reason for which there are no names.
const noNames = "heapdump: globals and types have no names: %w; add -ldflags='-s=false -w=false' to go test or go run, which leave out " +
	"the symbol table"

// program finds a file with the symbols of this program, and the distance of its addresses from the
// addresses in the file. The second file is the running file, perhaps without symbols.
func program(g *graph, c Config) (named, running *image, slide uint64, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, nil, 0, err
	}
	m, err := openImage(path)
	if err != nil && runtime.GOOS == "linux" {
		m, err = openImage("/proc/self/exe") // also a file that was removed
	}
	if err != nil {
		return nil, nil, 0, err
	}
	named = m
	if len(m.symbols) == 0 {
		if !c.Go {
			err = errors.New("the program has no symbol table")
		} else {
			named, err = rebuilt.image(m, c.Flags)
		}
	}
	if err == nil {
		slide, err = named.fits(g)
	}
	if err != nil {
		m.close()
		return nil, nil, 0, err
	}
	return named, m, slide, nil
}

// rebuilt is this program, built again. It is built once.
var rebuilt again

type again struct {
	mu   sync.Mutex
	done bool
	file *os.File
	err  error
}

// image returns the file with symbols, if it is the same program.
func (a *again) image(running *image, flags []string) (*image, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.done {
		a.file, a.err = build(flags)
		a.done = true
	}
	if a.err != nil {
		return nil, a.err
	}
	m, err := newImage(a.file)
	if err == nil && len(m.symbols) == 0 {
		err = errors.New("the program has no symbol table, even if the go command builds it again")
	}
	if err == nil {
		if err = running.same(m); err != nil {
			err = fmt.Errorf("the program has no symbol table, and the go command builds another program from what is there: %w", err)
		}
	}
	return m, err
}

// fits returns the distance of the program's addresses from the addresses of a file's symbols, or
// an error if functions or segments are not where the symbols say.
func (m *image) fits(g *graph) (uint64, error) {
	at, ok := m.addrOf(asker)
	if !ok {
		return 0, errors.New("the symbol table is of another program")
	}
	slide := uint64(reflect.ValueOf(Find).Pointer()) - at
	known, wrong := 0, 0
	for i := 0; i < len(m.symbols); i += max(1, len(m.symbols)/2048) {
		s := m.symbols[i]
		f := runtime.FuncForPC(uintptr(s.addr + slide))
		if f == nil || uint64(f.Entry()) != s.addr+slide {
			continue
		}
		known++
		if !m.called(i, f.Name()) {
			wrong++
		}
	}
	if known < 16 || wrong > known/8 {
		return 0, errors.New("functions are at other addresses than the symbols")
	}
	for _, s := range g.segments {
		names := []string{"runtime.data", "runtime.edata"}
		if s.tag == tagBSS {
			names = []string{"runtime.bss", "runtime.ebss"}
		}
		first, ok1 := m.addrOf(names[0])
		last, ok2 := m.addrOf(names[1])
		if !ok1 || !ok2 || first+slide != s.addr || last+slide != s.addr+s.size {
			return 0, errors.New("segments are at other addresses than the symbols")
		}
	}
	return slide, nil
}

// called reports whether one of the symbols at the address of the i-th is a function's. An address
// has several names in C, and sections have names, too.
func (m *image) called(i int, function string) bool {
	for at := m.symbols[i].addr; i > 0 && m.symbols[i-1].addr == at; {
		i--
	}
	for at := m.symbols[i].addr; i < len(m.symbols) && m.symbols[i].addr == at; i++ {
		if plain(m.symbols[i].name) == plain(function) {
			return true
		}
	}
	return false
}

// plain returns the name of a function without type arguments, and without what marks assembler.
func plain(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return strings.TrimSuffix(name, ".abi0")
}

// buildTime bounds how long the go command may take.
const buildTime = 5 * time.Minute

// build builds this program once more, with a symbol table. Flags are those that the program does
// not record. The file has no name where the system lets an open file be removed.
func build(flags []string) (*os.File, error) {
	dir, err := os.MkdirTemp("", "heapdump-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "program.exe")
	if err := runGo(to, flags); err != nil {
		return nil, fmt.Errorf("the program has no symbol table: %w", err)
	}
	return os.Open(to)
}

// runGo has the go command build this program.
func runGo(to string, flags []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("it does not say how it was built")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("the go command could build it with one, but: %w", err)
	}
	args := []string{"build", "-o", to}
	target := info.Path
	if testing.Testing() {
		args = []string{"test", "-c", "-vet=off", "-o", to}
		target = strings.TrimSuffix(target, ".test") // which the path of a test of package main has not
	} else {
		args = append(args, "-buildvcs=false")
	}
	if target == "command-line-arguments" {
		return errors.New("a program of listed files cannot be built again; name its package")
	}
	env := append(os.Environ(), "GOTOOLCHAIN="+strings.Fields(info.GoVersion)[0])
	for _, s := range info.Settings {
		switch {
		case s.Key == "-compiler" || s.Key == "-buildvcs" || strings.HasPrefix(s.Key, "vcs"):
			if s.Key == "vcs" && args[0] == "build" {
				args[len(args)-1] = "-buildvcs=true"
			}
		case s.Key == "-ldflags":
			args = append(args, "-ldflags="+withSymbols(s.Value))
		case strings.HasPrefix(s.Key, "-"):
			args = append(args, s.Key+"="+s.Value)
		case strings.HasPrefix(s.Key, "CGO_"), strings.HasPrefix(s.Key, "GO"):
			env = append(env, s.Key+"="+s.Value)
		}
	}
	args = append(append(args, flags...), target)
	ctx, cancel := context.WithTimeout(context.Background(), buildTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// withSymbols replaces the flags that leave symbols out by blanks, so that the record of the flags
// keeps its length.
func withSymbols(ldflags string) string {
	b := []byte(ldflags)
	for _, flag := range []string{"-s", "-w"} {
		for at := 0; ; {
			i := strings.Index(string(b[at:]), flag)
			if i < 0 {
				break
			}
			i += at
			at = i + len(flag)
			if (i == 0 || b[i-1] == ' ') && (at == len(b) || b[at] == ' ') {
				copy(b[i:], "  ")
			}
		}
	}
	return string(b)
}
