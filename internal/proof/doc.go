// Package proof has tests of the repository as a whole: they hold its documents against its code.
package proof
