// Package difftest compares what arenapb decodes with what package proto does, for messages of any
// type: it makes input that is good, odd or bad, from nothing but the descriptor of the type, and
// compares messages and errors.
//
// The tests of arenapb use it for types that were made up for them, and module schemas for those
// that others have generated.
package difftest
