package cursors

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

// What Row returns is of the last Next.
func total(l *lines) (n int) {
	for l.Next() {
		n += len(l.Row().name)
		if l.Row().city == "x" {
			n++
		}
	}
	return n
}

func skipHeader(l *lines) (n int) {
	if !l.Next() {
		return 0
	}
	for l.Row(); l.Next(); l.Row() {
		if l.Row().name == "x" {
			n++
		}
	}
	return n
}

func cloned(l *lines) string {
	if !l.Next() {
		return ""
	}
	first := strings.Clone(l.Row().name)
	if !l.Next() {
		return first
	}
	return first + l.Row().name
}

// Without another row nothing has ended.
func onlyOne(l *lines) string {
	if !l.Next() {
		return ""
	}
	r := l.Row()
	if l.Next() {
		return ""
	}
	return strings.ToUpper(r.name)
}

func (l *lines) advance() {
	l.a.Reset()
	l.row = arena.Ptr(l.a, record{name: l.in.Text()})
}

func rowsAfter(l *lines) int {
	n := len(l.Row().name)
	for range n {
		l.advance()
		if l.Row().name == "x" {
			return 1
		}
	}
	l.advance()
	return len(l.Row().name)
}

func (d *decoder) last() (string, error) {
	var x record
	for {
		if err := d.Decode(&x); err != nil {
			return "", err
		}
		if x.name == "end" {
			return strings.Clone(x.city), nil
		}
	}
}

func runs(l *lines) (n int) {
	var last string
	for l.Next() {
		if last != "" && last == l.Row().name {
			n++
		}
		last = strings.Clone(l.Row().name)
	}
	return n
}

// The page is used before the next one.
func pages(p *pager) {
	var prev []string
	for range 3 {
		p.advance()
		if prev != nil {
			fmt.Println(len(prev))
		}
		prev = nil
		for _, s := range p.page().items {
			prev = append(prev, strings.Clone(s))
		}
	}
}
