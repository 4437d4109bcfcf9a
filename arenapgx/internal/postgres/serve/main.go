//go:build unix

// Command serve runs a private PostgreSQL server in a temporary directory: it prints how to connect to it, and stops it when its standard input ends.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/arena-go/arena/arenapgx/internal/postgres"
)

func main() {
	s, err := postgres.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer s.Stop()
	fmt.Println(s.DSN)
	io.Copy(io.Discard, os.Stdin)
}
