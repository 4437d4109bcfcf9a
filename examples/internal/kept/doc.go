// Package kept has tests of what caches of other modules keep of arenas.
package kept
