package pwsh

import "sync"

// system asks small questions and prints.
var system = []Cmdlet{
	{
		Name: "Write-Output", Aliases: "echo", Windows: "write", Parameters: "-InputObject:text* -NoEnumerate", Positions: "InputObject", Needs: "InputObject", Gives: "text",
		Match: []string{"Write-Output hello", "echo 'a b'", `gci; echo "---"`}, NotMatch: []string{"Write-Output", "echo a -Verbos", "echo a b"},
	},
	{
		Name: "Write-Host", Parameters: "-Object:text* -NoNewline -ForegroundColor:word -BackgroundColor:word -Separator:text", Positions: "Object", Needs: "Object", Gives: "info",
		Match: []string{"Write-Host '== files ==' -ForegroundColor Green"}, NotMatch: []string{"Write-Host -x"},
	},
	{
		Name: "Get-Date", Parameters: "-Date:text -Format:text -UFormat:text -AsUTC -DisplayHint:Date|Time|DateTime", Positions: "Date", Gives: "info",
		Match: []string{"Get-Date", "Get-Date -Format yyyy-MM-dd"}, NotMatch: []string{"Set-Date x", "Get-Date -For x"},
	},
	{
		Name: "Get-Command", Aliases: "gcm", Parameters: "-Name:word* -All -CommandType:Application", Positions: "Name", Needs: "Name", Gives: "objects",
		Match: []string{"Get-Command git", "gcm node -All"}, NotMatch: []string{"Get-Command", "gcm -Module x", "gcm -ShowCommandInfo x"},
	},
	{
		Name: "Get-Alias", Aliases: "gal", Parameters: "-Name:word* -Definition:word*", Positions: "Name", Gives: "objects",
		Match: []string{"Get-Alias ls"}, NotMatch: []string{"gal -Scope x"},
	},
	{
		Name: "Get-Process", Aliases: "gps", Windows: "ps", Parameters: "-Name:name* -Id:num*", Positions: "Name", Gives: "process",
		Match: []string{"Get-Process", "gps node"}, NotMatch: []string{"Get-Process -ComputerName x", "Get-Process -IncludeUserName"},
	},
}

// builtin are the accept-lists of the gate, read at the first command that needs
// them. A list that fails its own examples panics: then every command asks.
var builtin = sync.OnceValue(func() *table {
	var all []Cmdlet
	for _, family := range [][]Cmdlet{files, objects, system} {
		all = append(all, family...)
	}
	t, err := load(all...)
	if err != nil {
		panic(err)
	}
	return t
})
