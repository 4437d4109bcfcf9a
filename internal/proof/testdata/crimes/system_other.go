//go:build !linux

package main

func refused() { panic("not on this system") }
