# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash # scripts source this file, which has no #! line
# What runs beside the script, and ends with it. Sourced by common.sh.

# begin NAME COMMAND...: in the background, in a process group of its own, its output in LOG_OF[NAME]. has_ended NAME: waits
# for it, and ends what it has left; its exit code. stop NAME...: ends it with all that it started.
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
    ! kill -0 -- "-${PID_OF[$1]}" 2>/dev/null || end_group TERM "${PID_OF[$1]}"
    unset "PID_OF[$1]"
    return "$status"
}

# end_group SIGNAL GROUP: asks all of a process group to end, and waits while they clean up; after 20 s it kills them.
end_group() {
    local tenths
    kill "-$1" -- "-$2" 2>/dev/null
    for ((tenths = 0; tenths < 200; ++tenths)); do
        kill -0 -- "-$2" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL -- "-$2" 2>/dev/null
}

stop() {
    local name
    for name; do
        [ -n "${PID_OF[$name]:-}" ] || continue
        end_group TERM "${PID_OF[$name]}"
        has_ended "$name" 2>/dev/null
        rm -f "${LOG_OF[$name]}"
    done
}

# A half root, and half of the machines, go with it.
stop_background() { stop "${!PID_OF[@]}"; }

# fetch_machines: topologies of other machines, in the background. machines_are_here: waits for them; without success REASON
# says why.
fetch_machines() { begin machines nice "${MACHINES_SCRIPT:-$ROOT/scripts/lib/hwloc-machines}"; }

machines_are_here() {
    local status=0
    has_ended machines || status=$?
    # shellcheck disable=SC2034 # scripts/test prints REASON
    [ "$status" -eq 0 ] || REASON=$(tail -n 1 "${LOG_OF[machines]}")
    rm -f "${LOG_OF[machines]}"
    return "$status"
}

# aside_has_ended NAME: waits for it, and prints what it printed; its exit code.
aside_has_ended() {
    local status=0
    has_ended "$1" || status=$?
    cat "${LOG_OF[$1]}" >&2
    rm -f "${LOG_OF[$1]}"
    return "$status"
}
