// Package sections has mistakes with what a function returns that makes what a map does not have
// yet.
package sections

import (
	"strings"

	"github.com/arena-go/arena"
)

// A file has sections, keys and values.
type file map[string]map[string]string

func (f file) section(name string) map[string]string {
	s := f[name]
	if s == nil {
		s = make(map[string]string)
		f[strings.Clone(name)] = s
	}
	return s
}

func parse(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	cur := f.section("")
	for line := range strings.SplitSeq(arena.String(a, data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			cur = f.section(strings.Trim(line, "[]"))
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		cur[strings.Clone(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return f // want `outlives: the result of arena.String`
}

func straight(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	cur := f.section("x")
	cur["k"] = arena.String(a, data)
	return f // want `outlives: the result of arena.String`
}

func indexed(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	f.section("")
	for line := range strings.SplitSeq(arena.String(a, data), "\n") {
		f.section("x")["k"] = line
	}
	return f // want `outlives: the result of arena.String`
}

type entry struct{ names []string }

type registry struct{ entries map[string]*entry }

// An early return for what is there.
func (r *registry) entry(key string) *entry {
	if e, ok := r.entries[key]; ok {
		return e
	}
	e := &entry{}
	r.entries[key] = e
	return e
}

func (r *registry) add(a *arena.Arena, key string, name []byte) {
	e := r.entry(key) // want `outlives: the result of arena.String .*; it ends by Reset`
	e.names = append(e.names, arena.String(a, name))
	a.Reset()
}

// What a field does not have yet.
type lazy struct{ e *entry }

func (l *lazy) entry() *entry {
	e := l.e
	if e == nil {
		e = new(entry)
		l.e = e
	}
	return e
}

func (l *lazy) add(a *arena.Arena, name []byte) {
	e := l.entry()
	e.names = append(e.names, arena.String(a, name)) // want `outlives: the result of arena.String .*; it ends by Reset`
	a.Reset()
}
