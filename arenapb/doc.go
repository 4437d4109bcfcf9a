// Package arenapb decodes protobuf messages into arenas: ordinary messages, as protoc-gen-go generates them.
package arenapb
