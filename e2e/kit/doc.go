// Package kit starts real processes for tests: the pinned Harness, the host on
// it, and a chat client that speaks the host's routes. Everything a test starts
// is ended with the test; what it wrote is kept only when the test fails.
//
// Waiting is always for a condition, under the test's context; nothing sleeps.
//
// Environment:
//
//	STRATA_HARNESS_DIR  another built Harness instead of e2e/harness
//	STRATA_NODE         the Node to run it with
//	STRATA_E2E_DIR      where test folders are made instead of .run/e2e
//	STRATA_NEEDS_FILE   where Needs writes what could not run
package kit
