//go:build race || asan || arenadebug

package main

func init() { mostAllocations = 3000 }
