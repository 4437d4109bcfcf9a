//go:build race || asan || arenadebug

package main

func init() { mostAllocations = 2000 }
