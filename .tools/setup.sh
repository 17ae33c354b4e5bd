#!/bin/sh
# Installs what a step of the Makefile needs and the machine lacks.
# usage: setup.sh base|harness|shim|test|check
# Everything lands in .tools, node_modules and Debian's packages; a second call
# with nothing to do takes no time.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
bin=$root/.tools/bin
stamps=$root/.tools/stamps
mkdir -p "$bin" "$stamps"
PATH=$bin:$PATH

say() { printf '%s\n' "$*"; }
stop() { printf '%s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# fresh STAMP FILE...: the stamp is newer than every file.
fresh() {
  stamp=$stamps/$1; shift
  [ -e "$stamp" ] || return 1
  for file in "$@"; do [ "$stamp" -nt "$file" ] || return 1; done
}

# node_ok PROGRAM: it is Node 22.19 or newer (harness-rc8.md §1).
node_ok() {
  have "$1" && "$1" -e 'const [a,b]=process.versions.node.split(".").map(Number);process.exit(a>22||a===22&&b>=19?0:1)'
}

go_ok() {
  have go || stop "Go is missing. Install Go 1.26 or newer from https://go.dev/dl and put it on the PATH."
  version=$(GOTOOLCHAIN=local go env GOVERSION)
  case $version in
    go1.[0-9]|go1.[0-9].*|go1.1[0-9]*|go1.2[0-5]|go1.2[0-5][.r]*) stop "Go is too old ($version). Install Go 1.26 or newer from https://go.dev/dl." ;;
  esac
}

base() {
  go_ok
  if fresh base .tools/package-lock.json .tools/setup.sh && [ -x "$bin/pnpm" ] && node_ok "$bin/node"; then return; fi
  npm --version >/dev/null 2>&1 || stop "npm is missing, or has no Node.js to run on. Install Node.js with npm, for instance: sudo apt-get install npm"
  rm -f "$bin/node" "$bin/pnpm"
  if node_ok node && case $(command -v node) in "$root"/.tools/*) false ;; esac; then # ours is about to be laid anew
    ln -sf "$(command -v node)" "$bin/node"
    say "Installing pnpm …"
    (cd .tools && npm ci --omit=optional --silent) || stop "npm could not install pnpm. Check that the npm registry can be reached and try again."
  else
    say "Installing Node 24 and pnpm (this machine's Node is missing or older than 22.19) …"
    (cd .tools && npm ci --silent) || stop "npm could not install Node and pnpm. Check that the npm registry can be reached and try again."
    for node in "$root"/.tools/node_modules/node-*/bin/node; do ln -sf "$node" "$bin/node"; done
  fi
  node_ok "$bin/node" || stop "No Node 22.19 or newer could be installed for this machine. Install one and put it first on the PATH."
  ln -sf ../node_modules/.bin/pnpm "$bin/pnpm"
  touch "$stamps/base"
}

# packages FOLDER NAME: pnpm's packages of a folder, as its lock file says.
packages() {
  fresh "$2" "$1/package.json" "$1/pnpm-lock.yaml" && [ -d "$1/node_modules" ] && return
  say "Installing $3 …"
  (cd "$1" && pnpm install --frozen-lockfile --ignore-scripts --reporter=silent) ||
    stop "pnpm could not install $3. Check that the npm registry can be reached and try again."
  touch "$stamps/$2"
}

# debian PROGRAM PACKAGE...: installs Debian packages unless the program is there.
debian() {
  program=$1; shift
  have "$program" && return
  have apt-get || stop "$program is missing. Install it (on Debian: $*) and try again."
  if [ "$(id -u)" != 0 ]; then stop "$program is missing. Run: sudo apt-get install $*"; fi
  say "Installing $* …"
  [ -e "$stamps/apt" ] || { apt-get update -qq >/dev/null; touch "$stamps/apt"; }
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$stamps/apt.log" 2>&1 ||
    { tail -5 "$stamps/apt.log" >&2; stop "apt-get could not install $*."; }
}

# sandbox: bubblewrap and the programs that the gate's execution test runs in it,
# unpacked in .tools/sandbox and on no PATH: the Harness must not find them.
sandbox() {
  root_dir=$root/.tools/sandbox
  [ -x "$root_dir/usr/bin/bwrap" ] && fresh sandbox .tools/setup.sh && return
  have apt-get && have dpkg || stop "bubblewrap is missing. Unpack it so that .tools/sandbox/usr/bin/bwrap runs, with ripgrep, fd-find, tree and gawk beside it, and try again."
  say "Unpacking bubblewrap for the gate's execution test …"
  [ -e "$stamps/apt" ] || { [ "$(id -u)" != 0 ] || apt-get update -qq >/dev/null; touch "$stamps/apt"; }
  rm -rf "$root_dir" && mkdir -p "$root_dir/packages"
  (cd "$root_dir/packages" && apt-get download -qq bubblewrap ripgrep fd-find tree gawk libsigsegv2 >"$stamps/sandbox.log" 2>&1) ||
    { tail -5 "$stamps/sandbox.log" >&2; stop "apt-get could not download bubblewrap. Run apt-get update and try again."; }
  for package in "$root_dir"/packages/*.deb; do dpkg -x "$package" "$root_dir"; done
  rm -rf "$root_dir/packages"
  ln -s fdfind "$root_dir/usr/bin/fd"
  touch "$stamps/sandbox"
}

gotools() {
  fresh gotools .tools/go.mod .tools/go.sum && [ -x "$bin/staticcheck" ] && return
  say "Building the pinned Go tools …"
  (cd .tools && GOWORK=off GOBIN=$bin go install tool)
  touch "$stamps/gotools"
}

for step in "$@"; do
  case $step in
    base) base ;;
    harness) packages e2e/harness harness "the pinned Harness" ;;
    shim) packages shim shim "the shim's development packages" ;;
    test)
      debian gcc gcc libc6-dev
      debian git git
      debian curl curl
      debian chromium chromium
      debian strace strace
      debian dbus-send dbus
      debian gnome-keyring-daemon gnome-keyring
      sandbox
      ;;
    check) debian git git; gotools ;;
    *) stop "setup.sh does not know the step $step" ;;
  esac
done
