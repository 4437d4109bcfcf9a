module example.com/ends

go 1.26.0

require github.com/arena-go/arena v0.0.0

replace github.com/arena-go/arena => ../../../../arenavet/testdata/stub
