// Package pooled has the messages of package messages with vtprotobuf's pools, one for each of
// them.
package pooled

//go:generate sh -c "sed 's/bench.messages/bench.pooled/; s/protobuf.messages/protobuf\\/pooled/' ../messages/messages.proto >messages.proto"
//go:generate sh -c "sed 's/bench.messages/bench.pooled/; s/protobuf.messages/protobuf\\/pooled/' ../messages/descriptor.proto >descriptor.proto"
//go:generate sh -c "sed 's/bench.messages/bench.pooled/; s/protobuf.messages/protobuf\\/pooled/' ../messages/objects.proto >objects.proto"
//go:generate protoc -I ../../.. --go_out=../../.. --go_opt=paths=source_relative --go-vtproto_out=../../.. --go-vtproto_opt=paths=source_relative,features=unmarshal+pool,pool=github.com/arena-go/arena/bench/protobuf/pooled.* bench/protobuf/pooled/messages.proto bench/protobuf/pooled/descriptor.proto bench/protobuf/pooled/objects.proto
