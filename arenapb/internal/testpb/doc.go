// Package testpb has messages of every form that protoc-gen-go generates: what the tests
// of arenapb decode. [Messages] lists them.
package testpb

//go:generate protoc --go_out=../../.. --go_opt=paths=source_relative -I ../../.. arenapb/internal/testpb/editions.proto arenapb/internal/testpb/hybrid.proto arenapb/internal/testpb/mixed.proto arenapb/internal/testpb/nested.proto arenapb/internal/testpb/opaque.proto arenapb/internal/testpb/proto2.proto arenapb/internal/testpb/proto3.proto arenapb/internal/testpb/wide.proto
