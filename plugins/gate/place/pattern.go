package place

import (
	"path"
	"slices"
	"strings"
)

// hiddenSecrets are names that files with secrets in them have beside the listed ones.
var hiddenSecrets = []string{
	".env", ".envrc", ".env.local", ".env.production", ".env.development", ".env.staging", ".env.test", ".env.prod", ".env.dev",
}

// PatternFitsSecret tells whether a file pattern may fit a file that holds
// secrets: a search with such a pattern reads those files even where they are
// hidden. A pattern that is not understood may fit anything.
func PatternFitsSecret(pattern string) bool {
	alternatives, ok := unfold(strings.ToLower(pattern), 0)
	return !ok || slices.ContainsFunc(alternatives, fitsSecret)
}

func fitsSecret(pattern string) bool {
	for segment := range strings.SplitSeq(pattern, "/") {
		aimed := strings.HasPrefix(segment, ".") || strings.IndexAny(segment, wildcards) >= 3
		if slices.ContainsFunc(secretFolders, func(folder string) bool { return folder == segment || aimed && matches(segment, folder) }) {
			return true
		}
	}
	name := path.Base(pattern)
	if secretName(strings.ReplaceAll(name, "*", "x")) || name == "**" || secretPath("/"+strings.ReplaceAll(pattern, "*", "x")) {
		return true
	}
	fits := func(secret string) bool { return matches(name, secret) }
	// A search reads plain files anyway; a pattern adds hidden ones. All files of one
	// kind are what people look through, so that kind alone aims at no secret.
	kind, byKind := strings.CutPrefix(name, "*.")
	aimed := strings.IndexAny(name, wildcards) >= 3
	return slices.ContainsFunc(hiddenSecrets, fits) || slices.ContainsFunc(secretNames, func(secret string) bool {
		return (aimed || secret[0] == '.') && !(byKind && !strings.ContainsAny(kind, wildcards)) && fits(secret)
	})
}

const wildcards = `*?[\`

// matches tells whether a pattern fits a name. One that is not understood fits all.
func matches(pattern, name string) bool {
	hit, err := path.Match(pattern, name)
	return hit || err != nil
}

// unfold writes a pattern's braces out: a{b,c} is ab and ac. ok is false for
// braces inside braces, and for more than 64 patterns.
func unfold(pattern string, depth int) (all []string, ok bool) {
	before, rest, open := strings.Cut(pattern, "{")
	if !open {
		return []string{pattern}, true
	}
	inner, after, closed := strings.Cut(rest, "}")
	if !closed || strings.Contains(inner, "{") || depth > 4 {
		return nil, false
	}
	tails, ok := unfold(after, depth+1)
	for choice := range strings.SplitSeq(inner, ",") {
		for _, tail := range tails {
			all = append(all, before+choice+tail)
		}
	}
	return all, ok && len(all) <= 64
}
