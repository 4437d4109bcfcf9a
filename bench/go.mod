module github.com/arena-go/arena/bench

go 1.26

require (
	github.com/allegro/bigcache/v3 v3.1.0
	github.com/arena-go/arena v0.0.0
	github.com/coocood/freecache v1.2.7
	github.com/dgraph-io/ristretto/v2 v2.4.2
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	golang.org/x/sys v0.36.0 // indirect
)

replace github.com/arena-go/arena => ../
