//go:build protoopaque

package main

// Messages have the same names in both APIs, so a program can have one of them only.
import _ "github.com/arena-go/arena/arenapb/internal/conformance/opaquepb"
