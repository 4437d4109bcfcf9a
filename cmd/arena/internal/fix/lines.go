package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// With -overlay nobody sees the changed files, so stack traces, debuggers and the compiler are to
// name the lines of the original ones. While a file is edited, each line has a comment in front
// that says which one it was. These comments are formatted with the source, and line directives
// replace them at the end, where the compiler would count otherwise. What an edit has inserted has
// the line of the place.

// lineMark begins such a comment. The parser and gofmt take it for any other. A line directive
// would change how they count.
const lineMark = "//arena:line "

// A start is the beginning of a line whose first token begins on it.
type start struct {
	at, line int
	named    token.Position // what line directives call it: its file and its line without them
	directed bool           // there is one between the line before and this one
}

// startsOf returns the starts of a source, of the file with that name.
func startsOf(src []byte, name string) []start {
	var s scanner.Scanner
	var all []start
	file := token.NewFileSet().AddFile(name, -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	directed := false
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return all
		}
		if tok == token.COMMENT {
			directed = directed || strings.HasPrefix(text, "//line ") || strings.HasPrefix(text, "/*line ")
			continue
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		line := file.PositionFor(pos, false).Line
		at := file.Offset(file.LineStart(line))
		if len(bytes.TrimSpace(src[at:file.Offset(pos)])) == 0 && (len(all) == 0 || all[len(all)-1].line != line) {
			all = append(all, start{at, line, file.Position(pos), directed})
			directed = false
		}
	}
}

// markLines has the lines behind the imports marked. The comments of an import of C are a program
// of their own.
func (f *file) markLines() {
	end := f.offset(f.syntax.Name.End())
	for _, d := range f.syntax.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			end = f.offset(d.End())
		}
	}
	if slices.ContainsFunc(f.syntax.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }) {
		return
	}
	f.starts = slices.DeleteFunc(startsOf(f.src, f.name), func(s start) bool { return s.at <= end })
}

// begins returns the index of the first start at an offset or behind it, and whether there is one
// at it.
func (f *file) begins(at int) (int, bool) {
	return slices.BinarySearchFunc(f.starts, at, func(s start, at int) int { return s.at - at })
}

// mark returns the mark of the line that has an offset, or "" if there is none.
func (f *file) mark(at int) string {
	i, ok := f.begins(at)
	if !ok {
		i--
	}
	if i < 0 {
		return ""
	}
	s := f.starts[i]
	return fmt.Sprintf("%s%s:%d\n", lineMark, s.named.Filename, s.named.Line+bytes.Count(f.src[s.at:at], []byte("\n")))
}

// marked returns the source between two offsets with the marks of the lines that begin behind the
// first one.
func (f *file) marked(from, to int) string {
	var out strings.Builder
	for i, _ := f.begins(from + 1); i < len(f.starts) && f.starts[i].at < to; i++ {
		at := f.starts[i].at
		out.Write(f.src[from:at])
		out.WriteString(f.mark(at))
		from = at
	}
	out.Write(f.src[from:to])
	return out.String()
}

// resumed returns the mark of the line of an offset, where what follows on it begins a line now,
// because text has been inserted there.
func (f *file) resumed(at int, inserted string) string {
	rest, _, _ := bytes.Cut(f.src[at:], []byte("\n"))
	if !strings.HasSuffix(inserted, "\n") || len(bytes.TrimSpace(rest)) == 0 {
		return ""
	}
	return f.mark(at)
}

// directLines replaces the marks of a source by line directives, where the compiler would count
// otherwise. The directives name the file: cmd/go with -trimpath names the file in its place, if
// that lies in the directory of the package. Directives that the source has stay, and the next line
// has one of ours.
func directLines(src []byte) []byte {
	var plain bytes.Buffer
	type named struct {
		file string
		line int
	}
	marks := map[int]named{} // the lines that were marked, by lines of plain
	n := 1
	for line := range bytes.Lines(src) {
		if text, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(lineMark)); ok {
			colon := bytes.LastIndexByte(text, ':')
			if was, err := strconv.Atoi(string(text[colon+1:])); err == nil && colon > 0 {
				marks[n] = named{string(text[:colon]), was}
				continue
			}
		}
		plain.Write(line)
		n++
	}
	var out bytes.Buffer
	from, last := 0, 0
	var was, is named // of a line, and of its number 0 as the compiler counts
	for _, s := range startsOf(plain.Bytes(), "") {
		for ; last < s.line; last++ {
			was = cmp.Or(marks[last+1], was)
		}
		if was.line == 0 || from > 0 && !s.directed && is == (named{was.file, was.line - s.line}) {
			continue
		}
		out.Write(plain.Bytes()[from:s.at])
		fmt.Fprintf(&out, "//line %s:%d:1\n", was.file, was.line)
		from, is = s.at, named{was.file, was.line - s.line}
	}
	out.Write(plain.Bytes()[from:])
	return out.Bytes()
}
