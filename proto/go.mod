module strata.dev/bridge/proto

go 1.26
