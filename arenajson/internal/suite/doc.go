// Package suite runs Go's own tests of package encoding/json with arenajson in its place. See
// TestStandard.
package suite
