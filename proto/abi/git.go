package abi

// GitRepository is the head of op git: what a host side found out about the
// repository that git uses in a folder. Paths are absolute. The body is what
// `git config --list -z --show-scope --show-origin` prints there.
type GitRepository struct {
	CWD      string `json:"cwd"`
	TopLevel string `json:"topLevel,omitempty"` // root of the working tree, "" when there is none
	GitDir   string `json:"gitDir"`
	// CommonDir is GitDir, or the one that linked working trees share.
	CommonDir string `json:"commonDir"`
	// DotGit is where <TopLevel>/.git really leads: a folder, or the one that a file of that name names.
	DotGit string `json:"dotGit,omitempty"`
	// Back is the .git file that GitDir says it belongs to, for a linked working tree.
	Back string `json:"back,omitempty"`
	// Linked are the real paths behind symbolic links in CommonDir, its refs and its objects.
	Linked []string `json:"linked,omitempty"`
	// Hooks are the names in its folder of hooks.
	Hooks []string `json:"hooks,omitempty"`
	// Env are the names of the environment variables that begin with GIT_.
	Env      []string `json:"env,omitempty"`
	Platform string   `json:"platform"` // Node's process.platform
}

// GitSettings is op git's answer: the facts for decide, and how long they hold.
type GitSettings struct {
	GitFacts
	// Files are the settings files that were read: the facts hold until one changes.
	Files []string `json:"files"`
	// Volatile says that the facts hang on more than those files (an include may
	// come and go with a branch): they hold for one call.
	Volatile bool `json:"volatile,omitempty"`
}
