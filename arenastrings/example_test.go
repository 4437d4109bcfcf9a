package arenastrings_test

import (
	"fmt"
	"unicode"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

func ExampleToLower() {
	a := arena.NewArena()
	fmt.Println(arenastrings.ToLower(a, "Content-Type"))
	// Output: content-type
}

func ExampleToUpper() {
	fmt.Println(arenastrings.ToUpper(arena.NewArena(), "grün"))
	// Output: GRÜN
}

func ExampleMap() {
	digits := func(r rune) rune {
		if !unicode.IsDigit(r) {
			return -1
		}
		return r
	}
	fmt.Println(arenastrings.Map(arena.NewArena(), digits, "+49 (30) 123"))
	// Output: 4930123
}

func ExampleRepeat() {
	fmt.Println(arenastrings.Repeat(arena.NewArena(), "ab", 3))
	// Output: ababab
}

func ExampleReplaceAll() {
	fmt.Println(arenastrings.ReplaceAll(arena.NewArena(), "a b c", " ", ", "))
	// Output: a, b, c
}

func ExampleReplace() {
	fmt.Println(arenastrings.Replace(arena.NewArena(), "a b c", " ", "", 1))
	// Output: ab c
}

func ExampleFields() {
	a := arena.NewArena()
	for _, word := range arenastrings.Fields(a, " a rose  is ") {
		fmt.Println(word)
	}
	// Output:
	// a
	// rose
	// is
}

func ExampleFieldsFunc() {
	fmt.Println(arenastrings.FieldsFunc(arena.NewArena(), "a;b,c", unicode.IsPunct))
	// Output: [a b c]
}

func ExampleSplit() {
	fmt.Printf("%q\n", arenastrings.Split(arena.NewArena(), "a,b,,c", ","))
	// Output: ["a" "b" "" "c"]
}

func ExampleSplitN() {
	fmt.Printf("%q\n", arenastrings.SplitN(arena.NewArena(), "key=a=b", "=", 2))
	// Output: ["key" "a=b"]
}

func ExampleSplitAfter() {
	fmt.Printf("%q\n", arenastrings.SplitAfter(arena.NewArena(), "a\nb\n", "\n"))
	// Output: ["a\n" "b\n" ""]
}

func ExampleItoa() {
	a := arena.NewArena()
	fmt.Println(arena.Concat(a, "page ", arenastrings.Itoa(a, 12)))
	// Output: page 12
}

func ExampleFormatInt() {
	fmt.Println(arenastrings.FormatInt(arena.NewArena(), -255, 16))
	// Output: -ff
}

func ExampleFormatUint() {
	fmt.Println(arenastrings.FormatUint(arena.NewArena(), 1<<64-1, 10))
	// Output: 18446744073709551615
}

func ExampleFormatFloat() {
	fmt.Println(arenastrings.FormatFloat(arena.NewArena(), 2.5, 'f', 2, 64))
	// Output: 2.50
}

func ExampleQuote() {
	fmt.Println(arenastrings.Quote(arena.NewArena(), "a\tb"))
	// Output: "a\tb"
}
