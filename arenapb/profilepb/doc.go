// Package profilepb has the messages of profiles in the format of pprof, as protoc-gen-go
// generates them: what the examples and benchmarks of arenapb decode.
package profilepb

//go:generate protoc --go_out=../.. --go_opt=paths=source_relative -I ../.. ../../arenapb/profilepb/profile.proto
