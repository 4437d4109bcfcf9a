// Package opaquepb has the messages of package openpb in the opaque API.
package opaquepb

//go:generate protoc -I ../openpb --go_out=. --go_opt=default_api_level=API_OPAQUE,paths=source_relative,Mtest_messages_proto2.proto=github.com/arena-go/arena/arenapb/internal/conformance/opaquepb,Mtest_messages_proto3.proto=github.com/arena-go/arena/arenapb/internal/conformance/opaquepb test_messages_proto2.proto test_messages_proto3.proto
