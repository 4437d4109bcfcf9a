package sections

import (
	"strings"

	"github.com/arena-go/arena"
)

func cloned(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	cur := f.section("")
	for line := range strings.SplitSeq(arena.String(a, data), "\n") {
		if line == "[x]" {
			cur = f.section(line)
			continue
		}
		cur[strings.Clone(line)] = strings.Clone(line)
	}
	return f
}

// Only the sections that the function looks at have text of the arena, and they go.
func counted(p *arena.Pool, data []byte) int {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	f.section("x")["k"] = arena.String(a, data)
	return len(f)
}

// What is returned was made for the caller if nothing was there.
func (f file) orEmpty(name string) map[string]string {
	s := f[name]
	if s == nil {
		s = make(map[string]string)
	}
	return s
}

func apart(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	f.orEmpty("x")["k"] = arena.String(a, data)
	return f
}

// It is stored elsewhere.
func (f file) elsewhere(all file, name string) map[string]string {
	s := f[name]
	if s == nil {
		s = make(map[string]string)
		all[name] = s
	}
	return s
}

func other(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f, all := make(file), make(file)
	f.elsewhere(all, "x")["k"] = arena.String(a, data)
	return f
}

func (r *registry) addCopy(a *arena.Arena, key string, name []byte) {
	e := r.entry(key)
	e.names = append(e.names, strings.Clone(arena.String(a, name)))
	a.Reset()
}

func (r *registry) addLast(a *arena.Arena, key string, name []byte) {
	e := r.entry(key)
	e.names = append(e.names[:0], arena.String(a, name))
	println(e.names[0])
	e.names = nil
	a.Reset()
}

// The caller gets what was there before.
func (l *lazy) swap(e *entry) *entry {
	was := l.e
	l.e = e
	return was
}

func (l *lazy) renew() *entry {
	was := l.e
	l.e = &entry{}
	return was
}

func (l *lazy) swapped(a *arena.Arena, name []byte) int {
	e := l.swap(&entry{[]string{"heap"}})
	own := &lazy{}
	own.swap(&entry{[]string{arena.String(a, name)}})
	own.renew()
	was := own.renew()
	was.names = append(was.names, arena.String(a, name))
	n := len(e.names) + len(was.names)
	a.Reset()
	return n + len(own.e.names)
}

func (f file) swap(name string, m map[string]string) map[string]string {
	was := f[name]
	f[name] = m
	return was
}

func swappedSection(p *arena.Pool, data []byte) file {
	a := p.Get()
	defer p.Put(a)
	f := make(file)
	was := f.swap("x", map[string]string{})
	if was == nil {
		was = map[string]string{}
	}
	was["k"] = arena.String(a, data)
	return f
}

func (l *lazy) local(a *arena.Arena, name []byte) int {
	e := l.entry()
	names := append([]string(nil), arena.String(a, name))
	n := len(e.names) + len(names)
	a.Reset()
	return n
}
