// Package proof has tests of the repository as a whole: who finds which mistake, where unsafe is
// used, what the compiler inlines, that the tests of the standard experiment pass, and what
// documents, suites and releases say.
package proof
