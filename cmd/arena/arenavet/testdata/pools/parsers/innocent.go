// Package parsers has parsers in a sync.Pool, with trees in their fields that are nobody else's.
package parsers

import (
	"errors"
	"strings"
	"sync"
)

type grammar interface{ Run(p *parser) int }

type Expr interface{ String() string }

type parser struct {
	g    grammar
	expr Expr
	errs []error
	*strings.Reader
}

var parsers = sync.Pool{New: func() any { return &parser{Reader: strings.NewReader("")} }}

func (p *parser) parse() (Expr, error) {
	p.errs = p.errs[:0]
	if e := p.g.Run(p); e != 0 || len(p.errs) > 0 {
		return nil, p.errs[0]
	}
	return p.expr, nil
}

func parseText(in string) (x Expr, err error) {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	p.Reset(in)
	return p.parse()
}

type Query struct{ Root Expr }

func (q *Query) Set(in string) error {
	x, err := parseText(in)
	if err != nil {
		return err
	}
	q.Root = x
	return nil
}

type variants struct{ all []Expr }

func (v *variants) add(x Expr) { v.all = append(v.all, x) }

func decodeVariants(next func() string) (*variants, error) {
	var v variants
	for in := next(); in != ""; in = next() {
		switch in[0] {
		case 'v':
			for part := next(); part != ""; part = next() {
				x, err := parseText(part)
				if err != nil {
					return nil, err
				}
				v.add(x)
			}
		default:
			return nil, errors.New("no variant")
		}
	}
	return &v, nil
}

// A parser has what it parses in a field, and something that is not known fills it.
type rule interface{ name() string }

type named interface {
	rule
	aliases() []rule
}

type ruleParser struct {
	*strings.Reader
	fill func(*ruleParser) int
	rule rule
}

var ruleParsers = sync.Pool{New: func() any { return &ruleParser{Reader: strings.NewReader("")} }}

func (p *ruleParser) parse() (rule, error) {
	if p.fill(p) != 0 {
		return nil, errors.New("no rule")
	}
	return p.rule, nil
}

func parseRule(text string) rule {
	p := ruleParsers.Get().(*ruleParser)
	defer ruleParsers.Put(p)
	p.Reset(text)
	r, err := p.parse()
	if err != nil {
		panic(err)
	}
	return r
}

type plan struct{ rule rule }

type request struct {
	text string
	plan *plan
}

func planned(all []struct{ *request }) {
	for _, p := range all {
		r, ok := parseRule(p.text).(named)
		if ok {
			if p.plan == nil {
				p.plan = &plan{r}
			}
			continue
		}
		for _, p := range all {
			if p.plan == nil {
				p.plan = &plan{parseRule(p.text)}
			}
		}
	}
}
