//go:build !race && !asan && !arenadebug

package arenajson_test

const watched = false
