module github.com/arena-go/arena/arenajson

go 1.26

require github.com/arena-go/arena v0.0.0

replace github.com/arena-go/arena => ../
