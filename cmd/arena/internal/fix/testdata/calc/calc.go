// Package calc computes sums.
package calc

import (
	"errors"
	"strconv"

	"example.com/calc/lex"
	"example.com/calc/tree"
)

// An Error says what is wrong.
type Error struct{ What string }

func (e *Error) Error() string { return e.What }

// A parser reads an expression.
type parser struct {
	lexer  *lex.Lexer
	token  *lex.Token
	names  []*string
	counts map[string]int
}

// Parse reads an expression, which consists of numbers, + and parentheses, and returns it with a description.
func Parse(src string, _ ...int) (tree.Node, string, error) {
	p := &parser{lexer: lex.New([]byte(src)), counts: map[string]int{"parse": 1}}
	p.next()
	n, err := p.sum()
	if err != nil {
		return nil, "", err
	}
	if p.token != nil {
		return nil, "", errors.New("there is more: " + p.token.Text)
	}
	return n, p.lexer.Describe() + " " + p.last(), nil
}

func (p *parser) next() { p.token = p.lexer.Next() }

func (p *parser) last() string {
	if len(p.names) == 0 {
		return "none"
	}
	return *p.names[len(p.names)-1]
}

func (p *parser) sum() (tree.Node, error) {
	first, err := p.term()
	if err != nil {
		return nil, err
	}
	s := &tree.Sum{Terms: tree.Pair(first, zero())}
	for p.token != nil && p.token.Text == "+" {
		p.next()
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		s.Terms = append(s.Terms, n)
	}
	if len(s.Terms) > 3 { // in another sum, which has the name of the first
		s := &tree.Sum{Terms: tree.Pair(s, zero())}
		name := "long"
		if len(p.names) > 0 {
			name := name + *p.names[0]
			p.names[0] = &name
		}
		return s, nil
	}
	return s, nil
}

func zero() tree.Node {
	return new(tree.Number)
}

func (p *parser) term() (tree.Node, error) {
	if p.token == nil {
		return nil, &Error{"something is missing after " + strconv.Itoa(len(p.lexer.All())) + " tokens"}
	}
	if p.token.Text == "(" {
		p.next()
		n, err := p.sum()
		if err != nil {
			return nil, err
		}
		if p.token == nil || p.token.Text != ")" {
			return nil, &Error{"no parenthesis"}
		}
		p.next()
		return n, nil
	}
	v, err := strconv.Atoi(p.token.Text)
	if err != nil {
		text := "no number: " + p.token.Text
		what := text[:len(text)]
		return nil, &Error{what}
	}
	p.names = tree.Keep(p.names, p.token.Text)
	number := tree.Number(v)
	done := make(chan *tree.Number, 1)
	go func() { n := number; done <- &n }()
	p.next()
	return <-done, nil
}
