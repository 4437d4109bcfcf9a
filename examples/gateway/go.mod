module github.com/arena-go/arena/examples/gateway

go 1.26.0

replace (
	github.com/arena-go/arena => ../..
	github.com/arena-go/arena/arenagrpc => ../../arenagrpc
	github.com/arena-go/arena/arenajson => ../../arenajson
	github.com/arena-go/arena/arenapb => ../../arenapb
)

require (
	github.com/arena-go/arena v0.0.0
	github.com/arena-go/arena/arenagrpc v0.0.0
	github.com/arena-go/arena/arenajson v0.0.0
	github.com/arena-go/arena/arenapb v0.0.0
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.33.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)

require (
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20261026165753-2ffab32bce7e // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261019180522-ce908d29299b // indirect
)
