// Package generated has messages of types that gogo/protobuf has generated for others. Its tests
// compare what package gogo makes of them with what their own Unmarshal does.
package generated
