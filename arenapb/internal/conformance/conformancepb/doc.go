// Package conformancepb has the protocol of protobuf's conformance tests, from protobuf 3.21.12.
package conformancepb

//go:generate protoc --go_out=. --go_opt=paths=source_relative,Mconformance.proto=github.com/arena-go/arena/arenapb/internal/conformance/conformancepb conformance.proto
