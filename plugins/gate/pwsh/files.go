package pwsh

// files look at files and folders. Those that can be fed names through a pipe
// are not: what is piped may bind to their path.
var files = []Cmdlet{
	{
		Name: "Get-ChildItem", Aliases: "gci dir", Windows: "ls",
		Parameters: "-Path:path* -LiteralPath:literal* -Filter:name -Include:name* -Exclude:name* -Recurse -s=Recurse -Depth:num -Force -Name " +
			"-File -af=File -Directory -ad=Directory -Hidden -ah=Hidden -ReadOnly -ar=ReadOnly -System -as=System -Attributes:word",
		Positions: "Path Filter", Gives: "files", Here: true, Deep: "Recurse",
		Match: []string{
			"Get-ChildItem", "Get-ChildItem -Recurse -Filter *.cs", "gci -Recurse -Include *.ts,*.tsx -ErrorAction SilentlyContinue",
			`dir src\*.cs`, `ls -Force .\src`, "get-childitem -path src, docs -file",
		},
		NotMatch: []string{
			"Get-ChildItem -OutVariable x", "Get-ChildItem -ov x", "gci -Rec", "gci -FollowSymlink", "Get-ChildItem Env:", `gci HKLM:\Software`,
			`gci \\host\share`, "gci ~", "gci '~'", "gci -Path:src", `gci -Filter ..\*`, "gci a b c", "Get-ChildItem -ErrorAction Inquire",
			"'a' | Get-ChildItem", "gci *:", "gci FileSystem::C:/", "gci 'C:'", "gci -Path", "gci -Recurse -Recurse", `gci */..\x`, "gci -- x",
		},
	},
	{
		Name: "Get-Content", Aliases: "gc type", Windows: "cat", // never -Wait (does not end), -Stream
		Parameters: "-Path:path* -LiteralPath:literal* -TotalCount:num -Head=TotalCount -First=TotalCount -Tail:num -Last=Tail -Raw -ReadCount:num " +
			"-Encoding:word -Delimiter:text -AsByteStream -Force -Include:name* -Exclude:name* -Filter:name",
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "text", Reads: true,
		Match:    []string{"Get-Content README.md", "gc app.log -Tail 20", `cat -Raw src\Program.cs`, "Get-Content -TotalCount 5 -Path a,b", `gc C:\repo\a.txt`},
		NotMatch: []string{"Get-Content a -Wait", "gc a -Tail 5 -wait", "Get-Content", "gc a -ErrorVariable e", "gc env:API_KEY", "gc a:b", "gc 0x10", "gc 1kb", "gci | gc", "gc a -Stream x", "gc */a"},
	},
	{
		Name: "Select-String", Aliases: "sls",
		Parameters: "-Pattern:text* -Path:path* -LiteralPath:literal* -SimpleMatch -CaseSensitive -AllMatches -List -Quiet -Raw -NotMatch -NoEmphasis " +
			"-Context:num* -Encoding:word -Include:name* -Exclude:name*",
		Positions: "Pattern Path", Needs: "Pattern Path|LiteralPath|pipe", Takes: "text files", Gives: "matches", Reads: true,
		Match: []string{
			`Select-String -Path src\*.cs -Pattern TODO`, "Select-String -Pattern 'foo|bar' -Path *.md -Context 2,3", "gci -Recurse | sls \"class Foo\"",
			"Get-Content a | sls x", "gci -File | Sort-Object Name | sls x", "gci -Recurse | ? Length -LT 1000 | sls x", "gci | ? Extension -EQ .cs | sls x", "gci | ? Name -NE .env | sls x",
		},
		NotMatch: []string{"Select-String x", "sls -Pattern x", "sls x y z", "gc a | ConvertFrom-Json | sls x", "gci | Select-Object FullName | sls x", "sls -foo a", "sls '-foo' a", "sls x src/*/a.cs",
			"gci -Recurse -Include .env | sls .", "gci -Recurse -Force -Filter .env | sls .", "gci -Recurse .e* | sls .", "gci -Force -Recurse | ? Name -EQ .env | sls .",
			"gci -Force -Recurse | ? Extension -Like .pem | sls .", "gci -Force | where Name -Match env | sls ."},
	},
	{
		Name: "Get-Item", Aliases: "gi", Parameters: "-Path:path* -LiteralPath:literal* -Force -Filter:name -Include:name* -Exclude:name*",
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "files",
		Match: []string{"Get-Item README.md", "gi src -Force"}, NotMatch: []string{"Get-Item -Path env:", "gi a -Stream x", "gi", "Get-Item Alias:ls"},
	},
	{
		Name: "Get-ItemProperty", Aliases: "gp", Parameters: "-Path:path* -LiteralPath:literal* -Name:property* -Filter:name -Include:name* -Exclude:name*",
		Positions: "Path Name", Needs: "Path|LiteralPath", Gives: "objects",
		Match: []string{"Get-ItemProperty a.txt", "gp a.txt Length"}, NotMatch: []string{`Get-ItemProperty HKCU:\Environment`, "gp"},
	},
	{
		Name: "Test-Path", Parameters: "-Path:path* -LiteralPath:literal* -PathType:Any|Container|Leaf -Filter:name -Include:name* -Exclude:name*",
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "info",
		Match: []string{`Test-Path .\src`, "Test-Path a -PathType Leaf"}, NotMatch: []string{`Test-Path \\host\c`, "Test-Path Variable:x", "Test-Path"},
	},
	{
		Name: "Resolve-Path", Aliases: "rvpa", Parameters: "-Path:path* -LiteralPath:literal* -Relative",
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "info",
		Match: []string{"Resolve-Path .", "Resolve-Path src -Relative"}, NotMatch: []string{"Resolve-Path ~", "Resolve-Path -RelativeBasePath x a"},
	},
	{
		Name: "Convert-Path", Aliases: "cvpa", Parameters: "-Path:path* -LiteralPath:literal*",
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "info",
		Match: []string{"Convert-Path ."}, NotMatch: []string{"Convert-Path ~"},
	},
	{
		Name: "Split-Path", Parameters: "-Path:path* -LiteralPath:literal* -Parent -Leaf -LeafBase -Extension -IsAbsolute -NoQualifier", // never -Resolve
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "text",
		Match: []string{`Split-Path src\a.cs -Leaf`}, NotMatch: []string{"Split-Path a -Resolve", "Split-Path Env:x -Leaf"},
	},
	{
		Name: "Join-Path", Parameters: "-Path:path* -ChildPath:path", Positions: "Path ChildPath", Needs: "Path ChildPath", Gives: "text",
		Match: []string{"Join-Path src a.cs"}, NotMatch: []string{"Join-Path src * -Resolve", "Join-Path src"},
	},
	{
		Name: "Get-FileHash", Parameters: "-Path:path* -LiteralPath:literal* -Algorithm:SHA1|SHA256|SHA384|SHA512|MD5",
		Positions: "Path", Needs: "Path|LiteralPath", Gives: "info",
		Match: []string{"Get-FileHash go.mod", "Get-FileHash a -Algorithm MD5"}, NotMatch: []string{"Get-FileHash", "gci | Get-FileHash"},
	},
	{
		Name: "Import-Csv", Aliases: "ipcsv", Parameters: "-Path:path* -LiteralPath:literal* -Delimiter:text -Header:text* -Encoding:word",
		Positions: "Path Delimiter", Needs: "Path|LiteralPath", Gives: "objects",
		Match: []string{"Import-Csv a.csv", "ipcsv a.csv ';'"}, NotMatch: []string{"Import-Csv", "gc a | Import-Csv"},
	},
	{
		Name: "Get-Location", Aliases: "gl pwd", Gives: "info",
		Match: []string{"Get-Location", "pwd"}, NotMatch: []string{"Get-Location -Stack", "pwd x"},
	},
}
