// Package echopb is the service that the tests and benchmarks of arenagrpc call.
package echopb

//go:generate protoc --go_out=../../.. --go_opt=paths=source_relative --go-grpc_out=../../.. --go-grpc_opt=paths=source_relative -I ../../.. ../../../arenagrpc/internal/echopb/echo.proto
