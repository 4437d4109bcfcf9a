module example.com/grammar

go 1.26
