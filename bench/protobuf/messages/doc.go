// Package messages has the messages of the benchmark, as protoc-gen-go and protoc-gen-go-vtproto
// generate them; package pooled has the same ones with vtprotobuf's pools.
package messages

//go:generate protoc -I ../../.. --go_out=../../.. --go_opt=paths=source_relative --go-vtproto_out=../../.. --go-vtproto_opt=paths=source_relative,features=unmarshal bench/protobuf/messages/messages.proto bench/protobuf/messages/descriptor.proto bench/protobuf/messages/objects.proto
//go:generate protoc -I ../../.. --go_out=../../.. --go_opt=paths=source_relative bench/protobuf/messages/opaque.proto
//go:generate protoc -I ../../.. --go_out=../../.. --go_opt=paths=source_relative bench/protobuf/messages/orders.proto
