package objects

import (
	"fmt"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

const (
	frameTime      = time.Second / 120
	frameParticles = 2000
	levelFrames    = 60
)

// frames is the workload of a game.
func frames() suite.Workload {
	return suite.Workload{
		Name: "game", Title: "A game of 120 frames a second", Unit: "objects",
		About: fmt.Sprintf("A level has n objects, half of them with text. In each frame a twentieth of them moves, and %d particles are made that end with the frame. "+
			"Every %d frames the next level is loaded, in one frame, and the former one dropped. A frame counts from when it is due; CPU is for one frame.", frameParticles, levelFrames),
		Sizes: []int{200_000}, Quick: []int{20_000}, Rounds: 3,
		Values: []suite.Value{{Name: "p50", Unit: "s"}, {Name: "p99", Unit: "s"}, {Name: "longest frame", Unit: "s"}, {Name: "late frames", Unit: "%"}},
		Implementations: implementations("game", func(s *space) bool { return s.small != nil && s.people != nil }, func(o *origin, i *suite.Implementation) {
			i.Measure = func(n int, d time.Duration) suite.Result { return play(o.open(), o.open(), n, 15*d) }
		}),
	}
}

// play plays for so long. Level is the space of what ends with a level, and frame of what ends with
// a frame.
func play(level, frame *space, n int, d time.Duration) suite.Result {
	m := suite.NewMeter()
	var actors []*person
	var tiles []*small
	load := func() {
		actors, tiles = nil, nil
		level.end()
		actors, tiles = level.people(n/2), level.small(n/2)
		for i, a := range actors {
			a.Name, a.Address, a.Age = "an actor", "somewhere in the level", i
		}
	}
	load()
	all := paced(m, frameTime, d, func(i int) {
		if i%levelFrames == levelFrames-1 {
			load()
		}
		for j := i % 20; j < len(actors); j += 20 {
			actors[j].number++
			tiles[j].a += actors[j].Age
		}
		for j, p := range frame.small(frameParticles) {
			p.a, p.b = j, tiles[j%len(tiles)].a
		}
		frame.end()
	})
	late := 0
	for _, took := range all {
		if took > frameTime {
			late++
		}
	}
	t := suite.NewTimes(all)
	m.Times = map[string]*suite.Times{"frame": t}
	m.Values = map[string]float64{"p50": t.P50, "p99": t.P99, "longest frame": t.Max, "late frames": 100 * float64(late) / float64(len(all))}
	level.free()
	frame.free()
	return m.Result
}
