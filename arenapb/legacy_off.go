//go:build !protolegacy

package arenapb

// protoLegacy reports whether the program is built with the tag protolegacy.
const protoLegacy = false
