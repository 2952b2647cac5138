# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash # scripts source this file, which has no #! line
# What a long command is doing. Sourced by common.sh.

# with_progress LOG COMMAND...: runs it, its output into LOG; shows the last line of that which says how far it is: always
# where standard error is a terminal, else every ten seconds. Nothing where nobody waits for it (QUIET). Its exit code.
QUIET=
with_progress() {
    local log=$1
    shift
    if [ -n "$QUIET" ]; then
        "$@" >"$log" 2>&1 </dev/null
        return
    fi
    "$@" 2>&1 </dev/null | tee "$log" | show_last_line 10
    return "${PIPESTATUS[0]}"
}

# show_last_line SECONDS: of a build ("[12/145] Building ...") and of apt ("Unpacking ...", "Setting up ..."). No other line
# tells how far it is.
show_last_line() {
    local line last=$SECONDS every=$1
    while IFS= read -r line; do
        case $line in '['*/*']'* | Get:* | Unpacking\ * | 'Setting up '*) ;; *) continue ;; esac
        if [ -t 2 ]; then
            printf '\r\033[K%.*s' "${COLUMNS:-80}" "$line" >&2
        elif [ $((SECONDS - last)) -ge "$every" ]; then
            printf '  %.100s\n' "$line" >&2
            last=$SECONDS
        fi
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
}
