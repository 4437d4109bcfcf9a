// Package echopb is the service that the tests and benchmarks of arenaconnect call.
package echopb

//go:generate protoc --go_out=../../.. --go_opt=paths=source_relative --connect-go_out=../../.. --connect-go_opt=paths=source_relative,package_suffix -I ../../.. ../../../arenaconnect/internal/echopb/echo.proto
