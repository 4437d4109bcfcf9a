// Package trees makes values while it holds one of a sync.Pool, and finds them by that.
package trees

import "sync"

type node interface{ kind() int }

type selector struct {
	name     string
	matchers []*matcher
}

func (*selector) kind() int { return 1 }

type matcher struct{ name, value string }

// A parser reads one text. It keeps the stack, and nothing else.
type parser struct {
	text  string
	errs  []error
	stack stack

	resultOfTheWholeParser any
}

type stack struct {
	now   symbol
	below [8]symbol
}

type symbol struct {
	node     node
	matchers []*matcher
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

func newParser(text string) *parser {
	p := parsers.Get().(*parser)
	p.text, p.resultOfTheWholeParser, p.errs = text, nil, nil
	return p
}

func (p *parser) close() { defer parsers.Put(p) }

func (st *stack) parse(p *parser) {
	all := st.below[:]
	at := 0
	for n := range p.text {
		top := all[at : at+1]
		switch p.text[n] {
		case '{':
			st.now.node = &selector{matchers: []*matcher{}}
		case '}':
			st.now.node = &selector{matchers: top[0].matchers}
		case 'n':
			p.name(top[0].node, p.text)
		case ',':
			st.now.matchers = append(top[0].matchers, &matcher{name: p.text})
		default:
			p.resultOfTheWholeParser = top[0].node
		}
		all[at] = st.now
	}
}

func (p *parser) name(n node, name string) {
	s := n.(*selector)
	s.matchers = append(s.matchers, &matcher{name: name})
}

func (p *parser) run() any {
	p.stack.parse(p)
	return p.resultOfTheWholeParser
}

// scan is a parser that nobody knows here.
var scan func(*parser)

func (p *parser) scan() any {
	scan(p)
	return p.resultOfTheWholeParser
}

func scanned(text string) (m []*matcher) {
	p := newParser(text)
	defer p.close()
	if r := p.scan(); r != nil {
		m = r.(*selector).matchers
	}
	return m
}

func (s *selector) cut() { s.matchers = s.matchers[:0] }

func matchersOf(text string) (m []*matcher, err error) {
	p := newParser(text)
	defer p.close()
	if r := p.run(); r != nil {
		m = r.(*selector).matchers
	}
	if len(p.errs) > 0 {
		err = p.errs[0]
	}
	return m, err
}
