//go:build unix

// Command serve runs a private PostgreSQL server in a temporary directory: it prints how to connect
// to it, and stops it when its standard input ends. For each line that it reads it kills the server
// and starts it again, and then prints the same once more.
package main

import (
	"bufio"
	"fmt"
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
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println(s.DSN) {
		if err := s.Restart(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
	}
}
