package main

import "github.com/arena-go/arena/arenapb/internal/schemas"

func main() { schemas.Main() }
