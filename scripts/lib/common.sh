# Shared by scripts/demo, scripts/test and scripts/bench: what they need from the machine, and the build.
# Sourced, not run. Sets ROOT; every message starts with the script's name.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROGRAM=scripts/$(basename "$0")

say() { printf '%s: %s\n' "$PROGRAM" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

PACKAGES=(
    build-essential cmake ninja-build pkg-config git
    libslurm-dev libpmix-dev libopenmpi-dev libhwloc-dev libmetis-dev libyaml-cpp-dev libelf-dev libxxhash-dev
    libflatbuffers-dev flatbuffers-compiler libcli11-dev nlohmann-json3-dev
    libgtest-dev libgmock-dev clang-format clang-tidy
    slurm-wlm slurm-client munge iproute2 openmpi-bin hwloc lammps
    python3 python3-yaml python3-pytest
)

require_root_on_debian_12() {
    [ "$(id -u)" -eq 0 ] || die "needs root: it installs packages and makes network namespaces (run it with sudo)"
    local id='' version=''
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release && printf %s "$ID")
        version=$(. /etc/os-release && printf %s "${VERSION_ID:-}")
    fi
    [ "$id $version" = "debian 12" ] || die "needs Debian 12 (bookworm), this is '${id:-unknown} ${version}'"
}

# Installs only what is missing, so that a second run asks no network.
install_packages() {
    local missing=() package
    for package in "${PACKAGES[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    say "installing ${#missing[@]} packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    # The packages' own services must not start: the emulated cluster brings its own daemons.
    local policy=/usr/sbin/policy-rc.d made_policy=0
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made_policy=1
        # left behind it would keep every later package from starting its service
        trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    fi
    local log status=0
    log=$(mktemp)
    { apt-get update -q && apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 || status=$?
    [ "$made_policy" = 1 ] && rm -f "$policy"
    trap - EXIT
    if [ "$status" -ne 0 ]; then
        tail -n 15 "$log" >&2
        rm -f "$log"
        die "cannot install packages: see above (is there a network, are the apt sources right?)"
    fi
    rm -f "$log"
    command -v tc >/dev/null || die "tc is missing although iproute2 is installed: the emulated network needs it"
}

# build PRESET [TARGET...]: configures and builds; the whole log is shown when it fails.
build() {
    local preset=$1 log
    shift
    say "building (preset $preset)"
    log=$(mktemp)
    if ! (cd "$ROOT" && cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}) >"$log" 2>&1; then
        grep -E 'error|Error|FAILED' "$log" | head -n 40 >&2
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "the build failed: see above"
    fi
    rm -f "$log"
}

# install_tree PRESET: cmake --install into the preset's prefix, from scratch, and prints the prefix.
install_tree() {
    local prefix=$ROOT/build/$1/prefix
    rm -rf "$prefix"
    cmake --install "$ROOT/build/$1" --prefix "$prefix" >/dev/null || die "cmake --install failed"
    printf '%s\n' "$prefix"
}

TESTBED=$ROOT/tests/testbed/testbed

# run_child COMMAND...: its exit code. A signal to the script reaches it at once: bash runs a trap only after the command
# that it waits for in the foreground. Its own process group, so that what it started is reached too.
CHILD=
run_child() {
    local status
    set -m
    "$@" </dev/null &
    CHILD=$!
    set +m
    wait "$CHILD"
    status=$?
    CHILD=
    return "$status"
}

# Asks the child to clean up as for Ctrl-C, and waits for that.
stop_child() {
    [ -n "$CHILD" ] || return 0
    local group=$CHILD tenths
    CHILD=
    kill -INT -- "-$group" 2>/dev/null
    for ((tenths = 0; tenths < 200; ++tenths)); do
        kill -0 -- "-$group" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL -- "-$group" 2>/dev/null
}

trap 'say interrupted; stop_child; exit 130' INT
trap 'say interrupted; stop_child; exit 143' TERM
trap 'say interrupted; stop_child; exit 129' HUP

# Whatever happens - an error, Ctrl-C, a kill - the testbed of this run is taken down again.
bring_down_at_exit() {
    TESTBED_NAME=$1
    trap 'status=$?; trap "" EXIT INT TERM HUP; "$TESTBED" --name "$TESTBED_NAME" down >/dev/null 2>&1; exit $status' EXIT
}
