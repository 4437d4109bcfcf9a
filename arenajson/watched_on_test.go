//go:build race || asan || arenadebug

package arenajson_test

// watched says that the program was built to find mistakes: values of an arena that was freed are
// not good then, and an arena takes memory of the heap.
const watched = true
