//go:build race

package arenajson_test

const racing = true
