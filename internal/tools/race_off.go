//go:build !race

package tools

const race = false

// Racing says that the program is built with the race detector.
const Racing = false

func ignoreRaces() {}
