#!/bin/sh
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=dash # it is Debian's /bin/sh, and has ulimit -v and -c
# A planner that misbehaves: fake_program.sh plan WAY
case $2 in
    answers) echo "commmap-plan 2"; echo "decision keep"; echo end ;;
    environment) exec env ;;
    identity) exec grep -E '^(Uid|Gid|Groups|CapEff|NoNewPrivs):' /proc/self/status ;;
    badness) exec cat /proc/self/oom_score_adj ;;
    starts) exec /usr/bin/python3 -c 'import os; os.fork()' ;;
    listed) exec ls /proc/self/fd ;;
    descriptors)
        # shellcheck disable=SC2012 # the names are numbers, and find would open other descriptors
        ls -l /proc/self/fd | awk 'NF > 8 {print $9}' | sort -n | tr '\n' ' '
        ;;
    input) cat; echo "input over" ;;
    fails) echo "first reason" >&2; echo "second" >&2; exit 3 ;;
    writes_to_terminals) printf 'red \033[31mline\n' >&2; exit 3 ;;
    crashes) kill -SEGV $$ ;;
    hangs) sleep 1000 ;;
    lingers) echo "commmap-plan 2"; echo "decision keep"; echo end; sleep 1000 ;;
    dies) echo "commmap-plan 2"; echo "decision keep"; echo end; kill -SEGV $$ ;;
    halves) echo "commmap-plan 2"; echo "decision keep"; kill -SEGV $$ ;;
    ignores) trap '' TERM INT HUP QUIT; sleep 1000; sleep 1000 ;;
    silent) exec >&- 2>&-; sleep 1000 ;;
    floods) exec yes ;;
    errors) yes "an error" | head -c 100000000 >&2; echo "done" ;;
    orphan) sleep 1000 & echo $!; exit 0 ;;
    spins) while :; do :; done ;;
    memory) exec /usr/bin/python3 -c 'x = bytearray(4 << 30)' ;;
    limits) ulimit -v; ulimit -c ;;
    signals) exec grep -E '^Sig(Blk|Ign)' /proc/self/status ;;
    rights) grep -E "^(Uid|Gid):" /proc/self/status ;;
    nothing) ;;
esac
