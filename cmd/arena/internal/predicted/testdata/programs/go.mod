module example.com/programs

go 1.26
