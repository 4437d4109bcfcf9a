module github.com/arena-go/arena/arenaconnect

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	github.com/arena-go/arena v0.0.0
	github.com/arena-go/arena/arenapb v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace (
	github.com/arena-go/arena => ../
	github.com/arena-go/arena/arenapb => ../arenapb
)
