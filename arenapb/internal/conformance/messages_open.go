//go:build !protoopaque

package main

import _ "github.com/arena-go/arena/arenapb/internal/conformance/openpb"
