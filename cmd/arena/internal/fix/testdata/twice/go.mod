module example.com/twice

go 1.26
