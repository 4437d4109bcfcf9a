//go:build race

package order

const file = "race.txt"
