// Package real has types that others have written for JSON. Its tests compare what arenajson makes
// of their documents with what encoding/json does.
package real
