# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash # scripts source this file, which has no #! line
# Shared by the programs in scripts/: messages, what they need from the machine, and what a signal to them does.
# Sourced, not run. Sets ROOT; every message starts with the script's name.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROGRAM=scripts/$(basename "$0")

say() { printf '%s: %s\n' "$PROGRAM" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# usage: prints the comment at the top of the script that was started, without its SPDX lines.
usage() { sed -n '2,/^[^#]/{/^# SPDX-/d; s/^# \{0,1\}//p;}' "$0"; }

TESTBED=$ROOT/tests/testbed/testbed

# Of Slurm; `testbed root` lists the same.
# shellcheck disable=SC2034 # scripts/test and scripts/bench read RELEASES
RELEASES=(22.05 24.11 26.05)

. "$ROOT/scripts/lib/progress.sh"
. "$ROOT/scripts/lib/packages.sh"
. "$ROOT/scripts/lib/build.sh"
. "$ROOT/scripts/lib/background.sh"

require_root_on_debian_12() {
    [ "$(id -u)" -eq 0 ] || die "needs root: it installs packages and makes network namespaces (run it with sudo)"
    local id='' version=''
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release && printf %s "$ID")
        version=$(. /etc/os-release && printf %s "${VERSION_ID:-}")
    fi
    [ "$id $version" = "debian 12" ] || die "needs Debian 12 (bookworm), this is '${id:-unknown} ${version}'"
    restore_null_device /dev/null
}

# restore_null_device PATH: a program of root's that renames its output to /dev/null leaves a file there, and everything that
# is written to that file is everybody's next input.
restore_null_device() {
    [ ! -c "$1" ] || return 0
    say "$1 was a file, and is a device again"
    { rm -f "$1" && mknod -m 666 "$1" c 1 3; } || die "$1 is not the null device, and cannot be made one"
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
    local group=$CHILD
    CHILD=
    end_group INT "$group"
}

trap 'say interrupted; stop_child; stop_background; exit 130' INT
trap 'say interrupted; stop_child; stop_background; exit 143' TERM
trap 'say interrupted; stop_child; stop_background; exit 129' HUP

# Whatever happens - an error, Ctrl-C, a kill - the testbed of this run is taken down again.
bring_down_at_exit() {
    TESTBED_NAME=$1
    trap 'status=$?; trap "" EXIT INT TERM HUP; "$TESTBED" --name "$TESTBED_NAME" down >/dev/null 2>&1; exit $status' EXIT
}
