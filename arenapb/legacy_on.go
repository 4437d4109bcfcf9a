//go:build protolegacy

package arenapb

// protoLegacy reports whether the program is built with the tag protolegacy, by which protobuf has
// features that few programs use.
const protoLegacy = true
