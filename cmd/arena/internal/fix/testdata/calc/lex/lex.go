// Package lex cuts text into tokens.
package lex

import (
	"fmt"
	"strings"
)

// A Token is a word of an expression.
type Token struct {
	Text string
	Pos  *Pos
}

// A Pos is where a token is.
type Pos struct{ Line, Column int }

// A Lexer has a text.
type Lexer struct {
	src    []byte
	at     int
	pos    Pos
	tokens []Token
}

// Last is the last token that any lexer has made.
var Last *Token

// New returns a lexer of src.
func New(src []byte) *Lexer {
	return &Lexer{src: src, pos: Pos{1, 1}}
}

// Next returns the next token, or nil.
func (l *Lexer) Next() *Token {
	for l.at < len(l.src) && l.src[l.at] == ' ' {
		l.skip()
	}
	if l.at == len(l.src) {
		return nil
	}
	from := l.at
	pos := l.pos
	l.skip()
	for isDigit(l.src[from]) && l.at < len(l.src) && isDigit(l.src[l.at]) {
		l.skip()
	}
	t := Token{Text: string(l.src[from:l.at]), Pos: &pos}
	l.tokens = append(l.tokens, t)
	Last = &Token{Text: t.Text}
	return &t
}

func (l *Lexer) skip() { l.at++; l.pos.Column++ }

// All returns the texts of what was read.
func (l *Lexer) All() []string {
	all := make([]string, len(l.tokens))
	for i, t := range l.tokens {
		all[i] = t.Text
	}
	return all
}

// Describe returns a text.
func (l *Lexer) Describe() string {
	s := "tokens: "
	s += strings.Join(l.All(), ",")
	return s + fmt.Sprintf(" (%d)", len(l.tokens))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
