package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena"
)

// A service merges the profiles that come in during a window of time. It has
// one tree for each kind of profile, that is, for each list of sample types.
type service struct {
	c        config
	inflater inflater
	profile  *arena.Arena // holds one profile at a time
	window   *arena.Arena // holds the trees
	trees    []*Tree
}

func newService(c config, way string) *service {
	s := &service{c: c}
	if way == inArena {
		s.profile, s.window = arena.NewArena(), arena.NewArena()
	}
	return s
}

// close ends the use of the service.
func (s *service) close() {
	s.profile.Free() //arena:trust the trees have copies of all that they take from a profile
	s.window.Free()  //arena:trust html/template has written the pages, and keeps nothing of the trees
}

// newWindow drops the trees.
func (s *service) newWindow() {
	s.trees = nil
	s.window.Reset() //arena:trust only s.trees referred to it
}

// ingest merges one profile.
func (s *service) ingest(in input) (err error) {
	defer s.profile.Reset() //arena:trust Tree.Add copies what it keeps; the two arenas are fields of one type
	data := in.data
	if s.c.gzip {
		if data, err = s.inflater.inflate(s.profile, in, s.c.maxSize); err != nil {
			return err
		}
	}
	p, err := Decode(s.profile, data)
	if err == nil && len(p.SampleType) > 0 {
		err = s.tree(p).Add(p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	return nil
}

// tree returns the tree for profiles of p's kind.
func (s *service) tree(p *Profile) *Tree {
	for _, t := range s.trees {
		if slices.Equal(t.Type, p.SampleType) {
			return t
		}
	}
	t := NewTree(s.window, p)
	s.trees = append(s.trees, t)
	return t
}

// views returns what to report: every tree that has the chosen sample type.
func (s *service) views() ([]view, error) {
	var views []view
	var types []string
	for _, t := range s.trees {
		index := t.Default
		if name := s.c.sampleIndex; name != "" {
			number, err := strconv.Atoi(name)
			index = slices.IndexFunc(t.Type, func(v ValueType) bool { return v.Type == name })
			if err == nil && number < len(t.Type) {
				index = number
			}
		}
		if index >= 0 {
			views = append(views, view{t, index})
		}
		for _, v := range t.Type {
			types = append(types, v.Type)
		}
	}
	switch {
	case len(types) == 0:
		return nil, errors.New("the profiles have no samples")
	case len(views) == 0:
		return nil, fmt.Errorf("there is no sample type %s; there are %s", s.c.sampleIndex, strings.Join(types, ", "))
	}
	return views, nil
}

// digest identifies the trees.
func (s *service) digest() string {
	var all []string
	for _, t := range s.trees {
		all = append(all, t.Digest())
	}
	return strings.Join(all, "-")
}

// nodes returns the size of all trees.
func (s *service) nodes() (n int) {
	for _, t := range s.trees {
		n += len(t.Nodes)
	}
	return n
}
