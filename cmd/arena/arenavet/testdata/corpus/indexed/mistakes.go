// Package indexed has structs with several arenas, one of which is chosen by a number.
package indexed

import (
	"strings"
	"sync/atomic"

	"github.com/arena-go/arena"
)

type rules struct{ hosts []string }

// A double has two versions: one is built while others read the other one.
type double struct {
	arenas [2]*arena.Arena
	cur    int
	rules  atomic.Pointer[rules]
}

func (d *double) build(text string) {
	r := arena.New[rules](d.arenas[d.cur])
	r.hosts = strings.Split(arena.String(d.arenas[d.cur], text), ",")
	d.rules.Store(r) // want `outlives: `
	d.arenas[d.cur].Reset()
	d.cur = 1 - d.cur
}

func (d *double) has(host string) bool {
	for _, h := range d.rules.Load().hosts {
		if h == host {
			return true
		}
	}
	return false
}

func newDouble() *double {
	d := &double{arenas: [2]*arena.Arena{arena.NewArena(), arena.NewArena()}}
	d.rules.Store(new(rules))
	return d
}

func (d *double) first(text string) string {
	n := (d.cur + 1) % len(d.arenas)
	all := strings.Split(arena.String(d.arenas[n], text), ",")
	d.arenas[(d.cur+1)%len(d.arenas)].Reset()
	return all[0] // want `outlives: `
}
