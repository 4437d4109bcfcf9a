module example.com/corpus

go 1.26.0

require (
	github.com/arena-go/arena v0.0.0
	github.com/prometheus/client_golang v0.0.0
	golang.org/x/sync v0.0.0
	google.golang.org/protobuf v0.0.0
)
