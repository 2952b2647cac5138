# Shared by scripts/demo, scripts/test and scripts/bench: what they need from the machine, and the build.
# Sourced, not run. Sets ROOT; every message starts with the script's name.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROGRAM=scripts/$(basename "$0")

say() { printf '%s: %s\n' "$PROGRAM" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# build-packages: also what a root of another Slurm release has
PACKAGES=(
    $(<"$ROOT/scripts/lib/build-packages")
    git gfortran libgtest-dev libgmock-dev clang clang-format clang-tidy libclang-rt-14-dev
    slurm-wlm slurm-client slurmdbd mariadb-server munge iproute2 openmpi-bin mpich hwloc lammps hpcc metis scotch libscotch-dev libbz2-dev liblzma-dev xxhash eztrace strace debootstrap
    python3-scipy python3-yaml python3-pytest python3-pytest-xdist
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

# build PRESET [TARGET...]: configures and builds; what matters of the log is shown when it fails. With tests and benchmarks,
# which who built there to install has switched off.
build() {
    local preset=$1
    shift
    say "building (preset $preset)"
    run_build sh -c 'preset=$1; shift; cmake --preset "$preset" -DCOMMMAP_TESTS=ON && cmake --build --preset "$preset" ${1:+--target "$@"}' sh "$preset" "$@"
}

# build_in_root RELEASE [PRESET]: in build/RELEASE (build/RELEASE-PRESET), by the compiler and against the libraries of the
# release's root; no tests. Other compilers have other warnings: they are no errors.
build_in_root() {
    say "building for Slurm $1"
    # shellcheck disable=SC2016
    run_build "$TESTBED" root "$1" sh -c 'cmake --preset "$2" -B "$1" -DCOMMMAP_TESTS=OFF -DCOMMMAP_WARNINGS_AS_ERRORS=OFF \
        -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 && cmake --build "$1"' sh "build/$1${2:+-$2}" "${2:-dev}"
}

run_build() {
    local log
    log=$(mktemp)
    if ! (cd "$ROOT" && "$@") >"$log" 2>&1; then
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

# Of Slurm; `testbed root` lists the same.
RELEASES=(22.05 24.11 26.05)

# begin NAME COMMAND...: in the background, in a process group of its own, its output in LOG_OF[NAME]. has_ended NAME: waits
# for it; its exit code. stop NAME...: ends it with all that it started.
declare -A PID_OF=() LOG_OF=()
begin() {
    local name=$1
    shift
    LOG_OF[$name]=$(mktemp)
    set -m
    "$@" </dev/null >"${LOG_OF[$name]}" 2>&1 &
    PID_OF[$name]=$!
    set +m
}

has_ended() {
    local status=0
    wait "${PID_OF[$1]}" || status=$?
    unset "PID_OF[$1]"
    return "$status"
}

stop() {
    local name
    for name; do
        [ -n "${PID_OF[$name]:-}" ] || continue
        kill -TERM -- "-${PID_OF[$name]}" 2>/dev/null
        has_ended "$name" 2>/dev/null
        rm -f "${LOG_OF[$name]}"
    done
}

# A half root, and half of the machines, go with it.
stop_background() { stop "${!PID_OF[@]}"; }

# make_root RELEASE: in the background, as it mostly waits for the network. root_is_made SECONDS: waits for it, but not
# longer than so many seconds since its start; without success REASON says why.
make_root() {
    ROOT_SINCE=$SECONDS
    begin root nice "$TESTBED" root "$1"
}

root_is_made() {
    local limit=$1
    REASON=
    while kill -0 "${PID_OF[root]}" 2>/dev/null; do
        if [ $((SECONDS - ROOT_SINCE)) -ge "$limit" ]; then
            stop root
            REASON="its root is not made in $limit s"
            return 1
        fi
        sleep 0.2
    done
    has_ended root || REASON="its root cannot be made: $(tail -n 1 "${LOG_OF[root]}")"
    rm -f "${LOG_OF[root]}"
    [ -z "$REASON" ]
}

# fetch_machines: topologies of other machines, in the background. machines_are_here: waits for them; without success REASON
# says why.
fetch_machines() { begin machines nice "${MACHINES_SCRIPT:-$ROOT/scripts/lib/hwloc-machines}"; }

machines_are_here() {
    local status=0
    has_ended machines || status=$?
    [ "$status" -eq 0 ] || REASON=$(tail -n 1 "${LOG_OF[machines]}")
    rm -f "${LOG_OF[machines]}"
    return "$status"
}

# begin_aside FUNCTION: runs it beside what follows, after everything else (nice). aside_has_ended: waits for it, prints
# what it printed; its exit code.
begin_aside() { begin aside last_of_all "$1"; }

last_of_all() {
    trap - EXIT INT TERM HUP
    renice -n 19 -p "$BASHPID" >/dev/null
    "$1"
}

aside_has_ended() {
    local status=0
    has_ended aside || status=$?
    cat "${LOG_OF[aside]}" >&2
    rm -f "${LOG_OF[aside]}"
    return "$status"
}

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

trap 'say interrupted; stop_child; stop_background; exit 130' INT
trap 'say interrupted; stop_child; stop_background; exit 143' TERM
trap 'say interrupted; stop_child; stop_background; exit 129' HUP

# Whatever happens - an error, Ctrl-C, a kill - the testbed of this run is taken down again.
bring_down_at_exit() {
    TESTBED_NAME=$1
    trap 'status=$?; trap "" EXIT INT TERM HUP; "$TESTBED" --name "$TESTBED_NAME" down >/dev/null 2>&1; exit $status' EXIT
}
