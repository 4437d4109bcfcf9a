//go:build !race

package arena

const racing = false

func markRace([]memory) {}
