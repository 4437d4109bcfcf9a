// Package orderspb is a service, and the gateway to it that protoc-gen-grpc-gateway makes.
package orderspb

//go:generate protoc -I . --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative --grpc-gateway_out=. --grpc-gateway_opt=paths=source_relative,grpc_api_configuration=orders.yaml orders.proto
