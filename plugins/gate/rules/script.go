package rules

// scripted are programs that are handed a small program of their own, which is
// checked by an exact grammar.
var scripted = []Program{
	{
		Name:     "sed", // never -i, -f
		Options:  "-nErsuz -e:sed --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression=sed --posix",
		Operands: "sed path*", Instead: "-e --expression", Input: true,
		Match: []string{"sed -n 1,20p main.go", "sed -n 10,$p main.go", "sed -n 5p", "sed s/a/b/g a", "sed -e 1d -e s/x// a", "sed -n /a/,/b/p a", "sed 5q a"},
		NotMatch: []string{
			"sed -n w a", "sed -ni 1p a", "sed -n -i.bak 1,5p a", "sed -n 1,2p a -i", "sed -n 1,5p;3w a", "sed -n -f s a", "sed -n 1e a", "sed -n 5p",
			"sed -i s/a/b/ x", "sed --in-place s/a/b/ x", "sed s/a/b/w x y", "sed --expression=1e x", "sed -e w a", "sed -Ei p a", "sed --sandbox w x",
		},
	},
	{
		Name: "jq", Options: jqOptions, Operands: "jq path*", Input: true,
		Match:    []string{"jq -r .name package.json", "jq .", "jq --arg a b $a f.json", "jq -r .scripts|keys[] package.json", "jq --slurpfile a b.json .x c.json"},
		NotMatch: []string{"jq .", "jq env a", "jq $ENV a", "jq -f x a", "jq -L x . a", "jq --arg a . f", "jq -rf x a", "jq --from-file x a", "jq --args . a"},
	},
	{ // without input, which input and inputs would wait for
		Name: "jq", Options: jqOptions, Operands: "inputless", Need: "-n --null-input",
		Match: []string{"jq -n 1+1"}, NotMatch: []string{"jq -n env", "jq -n input", "jq -n [inputs]", "jq -n input|env"},
	},
	{
		Name: "awk gawk mawk nawk", Each: true,
		Options: "-F:regex -v:assign", Operands: "awk input*", Input: true, First: true, // later options are files
		Match: []string{"@ {print$1} a", "@ -F: -v n=3 NR==n a", "@ NR>5"},
		NotMatch: []string{
			"@ BEGIN{system(1)} a", "@ -f x a", "@ -i inplace {print} a", "@ {print>1} a", "@ {print} a -v b=c", "@ 1", "@ 1 x=2",
			"@ -v ENVIRON=1 1 a", "@ --include x 1 a", "@ -F 1 {getline} a", "@ 1 a --", "@ -F x{999}{999} 1 a", "@ -v NR=9 1 a", "@ -v n=99999999 1 a",
		},
	},
}

// Never -f and -L (filters from files), --args and --jsonargs (make texts of what
// looks like files).
const jqOptions = `-ncrjaSCMesR --compact-output --raw-output --raw-output0 --join-output --ascii-output --sort-keys --color-output --monochrome-output
	--tab --indent=width --exit-status --slurp --raw-input --null-input --stream --seq --unbuffered
	--arg:word+regex --argjson:word+regex --slurpfile:word+path --rawfile:word+path`
