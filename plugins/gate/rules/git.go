package rules

// Options of git's reading commands. Never --output (writes a file), --ext-diff
// and --textconv (start programs), --no-index and --submodule=diff (other
// folders), --show-signature (starts gpg), --remerge-diff (writes objects, starts merge drivers).
const (
	gitDiff = ` -psuabRwzW -U[num] -M[word] -C[word] -S:regex -G:regex --patch --no-patch --unified[=num] --raw --patch-with-stat --stat[=word]
		--numstat --shortstat --dirstat[=word] --summary --compact-summary --name-only --name-status --no-renames
		--find-renames[=word] --find-copies[=word] --word-diff[=color|plain|porcelain|none] --word-diff-regex=regex --color-words[=regex]
		--color[=always|never|auto] --no-color --minimal --patience --histogram --diff-algorithm=word --ignore-all-space
		--ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --function-context --full-index
		--binary --abbrev[=num] --diff-filter=word --pickaxe-all --pickaxe-regex --text --no-ext-diff
		--inter-hunk-context=num --relative[=path] --no-relative --color-moved[=word] --no-color-moved --ws-error-highlight=word --indent-heuristic
		--anchored=text --stat-width=num --stat-count=num --diff-merges=off|none|on|m|first-parent|1|separate|combined|c|dense-combined|cc --no-textconv --ita-invisible-in-index --src-prefix=text --dst-prefix=text --no-prefix --line-prefix=text --ignore-submodules[=word] `
	gitLog = gitDiff + ` -# -n:num -L:range -iEFPgctm --cc --oneline --graph --decorate[=short|full|auto|no] --no-decorate --all --branches[=text]
		--tags[=text] --remotes[=text] --format[=format] --pretty[=format] --abbrev-commit --no-abbrev-commit --since=text --after=text
		--until=text --before=text --author=regex --committer=regex --grep=regex --invert-grep --all-match
		--regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --max-count=num
		--skip=num --follow --reverse --date=layout --date-order --author-date-order --topo-order --full-history --no-walk[=word]
		--left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --boundary --source --ancestry-path --no-notes
		--relative-date --simplify-by-decoration --min-parents=num --max-parents=num --no-min-parents --no-max-parents --show-pulls
		--exclude=text --glob=text --no-commit-id --root --mailmap --no-mailmap --use-mailmap --log-size --no-expand-tabs --encoding=word
		--clear-decorations --decorate-refs=text --decorate-refs-exclude=text --since-as-filter=text --parents --children --walk-reflogs --full-diff --no-show-signature `
	gitShortlog = `-snec --summary --numbered --email --committer --group=group --since=text --until=text --all --branches --tags --remotes --no-merges`
	gitList     = ` --contains[=text] --no-contains[=text] --merged[=text] --no-merged[=text] --points-at=text --sort=refs --format=refs
		--color[=always|never|auto] --no-color --no-column --ignore-case -i `
)

// git's reading half. Its settings may name programs, so each of these holds
// only where the repository's effective settings name none.
var git = []Program{
	{
		Name: "git status", Git: true,
		Options: `-sbvz -u[no|normal|all] --short --branch --porcelain[=v1|v2|1|2] --long --verbose --untracked-files[=no|normal|all] --ignored[=word]
			--ignore-submodules[=word] --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=word] --show-stash --no-column`,
		Operands: "rev*",
		Match:    []string{"git status", "git status -sb", "git status --porcelain=v2 --branch", "git --no-pager status", "git status -uno src"},
		NotMatch: []string{"git status --some-new-flag", "git -C x status", "git -c core.fsmonitor=./x status", "git --git-dir=x status", "git -p status", "git status --short --bra"},
	},
	{
		Name: "git log", Git: true, Options: gitLog, Operands: "rev*",
		Match:    []string{"git log --oneline -20", "git log -p -2 -- src/util.go", "git log -1 --format=%H", "git log main..HEAD", "git log -n 5 -S needle", "git log --pretty=oneline", "git log -L 1,5:a.go", "git log -L:main:a.go"},
		NotMatch: []string{"git log -p --output=x", "git log --format=%<(2000000000)%s", "git log --date=format:%2000000000Y", "git log -p -- .e*", "git log -- :(icase)ID_RSA?", "git log --ext-diff", "git log --remerge-diff", "git log --diff-merges=remerge", "git log --diff-merges r", "git log --show-signature", "git log --format=%G?", "git log --format=%h%+GS", "git log --pretty=mine", "git -p log", "git log --textconv", "git log --format --output=%x", "git log --since --output=x", "git log -S --output=x"},
	},
	{
		Name: "git diff", Git: true, Options: gitDiff + "--cached --staged --merge-base --check --exit-code --quiet", Operands: "rev*",
		Match:    []string{"git diff", "git diff --stat", "git diff -U0 README.md", "git diff --cached --name-only", "git diff HEAD~1 -- src"},
		NotMatch: []string{"git diff --output=x", "git diff --outp x", "git diff --ext-diff", "git diff --no-index a b", "git diff -- id_rs?", "git diff --diff-merges=r", "git diff --submodule=diff", "git diff -O x", "git diff --unified --output=x"},
	},
	{
		Name: "git show", Git: true, Options: gitLog, Operands: "rev*",
		Match:    []string{"git show HEAD", "git show HEAD~1:README.md", "git show --stat"},
		NotMatch: []string{"git show HEAD -- .en*", "git show HEAD -- :(icase).en*", "git show HEAD -- .s?h/config", "git show --diff-merges=remerge", "git show --textconv HEAD:a", "git show --format=%B --output m HEAD", "git show --show-signature"},
	},
	{
		Name: "git branch", Git: true, Options: gitList + "-arv --all --remotes --verbose --show-current",
		Match:    []string{"git branch", "git branch -a", "git branch -vv", "git branch --show-current", "git branch --merged"},
		NotMatch: []string{"git branch --sort=signature", "git branch x", "git branch -v x", "git branch -D x", "git branch -m a b", "git branch -vd x", "git branch --edit-description"},
	},
	{
		Name: "git branch", Git: true, Options: gitList + "-arv --list --all --remotes --verbose", Operands: "text*",
		Need:     "--list --contains --no-contains --merged --no-merged --points-at",
		Match:    []string{"git branch --list x*", "git branch -a --contains HEAD", "git branch --merged main"},
		NotMatch: []string{"git branch -a x", "git branch --list -d x", "git branch -f --list x"},
	},
	{
		Name: "git tag", Git: true, Options: gitList + "-l -n[num] --list",
		Match:    []string{"git tag", "git tag -n", "git tag --sort=-creatordate"},
		NotMatch: []string{"git tag --sort=-signature:signer", "git tag v1", "git tag -d v1", "git tag -n v1", "git tag -v v1"},
	},
	{
		Name: "git tag", Git: true, Options: gitList + "-l -n[num] --list", Operands: "text*", Need: "-l --list --contains --no-contains --merged --no-merged --points-at",
		Match:    []string{"git tag --list v1.*", "git tag -l", "git tag --contains HEAD", "git tag --points-at HEAD"},
		NotMatch: []string{"git tag -d -l v1", "git tag -f --list v1", "git tag -n v1"},
	},
	{
		Name: "git remote", Git: true, Options: "--push --all", Operands: "=get-url word",
		Match:    []string{"git remote get-url origin", "git remote get-url --all origin"},
		NotMatch: []string{"git remote set-url origin x", "git remote get-url", "git remote --push", "git remote -- get-url origin", "git remote --push get-url origin"},
	},
	{
		Name: "git remote", Git: true, Options: "-v --verbose",
		Match:    []string{"git remote", "git remote -v"},
		NotMatch: []string{"git remote add a b", "git remote show origin", "git remote -v update"},
	},
	{
		Name: "git rev-parse", Git: true,
		Options: `-q --show-toplevel --abbrev-ref[=strict|loose] --short[=num] --verify --quiet --git-dir --git-common-dir --absolute-git-dir
			--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-prefix --show-cdup
			--symbolic --symbolic-full-name --all --branches[=text] --tags[=text] --remotes[=text]`,
		Operands: "rev*",
		Match:    []string{"git rev-parse --abbrev-ref HEAD", "git rev-parse --short HEAD", "git rev-parse --show-toplevel"},
		NotMatch: []string{"git rev-parse --frob", "git rev-parse --parseopt"},
	},
	{
		Name: "git ls-files", Git: true,
		Options: `-cdmoisukztv -x:text --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard
			--exclude=text --full-name --error-unmatch --directory --no-empty-directory --eol --deduplicate --abbrev[=num]`,
		Operands: "rev*",
		Match:    []string{"git ls-files", "git ls-files --others --exclude-standard", "git ls-files *.go"},
		NotMatch: []string{"git ls-files --recurse-submodules", "git ls-files --frob"},
	},
	{
		Name: "git blame", Git: true,
		Options: `-L:lines -welsfnpctb -M[word] -C[word] --porcelain --line-porcelain --show-email --show-name --show-number --date=layout --since=text
			--root --abbrev[=num] --ignore-rev=word --first-parent --no-progress`,
		Operands: "rev rev*",
		Match:    []string{"git blame -L 1,20 main.go", "git blame -w HEAD~2 -- main.go"},
		NotMatch: []string{"git blame --contents x main.go", "git blame", "git blame -L /x/,+5 --textconv a"},
	},
	{
		Name: "git grep", Git: true, // never -O, --open-files-in-pager, --no-index, --recurse-submodules
		Options: `-# -nEFGPivwlLcohHqWpIaz -e:regex -A:num -B:num -C:num -m:num --line-number --column --count --name-only
			--files-with-matches --files-without-match --ignore-case --invert-match --word-regexp --extended-regexp --fixed-strings
			--basic-regexp --perl-regexp --only-matching --show-function --function-context --heading --break --cached --untracked
			--max-depth=num --max-count=num --all-match --and --or --not --quiet --text --null --threads=num --no-textconv
			--color[=always|never|auto] --no-color --full-name --exclude-standard --no-exclude-standard`,
		Operands: "regex rev*", Instead: "-e", Deep: "--untracked", Here: true,
		Match:    []string{"git grep -n foo", "git grep -n -E foo|bar -- *.go", "git grep -e a --and -e b"},
		NotMatch: []string{"git grep --untracked --no-exclude-standard . -- .en?", "git grep -O foo", "git grep -Otouch foo", "git grep --open-files-in-pager=x foo", "git grep --no-index a /x", "git grep"},
	},
	{
		Name: "git stash", Git: true, Options: gitLog, Operands: "=list",
		Match: []string{"git stash list", "git stash list -p -3"},
		NotMatch: []string{"git stash", "git stash pop", "git stash list x", "git stash -m list", "git stash -um list", "git stash -am list",
			"git stash --all -m list", "git stash --all list", "git stash -- list", "git stash -u -- list", "git stash --patch -- list", "git stash -p list"},
	},
	{
		Name: "git stash", Git: true, Options: gitDiff, Operands: "=show rev?",
		Match: []string{"git stash show -p", "git stash show --stat stash@{0}"}, NotMatch: []string{"git stash push", "git stash -p", "git stash -p show", "git stash -a -- show", "git stash -m show"},
	},
	{
		Name: "git reflog", Git: true, Options: gitLog,
		Match: []string{"git reflog -5"}, NotMatch: []string{"git reflog expire --all", "git reflog delete x"},
	},
	{
		Name: "git reflog", Git: true, Options: gitLog, Operands: "=show rev*",
		Match: []string{"git reflog show HEAD"}, NotMatch: []string{"git reflog expire", "git reflog drop x", "git reflog --all show", "git reflog -- show"},
	},
	{
		Name: "git rev-list", Git: true, Options: gitLog + "--count --objects", Operands: "rev rev*",
		Match: []string{"git rev-list --count HEAD"}, NotMatch: []string{"git rev-list --diff-merges=remerge HEAD", "git rev-list", "git rev-list --use-bitmap-index HEAD", "git rev-list --disk-usage HEAD"},
	},
	{
		Name: "git rev-list", Git: true, Options: gitLog + "--count --objects", Operands: "rev*", Need: "--all --branches --tags --remotes",
		Match: []string{"git rev-list --all --count", "git rev-list --branches --since=1.week"}, NotMatch: []string{"git rev-list --count", "git rev-list --all --use-bitmap-index"},
	},
	{
		Name: "git merge-base", Git: true, Options: "-a --all --is-ancestor --octopus --independent --fork-point", Operands: "rev rev*",
		Match: []string{"git merge-base HEAD main"}, NotMatch: []string{"git merge-base --frob a b"},
	},
	{
		Name: "git ls-tree", Git: true, Options: "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=num]", Operands: "rev rev*",
		Match: []string{"git ls-tree --name-only HEAD src/", "git ls-tree -r HEAD"}, NotMatch: []string{"git ls-tree", "git ls-tree --frob HEAD"},
	},
	{
		Name: "git describe", Git: true, Options: "--tags --always --all --long --abbrev[=num] --match=text --exclude=text --candidates=num --exact-match --first-parent --contains --dirty[=text]", Operands: "rev*",
		Match: []string{"git describe --tags --always"}, NotMatch: []string{"git describe --broken"},
	},
	{
		Name: "git shortlog", Git: true, Options: gitShortlog, Operands: "rev rev*",
		Match: []string{"git shortlog -sn HEAD"}, NotMatch: []string{"git shortlog -sn", "git shortlog --format=%G? HEAD", "git shortlog --group=%GS HEAD", "git shortlog --group=format:%GS HEAD"},
	},
	{ // without a revision it would read its input
		Name: "git shortlog", Git: true, Options: gitShortlog, Operands: "rev*", Need: "--all --branches --tags --remotes",
		Match: []string{"git shortlog -sn --all", "git shortlog -sne --branches"}, NotMatch: []string{"git shortlog -sn", "git shortlog --all --group=format:%GS"},
	},
	{
		Name: "git whatchanged", Git: true, Options: gitLog, Operands: "rev*",
		Match: []string{"git whatchanged -3"}, NotMatch: []string{"git whatchanged --output=x", "git whatchanged --diff-merges=remerge"},
	},
	{
		Name: "git cherry", Git: true, Options: "-v --abbrev[=num]", Operands: "rev*",
		Match: []string{"git cherry -v main"}, NotMatch: []string{"git cherry --frob", "git cherry-pick x"},
	},
	{
		Name: "git range-diff", Git: true, Options: gitDiff, Operands: "rev rev*",
		Match: []string{"git range-diff main..a main..b"}, NotMatch: []string{"git range-diff", "git range-diff --output=x a b c"},
	},
	{
		Name: "git diff-tree", Git: true, Options: gitDiff + "-rtcm --root --cc --no-commit-id", Operands: "rev rev*",
		Match: []string{"git diff-tree --no-commit-id --name-only -r HEAD"}, NotMatch: []string{"git diff-tree --diff-merges=r HEAD", "git diff-tree", "git diff-tree --stdin", "git diff-tree --output=x HEAD"},
	},
	{
		Name: "git show-ref", Git: true, Options: "-dq -s[num] --head --heads --tags --branches --dereference --hash[=num] --verify --quiet --abbrev[=num]", Operands: "rev*",
		Match: []string{"git show-ref --heads"}, NotMatch: []string{"git show-ref --exclude-existing"},
	},
	{
		Name: "git for-each-ref", Git: true, Options: gitList + "--count=num", Operands: "text*",
		Match:    []string{"git for-each-ref --sort=-committerdate --count=10 --format=%(refname:short) refs/heads"},
		NotMatch: []string{"git for-each-ref --format=%(signature)", "git for-each-ref --sort=*signature:grade", "git for-each-ref --format=%(align:99999)x%(end)", "git for-each-ref --stdin"},
	},
	{
		Name: "git cat-file", Git: true, Options: "-ptse", Need: "-p -t -s -e", Operands: "rev",
		Match:    []string{"git cat-file -p HEAD", "git cat-file -t HEAD:README.md"},
		NotMatch: []string{"git cat-file --filters HEAD:a.txt", "git cat-file --textconv HEAD:a", "git cat-file --batch", "git cat-file -p HEAD:a --filters"},
	},
	{
		Name: "git name-rev", Git: true, Options: "--name-only --tags --refs=text --always --undefined --no-undefined", Operands: "rev rev*",
		Match: []string{"git name-rev HEAD"}, NotMatch: []string{"git name-rev --stdin", "git name-rev --annotate-stdin"},
	},
	{
		Name: "git symbolic-ref", Git: true, Options: "-q --quiet --short", Operands: "rev", // a second operand is written
		Match: []string{"git symbolic-ref --short HEAD"}, NotMatch: []string{"git symbolic-ref HEAD refs/heads/x", "git symbolic-ref -d HEAD", "git symbolic-ref -m x HEAD"},
	},
	{
		Name: "git count-objects", Git: true, Options: "-vH --verbose --human-readable",
		Match: []string{"git count-objects -vH"}, NotMatch: []string{"git count-objects x"},
	},
	{
		Name: "git check-ignore", Git: true, Options: "-vnq --verbose --non-matching --quiet --no-index", Operands: "rev rev*",
		Match: []string{"git check-ignore -v a.log"}, NotMatch: []string{"git check-ignore --stdin", "git check-ignore"},
	},
	{
		Name: "git worktree", Git: true, Options: "-v --porcelain", Operands: "=list",
		Match: []string{"git worktree list"}, NotMatch: []string{"git worktree add x", "git worktree prune", "git worktree", "git worktree -v list", "git worktree -- list"},
	},
	{
		Name: "git notes", Git: true, Operands: "=list|show rev?",
		Match: []string{"git notes show HEAD"}, NotMatch: []string{"git notes add", "git notes edit HEAD", "git notes remove", "git notes -- list"},
	},
	{
		// Of one setting only, and none that may be a secret: any word behind a name,
		// an option too, would set it.
		Name: "git config", Git: true, First: true, Options: "--get --get-all --local --global --type=word --default=text --show-origin --show-scope", Operands: "key",
		Match:    []string{"git config --get user.name", "git config --get remote.origin.url", "git config user.name", "git config --global user.email"},
		NotMatch: []string{"git config user.name x", "git config --list", "git config --get http.extraheader", "git config --get user.name x", "git config --get --unset user.name", "git config --file x --get user.name", "git config -f x --get a.b", "git config --edit", "git config user.name --get", "git config user.name --", "git config user.email --default=x", "git config --add user.name", "git config edit", "git config user"},
	},
	{Name: "git version", Options: "--build-options", Match: []string{"git version", "git version --build-options"}, NotMatch: []string{"git version x"}},
	{
		Name: "git diff-index", Git: true, Options: gitDiff + "-m --cached --merge-base", Operands: "rev rev*",
		Match: []string{"git diff-index HEAD", "git diff-index --cached --name-only HEAD src"}, NotMatch: []string{"git diff-index", "git diff-index --output=x HEAD", "git diff-index --ext-diff HEAD"},
	},
	{Name: "git --version", Match: []string{"git --version"}, NotMatch: []string{"git --version --build-options"}},
}
