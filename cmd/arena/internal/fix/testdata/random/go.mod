module example.com/random

go 1.26
