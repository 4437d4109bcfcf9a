/*
Package arenajson decodes and encodes JSON as package encoding/json does, with the results in arenas.
*/
package arenajson
