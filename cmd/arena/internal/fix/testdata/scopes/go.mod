module example.com/scopes

go 1.26
