module github.com/arena-go/arena

go 1.26.0
