//go:build !protolegacy

package arenapb

// protoLegacy tells whether the program is built with the tag protolegacy.
const protoLegacy = false
