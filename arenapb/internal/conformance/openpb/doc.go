// Package openpb has the messages of protobuf's conformance tests, from protobuf 3.21.12, in the
// open API.
package openpb

// One of them is a message set, for which protoc-gen-go must be built with the tag protolegacy.

//go:generate protoc --go_out=. --go_opt=paths=source_relative,Mtest_messages_proto2.proto=github.com/arena-go/arena/arenapb/internal/conformance/openpb,Mtest_messages_proto3.proto=github.com/arena-go/arena/arenapb/internal/conformance/openpb test_messages_proto2.proto test_messages_proto3.proto
