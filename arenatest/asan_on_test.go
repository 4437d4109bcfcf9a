//go:build asan

package arenatest_test

const sanitizing = true
