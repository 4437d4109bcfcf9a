module example.com/vars

go 1.26
