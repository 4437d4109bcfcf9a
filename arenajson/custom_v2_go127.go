//go:build goexperiment.jsonv2 && go1.27

package arenajson

import (
	"encoding/json/jsontext"
	"io"
)

// go vet wants a file that names package jsontext to say which version of Go it is for. So what custom_v2.go needs of it is here.

type syntacticError = jsontext.SyntacticError

// readBy returns the error of the first token that r has.
func readBy(r io.Reader) error {
	_, err := jsontext.NewDecoder(r).ReadToken()
	return err
}
