package pwsh

// objects pick, sort, count and show what is piped in. They take properties by
// name only: a script block would be a program.
var objects = []Cmdlet{
	{
		Name: "Select-Object", Aliases: "select",
		Parameters: "-Property:property* -ExpandProperty:property -ExcludeProperty:property* -First:num -Last:num -Skip:num -SkipLast:num -Index:num* -Unique -CaseInsensitive -Wait",
		Positions:  "Property", Needs: "pipe", Takes: "* process", Gives: "=",
		Match: []string{
			"gci | Select-Object -First 5 Name,Length", "gc a | select -Skip 10 -First 20", "gci | Select-Object -ExpandProperty FullName",
			"git log --oneline | Select-Object -First 5", "Get-Process | select -First 3 Name, Id", "Get-Process | select Name, Id -ExcludeProperty Id",
		},
		NotMatch: []string{"Select-Object -First 5", "gci | Select-Object 'a b'", "gci | select -F 5", "Get-Process | select -ExpandProperty StartInfo", "Get-Process | select *", "Get-Process | select -ExcludeProperty Name | ConvertTo-Json -Depth 5", "Get-Process | select -ExcludeProperty Name | fl *", "Get-Process | select -ExcludeProperty Name | ft StartInfo", "gci | Format-Table | select Name"},
	},
	{
		Name: "Sort-Object", Windows: "sort",
		Parameters: "-Property:property* -Descending -Unique -CaseSensitive -Top:num -Bottom:num -Stable",
		Positions:  "Property", Needs: "pipe", Takes: "* process", Gives: "=",
		Match:    []string{"gci | Sort-Object Length -Descending", "gc a | sort -Unique", "Get-Process | Sort-Object CPU"},
		NotMatch: []string{"Sort-Object Name", "gci | sort -o x", "gci | Sort-Object -Culture x", "Get-Process | Sort-Object StartInfo"},
	},
	{
		Name: "Where-Object", Aliases: "where ?", // its simple form only; -Is and -IsNot convert to types
		Parameters: "-Property:property -Value:text* -Not -EQ -CEQ -NE -CNE -GT -CGT -LT -CLT -GE -CGE -LE -CLE -Like -CLike -NotLike -CNotLike " +
			"-Match -CMatch -NotMatch -CNotMatch -Contains -NotContains -In -NotIn",
		Positions: "Property Value", Needs: "pipe Property", Takes: "* process", Gives: "=",
		Match:    []string{"gci | Where-Object Length -GT 1000", "gci | ? Extension -eq .cs", "gci | where -Property Name -Like '*.md'"},
		NotMatch: []string{"Where-Object a -EQ b", "gci | Where-Object", "gci | where Name -Is string", "Get-Process | where StartInfo -ne x"},
	},
	{
		Name: "Measure-Object", Aliases: "measure",
		Parameters: "-Property:property* -Line -Word -Character -IgnoreWhiteSpace -Sum -Average -Maximum -Minimum -AllStats -StandardDeviation",
		Positions:  "Property", Needs: "pipe", Takes: "* process", Gives: "info",
		Match: []string{"gci | Measure-Object", "gc a | measure -Line", "gci -File | Measure-Object -Property Length -Sum"}, NotMatch: []string{"Measure-Object", "gci | measure -Prop Length"},
	},
	{
		Name: "Group-Object", Aliases: "group", Parameters: "-Property:property* -NoElement -CaseSensitive", Positions: "Property", Needs: "pipe", Takes: "*", Gives: "objects",
		Match: []string{"gci | Group-Object Extension -NoElement"}, NotMatch: []string{"Group-Object x", "gci | group -AsHashTable"},
	},
	{
		Name: "Get-Unique", Aliases: "gu", Parameters: "-AsString -OnType", Needs: "pipe", Takes: "*", Gives: "=",
		Match: []string{"gc a | Get-Unique"}, NotMatch: []string{"Get-Unique", "Get-Unique -InputObject x"},
	},
	{
		Name: "Get-Member", Aliases: "gm", Parameters: "-Name:property* -MemberType:word -Static -Force", Positions: "Name", Needs: "pipe", Takes: "* process", Gives: "objects",
		Match: []string{"gci | Get-Member"}, NotMatch: []string{"Get-Member"},
	},
	{
		Name: "Format-Table", Aliases: "ft", Parameters: "-Property:property* -AutoSize -Wrap -HideTableHeaders -GroupBy:property", Positions: "Property", Needs: "pipe", Takes: "* process", Gives: "format",
		Match: []string{"gci | Format-Table Name,Length -AutoSize"}, NotMatch: []string{"Format-Table", "gci | ft -View x"},
	},
	{
		Name: "Format-List", Aliases: "fl", Parameters: "-Property:property* -GroupBy:property", Positions: "Property", Needs: "pipe", Takes: "*", Gives: "format",
		Match: []string{"gi a | Format-List *"}, NotMatch: []string{"Format-List", "Get-Process | fl *"},
	},
	{
		Name: "Format-Wide", Aliases: "fw", Parameters: "-Property:property -AutoSize -Column:num", Positions: "Property", Needs: "pipe", Takes: "*", Gives: "format",
		Match: []string{"gci | Format-Wide"}, NotMatch: []string{"Format-Wide"},
	},
	{
		Name: "Out-String", Parameters: "-Width:num -Stream -NoNewline", Needs: "pipe", Takes: "* process format", Gives: "text",
		Match: []string{"gci | Out-String", "gci | ft | Out-String -Width 200"}, NotMatch: []string{"Out-String"},
	},
	{
		Name: "Out-Host", Aliases: "oh", Needs: "pipe", Takes: "* process format", Gives: "info", // never -Paging, which waits
		Match: []string{"gci | Out-Host"}, NotMatch: []string{"gci | Out-Host -Paging"},
	},
	{
		Name: "Out-Null", Needs: "pipe", Takes: "* process format", Gives: "info",
		Match: []string{"gci | Out-Null"}, NotMatch: []string{"Out-Null"},
	},
	{
		Name: "ConvertFrom-Json", Parameters: "-Depth:num -AsHashtable -NoEnumerate", Needs: "pipe", Takes: "text", Gives: "objects",
		Match: []string{"gc package.json -Raw | ConvertFrom-Json"}, NotMatch: []string{"ConvertFrom-Json x", "gci | ConvertFrom-Json"},
	},
	{
		Name: "ConvertTo-Json", Parameters: "-Depth:num -Compress -AsArray -EnumsAsStrings", Needs: "pipe", Takes: "text objects info", Gives: "text",
		Match: []string{"gc a -Raw | ConvertFrom-Json | ConvertTo-Json -Depth 5"}, NotMatch: []string{"ConvertTo-Json x", "Get-Process | ConvertTo-Json"},
	},
	{
		Name: "ConvertFrom-Csv", Parameters: "-Delimiter:text -Header:text*", Needs: "pipe", Takes: "text", Gives: "objects",
		Match: []string{"gc a.csv | ConvertFrom-Csv"}, NotMatch: []string{"ConvertFrom-Csv x"},
	},
}
