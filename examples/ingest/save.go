package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// save writes each window of each application as a profile into a directory, whose comment is the
// name of the application, and removes the profiles of windows that are no more. It changes a file
// only when the new one is complete.
func (s *service) save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*"+savedSuffix))
	if err != nil {
		return err
	}
	written := map[string]bool{}
	for _, app := range s.store.selected(nil) {
		key := app.name.String()
		err := app.read(func(w *window) error {
			file := filepath.Join(dir, fmt.Sprintf("%020d-%x%s", w.number*int64(s.store.window), sha256.Sum256([]byte(key)), savedSuffix))
			written[file] = true
			return s.saveWindow(file, key, w)
		})
		if err != nil {
			return err
		}
	}
	for _, file := range old {
		if !written[file] {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}

const savedSuffix = ".window.pb.gz"

func (s *service) saveWindow(file, key string, w *window) error {
	a := s.store.scratch()
	defer a.Free() //arena:trust the profile is encoded, compressed and written to a file on the heap
	var b bytes.Buffer
	start := time.Unix(0, w.number*int64(s.store.window))
	if err := writeProfile(&b, w.tree.exported(a, key, start, s.store.window)); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", b.Bytes(), 0o666); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// load takes the profiles that save has written into a directory. There may be none.
func (s *service) load(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*"+savedSuffix))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := s.loadWindow(file); err != nil {
			return fmt.Errorf("%s: %w; remove it to start without it", file, err)
		}
	}
	return nil
}

func (s *service) loadWindow(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var u upload
	if data, err = u.inflateAny(data, math.MaxInt64-1); err != nil {
		return err
	}
	a := s.store.scratch()
	defer a.Free() //arena:trust trees copy what they take of a profile, and the name is a copy
	p, err := decode(a, data)
	if err != nil {
		return err
	}
	if len(p.Comment) != 1 || p.Comment[0] < 0 || p.Comment[0] >= int64(len(p.StringTable)) {
		return errors.New("it has no comment, which is to be the name of the application")
	}
	n, err := parseName(strings.Clone(p.StringTable[p.Comment[0]]))
	if err != nil {
		return err
	}
	stacks, err := newStacks(a, p, math.MaxInt)
	if err != nil {
		return err
	}
	err = s.store.add(a, n, time.Unix(0, p.TimeNanos), stacks)
	if old := (*oldError)(nil); errors.As(err, &old) {
		return nil // fewer windows are kept than when it was saved
	}
	return err
}
