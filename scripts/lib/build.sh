# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash # scripts source this file, which has no #! line
# Configuring, building and installing the project. Sourced by common.sh.

# build PRESET [TARGET...]: configures and builds; shows how far it is, and what matters of the log when it fails. With the
# preset's choice of tests and parts, which whoever built there to install may have changed.
build() {
    local preset=$1
    shift
    say "building (preset $preset${*:+: $*})"
    run_build configure_and_build "$preset" "$@"
}

# build_more PRESET [TARGET...]: builds more of what `build` has configured. Tests that run beside it read the build's cache, which
# a new configuration takes away for some seconds.
build_more() {
    say "building more (preset $1)"
    run_build build_targets "$@"
}

configure_and_build() { cmake --fresh --preset "$1" && build_targets "$@"; }

build_targets() {
    local preset=$1
    shift
    cmake --build --preset "$preset" ${1:+--target "$@"}
}

# build_in_root RELEASE [PRESET [TARGET...]]: in build/RELEASE (build/RELEASE-PRESET), by the compiler and against the libraries
# of the release's root; no tests. Other compilers have other warnings: they are no errors.
build_in_root() {
    local release=$1 preset=${2:-test} directory=build/$1${2:+-$2}
    shift
    shift $(($# > 0))
    say "building for Slurm $release${*:+: $*}"
    # shellcheck disable=SC2016 # the inner sh has these arguments
    run_build "$TESTBED" root "$release" sh -c 'directory=$1 preset=$2 && shift 2 &&
        cmake --fresh --preset "$preset" -B "$directory" -DCOMMMAP_TESTS=OFF -DCOMMMAP_WARNINGS_AS_ERRORS=OFF &&
        cmake --build "$directory" ${1:+--target "$@"}' sh "$directory" "$preset" "$@"
}

# build_old PREFIX: installs the build that tests/slurm/test_upgrade.py has beside this one. It is of the last release, else of
# the commit before what srun hands to the nodes had a version.
build_old() {
    local commit
    commit=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null) || commit=9b2894a
    ! git diff --quiet "$commit" HEAD -- src || commit=9b2894a # the same build twice is no test
    build_commit "$commit" test "$1"
}

# build_commit COMMIT PRESET PREFIX: installs the build of another commit, which it makes in build/old.
build_commit() {
    local tree=$ROOT/build/old
    git -C "$ROOT" cat-file -e "$1^{commit}" || return # a shallow clone
    say "building (commit $1, preset $2)"
    rm -rf "$tree" && mkdir -p "$tree" && git -C "$ROOT" archive "$1" | tar -x -C "$tree" || return
    # shellcheck disable=SC2016 # the inner sh has these arguments
    run_build sh -c 'cd "$1" && cmake --preset "$2" -DCOMMMAP_TESTS=OFF && cmake --build "build/$2" --target installed &&
        cmake --install "build/$2" --prefix "$3"' sh "$tree" "$2" "$3"
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
