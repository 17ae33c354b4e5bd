// Package conformance drives plugin hosts through the same cases and compares
// what they say byte for byte. README.md holds the contract behind the cases,
// the wire of a driver and the form of a case.
package conformance
