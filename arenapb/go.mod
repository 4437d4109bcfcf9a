module github.com/arena-go/arena/arenapb

go 1.26

require (
	github.com/arena-go/arena v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/arena-go/arena => ../
