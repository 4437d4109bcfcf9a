package stale

import (
	"fmt"

	"github.com/arena-go/arena"
)

func silenced(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	a.Reset()
	fmt.Println(s) //arena:keep the test wants it
}

func silencedAbove(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	a.Reset()
	//arena:keep the test wants it
	fmt.Println(s)
}

func needless(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	fmt.Println(s) //arena:keep for nothing // want `keep: this comment silences nothing`
}
