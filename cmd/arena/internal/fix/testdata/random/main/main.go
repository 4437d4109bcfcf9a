// Command main runs each function, and then once more with other words. It prints what the first run has left.
package main

import (
	"fmt"

	"example.com/random"
)

func run(f func(string, *random.Box) (string, any), text string, to *random.Box) (s string, v any) {
	defer func() {
		if x := recover(); x != nil {
			s, v = "panic", fmt.Sprintf("%T", x)
		}
	}()
	return f(text, to)
}

func main() {
	for _, f := range random.Functions {
		kept, to := &random.Box{}, &random.Box{}
		random.G = kept
		s, v := run(f.F, "aa b ccc ddd ee fffff g", to)
		random.G = &random.Box{}
		for range 2 {
			run(f.F, "zzzz yyy xx w vv uuu tttttttt ss r", &random.Box{})
		}
		fmt.Println(f.Name, random.Show(5, s, v, kept, to))
	}
}
