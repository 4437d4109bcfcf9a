module github.com/arena-go/arena/arenaarrow

go 1.26

require (
	github.com/apache/arrow-go/v18 v18.8.0
	github.com/arena-go/arena v0.0.0
)

require golang.org/x/sys v0.47.0 // indirect

replace github.com/arena-go/arena => ../
