package arenabufio_test

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenabufio"
)

func ExampleReadString() {
	a := arena.NewArena()
	r := arenabufio.NewReader(a, strings.NewReader("one\ntwo\n"))
	line, err := arenabufio.ReadString(a, r, '\n')
	fmt.Printf("%q %v\n", line, err)
	// Output: "one\n" <nil>
}

func ExampleReadBytes() {
	a := arena.NewArena()
	r := arenabufio.NewReader(a, strings.NewReader("a,b"))
	field, err := arenabufio.ReadBytes(a, r, ',')
	fmt.Printf("%q %v\n", field, err)
	// Output: "a," <nil>
}

func ExampleText() {
	a := arena.NewArena()
	s := arenabufio.NewScanner(a, strings.NewReader("one\ntwo\n"))
	var lines []string
	for s.Scan() {
		lines = arena.Append(a, lines, arenabufio.Text(a, s))
	}
	fmt.Println(lines)
	// Output: [one two]
}
