//go:build !race

package order

const file = "want.txt"
