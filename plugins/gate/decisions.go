package gate

import (
	"slices"

	"strata.dev/bridge/plugins/gate/journal"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// decisions is where the decision log stands: the number of its newest record
// and about how large that is. 0 is not known yet.
type decisions struct {
	number, size int
	torn         bool // that record ends in the middle of a line
	absent       bool // this host offers no store
}

// write appends entries to the log and returns once they are on disk. Without a
// store nothing is written.
func (d *decisions) write(t *sdk.Task, entries ...abi.GateEntry) error {
	for i := range entries {
		if entries[i].Time == 0 {
			entries[i].Time = t.Now().UnixMilli()
		}
	}
	lines, err := journal.Lines(entries)
	if err != nil || len(lines) == 0 {
		return err
	}
	if err := d.open(t); err != nil || d.absent {
		return err
	}
	if d.size > 0 && d.size+len(lines) > abi.MaxDecisionBytes {
		d.number, d.size, d.torn = d.number+1, 0, false
		if err := d.prune(t); err != nil {
			return err
		}
	}
	if d.torn {
		lines, d.torn = append([]byte("\n"), lines...), false
	}
	d.size += len(lines)
	return sdk.StoreAppend(t, journal.Name(d.number), lines)
}

// open finds the newest record.
func (d *decisions) open(t *sdk.Task) error {
	if d.number > 0 || d.absent {
		return nil
	}
	names, err := sdk.StoreList(t, abi.DecisionRecord)
	if sdk.Code(err) == abi.CodeRefused {
		d.absent = true
		return nil
	}
	if err != nil {
		return err
	}
	number, size, torn := 1, 0, false
	for _, name := range slices.Backward(names) {
		n, ok := journal.Number(name)
		if !ok {
			continue
		}
		record, err := sdk.StoreGet(t, name)
		if err != nil {
			return err
		}
		number, size, torn = n, len(record), len(record) > 0 && record[len(record)-1] != '\n'
		break
	}
	if d.number == 0 { // another call may have been quicker
		d.number, d.size, d.torn = number, size, torn
	}
	return nil
}

// prune removes the records that are one too many.
func (d *decisions) prune(t *sdk.Task) error {
	names, err := sdk.StoreList(t, abi.DecisionRecord)
	if err != nil {
		return err
	}
	for _, name := range names {
		if n, ok := journal.Number(name); ok && n <= d.number-abi.MaxDecisionRecord {
			if err := sdk.StoreDelete(t, name); err != nil {
				return err
			}
		}
	}
	return nil
}
