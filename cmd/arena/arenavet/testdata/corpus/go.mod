module example.com/corpus

go 1.26.0

require github.com/arena-go/arena v0.0.0
