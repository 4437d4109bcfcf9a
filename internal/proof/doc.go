// Package proof has tests of the repository as a whole: they hold its documents, and what is said of its large suites, against its code.
package proof
