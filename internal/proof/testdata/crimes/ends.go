package main

import "github.com/arena-go/arena"

// scene keeps the arena, so that nobody takes it for lost.
var scene any

// ends call f with an arena, and end what it made.
var ends = map[string]func(f func(a *arena.Arena)){
	"Reset":       endReset,
	"Free":        endFree,
	"Put":         endPut,
	"GuardEvery":  endGuardEvery,
	"Do":          endDo,
	"Group.Reset": endGroupReset,
	"Group.Free":  endGroupFree,
	"Group.Go":    endGroupGo,
	"growth":      endNot,
	"Rewind":      endRewind,
}

func endReset(f func(a *arena.Arena)) {
	a := arena.NewWith(options()) // MADE Reset
	f(a)
	a.Reset() // END Reset
	scene = a
}

func endRewind(f func(a *arena.Arena)) {
	a := arena.NewWith(options()) // MADE Rewind
	scene = arena.New[point](a)
	m := a.Mark()
	f(a)
	a.Rewind(m) // END Rewind
	scene = a
}

func endFree(f func(a *arena.Arena)) {
	a := arena.NewWith(options()) // MADE Free
	f(a)
	a.Free() // END Free
	scene = a
}

func endPut(f func(a *arena.Arena)) {
	p := &arena.Pool{Options: options()}
	a := p.Get() // MADE Put
	f(a)
	p.Put(a) // END Put
	scene = a
}

func endGuardEvery(f func(a *arena.Arena)) {
	p := &arena.Pool{Options: arena.Options{Name: name}, GuardEvery: 1}
	a := p.Get() // MADE GuardEvery
	f(a)
	p.Put(a) // END GuardEvery
	scene = a
}

func endDo(f func(a *arena.Arena)) {
	p := &arena.Pool{Options: options()}
	p.Do(f) // END Do; MADE Do
	scene = p
}

func endGroupReset(f func(a *arena.Arena)) {
	g := &arena.Group{Options: options()}
	f(g.Arena()) // MADE Group.Reset
	g.Reset()    // END Group.Reset
	scene = g
}

func endGroupFree(f func(a *arena.Arena)) {
	g := &arena.Group{Options: options()}
	f(g.Arena()) // MADE Group.Free
	g.Free()     // END Group.Free
	scene = g
}

// endGroupGo fills several arenas, large ones, which are emptied by goroutines of their own.
func endGroupGo(f func(a *arena.Arena)) {
	g := &arena.Group{Options: options()}
	for i := range 3 {
		g.Go(func(a *arena.Arena) { // MADE Group.Go
			arena.MakeSlice[*point](a, 100_000, 100_000)
			if i == 1 {
				f(a)
			}
		})
	}
	g.Wait()
	g.Reset() // END Group.Go
	scene = g
}

// endNot does not end its arena, since what f uses has ended by itself.
func endNot(f func(a *arena.Arena)) {
	a := arena.NewWith(options()) // MADE growth
	f(a)
	scene = a
}
