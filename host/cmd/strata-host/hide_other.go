//go:build !linux

package main

// hide does nothing: these systems have a rule of their own for who may look at a process.
func hide() error { return nil }
