// Package abi is the contract between plugins and the two host sides that run
// them (the Node shim and the wazero engine): the op tables, and the JSON types
// that travel as `head` through proto/wit/strata-plugin.wit.
package abi

// Version of the plugin ABI; equal to the version in the WIT package name.
const Version = "0.1.0"

// Manifest is the head that guest.describe pushes.
type Manifest struct {
	ABI     string         `json:"abi"`     // Version of the ABI the module was built for
	Plugins []PluginRecord `json:"plugins"` // plugins linked into the module, by name
}

// PluginRecord is one plugin of a module and its op table.
type PluginRecord struct {
	Name string `json:"name"`
	Ops  []Op   `json:"ops"`
}

// Op is one row of a plugin's op table. Both host sides enforce it.
type Op struct {
	Name string `json:"name"`
	// Sync ops end in the export that started them; one that asks for an
	// effect is a fault.
	Sync bool `json:"sync,omitempty"`
	// Worker ops may be run off the main thread, in a guest of their own: nothing that
	// another op keeps in memory is there.
	Worker bool `json:"worker,omitempty"`
	// DeadlineMs bounds the whole call, effects included, in milliseconds;
	// 0 is no bound (a person may take an hour to answer).
	DeadlineMs int `json:"deadlineMs,omitempty"`
	// Effects the op may use; any other is refused with code "not-granted".
	Effects []string `json:"effects,omitempty"`
	// Default is the answer a host side gives when the plugin faulted (a trap,
	// a deadline, bytes that cannot be loaded). Nil: the fault is the answer.
	Default any `json:"default,omitempty"`
}

// Tables are the op tables of the plugins that exist, by plugin name.
var Tables = map[string][]Op{
	"context": ContextOps,
	"gate":    GateOps,
	"models":  ModelsOps,
	"search":  SearchOps,
}
