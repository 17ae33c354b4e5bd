package abi

// Limits that both host sides enforce. Sizes are bytes, times milliseconds.
const (
	// MemoryPages caps an instance's linear memory: 1024 pages of 64 KiB are
	// 64 MiB (design §2). Growth past it fails inside the guest, which then traps.
	MemoryPages = 1024

	// MaxStepMs bounds one export (call, resume, cancel, describe, init), also of
	// an op without a deadline: such an op may wait for hours, but never run for
	// hours. Where the host side cannot interrupt a guest (Node's main thread) it
	// holds for worker ops only.
	MaxStepMs = 10_000

	MaxHeadBytes   = 8 << 20  // of one head that a guest pushes
	MaxBodyBytes   = 32 << 20 // of one body that a guest pushes
	MaxOpenEffects = 256      // of one call at a time; the largest fan-out in use is 50
	MaxLogBytes    = 16 << 10 // of one log line or stderr line; the rest is cut off

	MaxSleepMs = 3_600_000

	FetchTimeoutMs    = 15_000   // FetchRequest.TimeoutMs 0
	MaxFetchTimeoutMs = 120_000  // a longer one is lowered to this
	FetchBytes        = 2 << 20  // FetchRequest.MaxBytes 0
	MaxFetchBytes     = 32 << 20 // a larger one is lowered to this

	MaxRecordBytes = 16 << 20 // of one record in a plugin's store
	MaxPaths       = 256      // of one fs.realpath

	SessionEventsMax    = 500   // SessionRead.Max 0
	MaxSessionEventsMax = 5_000 // a larger one is lowered to this
)
