// Package mimir compares package gogo with the decoder that Mimir has for remote write requests,
// whose structs lie in pools, and whose labels refer to the request's buffer. Its module requires
// Mimir, whose licence is the AGPL, for these measurements only: nothing of it is copied, and
// nothing that is released requires it.
package mimir
