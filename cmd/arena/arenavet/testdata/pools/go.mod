module example.com/pools

go 1.26.0
