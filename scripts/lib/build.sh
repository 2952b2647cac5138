# Configuring, building and installing the project. Sourced by common.sh.

# build PRESET [TARGET...]: configures and builds; shows how far it is, and what matters of the log when it fails. With the
# preset's choice of tests and parts, which whoever built there to install may have changed.
build() {
    local preset=$1
    shift
    say "building (preset $preset${*:+: $*})"
    run_build configure_and_build "$preset" "$@"
}

configure_and_build() {
    local preset=$1
    shift
    cmake --fresh --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}
}

# build_in_root RELEASE [PRESET]: in build/RELEASE (build/RELEASE-PRESET), by the compiler and against the libraries of the
# release's root; no tests. Other compilers have other warnings: they are no errors.
build_in_root() {
    say "building for Slurm $1"
    # shellcheck disable=SC2016
    run_build "$TESTBED" root "$1" sh -c 'cmake --fresh --preset "$2" -B "$1" -DCOMMMAP_TESTS=OFF -DCOMMMAP_WARNINGS_AS_ERRORS=OFF && cmake --build "$1"' \
        sh "build/$1${2:+-$2}" "${2:-test}"
}

run_build() {
    local log
    log=$(mktemp)
    if ! (cd "$ROOT" && with_progress "$log" "$@"); then
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
