# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash # scripts source this file, which has no #! line
# The parts of a test run: each is timed, and one that fails fails the run. Sourced by scripts/test.
# RESULTS is a directory with what the summary is made of (summary.py): `parts`, `not_run`, `retries`, and a JUnit
# report of each test runner.

RESULTS=$(mktemp -d)
COMMIT=$(PYTHONPATH=$ROOT/bench /usr/bin/python3 -c 'import report; print(report.commit())') || exit 1
export COMMMAP_RETRIES=$RESULTS/retries # tests/support/retries.py
if [ -n "${COMMMAP_REPORTS:-}" ]; then
    reports=$(mkdir -p -- "$COMMMAP_REPORTS" && cd -- "$COMMMAP_REPORTS" && pwd) ||
        die "COMMMAP_REPORTS: '$COMMMAP_REPORTS' is no directory and cannot be made one"
    COMMMAP_REPORTS=$reports # the run goes to another directory
fi

# part NAME COMMAND...: runs and times it.
part() {
    local name=$1 since=$SECONDS status=0
    shift
    say "$name"
    look_at_null_device "before: $name"
    "$RUN" "$@" || status=$?
    note_part $((SECONDS - since)) "$status" "$name"
    return "$status"
}
# look_at_null_device WHEN: a run in which a file takes its place has failed, and goes on with the device.
look_at_null_device() {
    [ -c /dev/null ] && return
    note_part 0 1 "something has put a file in place of /dev/null ($1)"
    restore_null_device /dev/null
}
note_part() { printf '%d\t%d\t%s\n' "$@" >>"$RESULTS/parts"; }
RUN=run_child # what runs a part

# not_run TEXT: what this machine does not allow, or what is too early. With COMMMAP_CI_STRICT=1 it fails the run.
not_run() {
    printf '%s\n' "$*" >>"$RESULTS/not_run"
    [ "${COMMMAP_CI_STRICT:-}" != 1 ] || note_part 0 1 "not run, and COMMMAP_CI_STRICT is set: $*"
}

# begin_lane NAME FUNCTION...: parts that run beside the others, because tests end to end wait more than they work.
# lane_has_ended NAME: waits for them, and prints what they printed. A lane that something ended before its last part is a
# part that failed.
begin_lane() { begin "$1" in_a_lane "$@"; }
in_a_lane() {
    # shellcheck disable=SC2034 # progress.sh reads QUIET
    QUIET=yes
    LANE=$1
    RUN=in_this_group # a signal to the lane's process group reaches all of it
    "${@:2}"
    touch "$RESULTS/lane-$1"
}
in_this_group() ( "$@" </dev/null ) # a part that exits ends itself, and not the lane

# behind_tests COMMAND...: runs what needs nothing but CPUs with a lower priority. Tests themselves have the usual one: their
# limits grow with the number of threads that want a CPU (tests/support/patience.py), whatever the priorities are. A lane that
# is waited for has no tests beside it, and its priority back: other work on the machine would get nine tenths of the CPUs.
behind_tests() (
    [ -e "$RESULTS/awaited-${LANE:-}" ] || renice -n 10 -p "$BASHPID" >/dev/null
    "$@"
)

lane_has_ended() {
    local status=0
    touch "$RESULTS/awaited-$1"
    renice -n "$(nice)" -g "${PID_OF[$1]}" >/dev/null 2>&1
    aside_has_ended "$1" || status=$?
    [ -e "$RESULTS/lane-$1" ] || note_part 0 "$((status ? status : 1))" "what runs beside ($1) ended early"
}

# What is started in the background of a script has SIGINT ignored, what nohup starts SIGHUP; tests send both.
heeding_signals() { env --default-signal=INT,HUP "$@"; }

# pytest_report REPORT ARGUMENTS..., ctest_report REPORT ARGUMENTS...: with a JUnit report.
pytest_report() { heeding_signals /usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml="$RESULTS/$1.xml" "${@:2}"; }
ctest_report() { heeding_signals ctest --output-junit "$RESULTS/$1.xml" "${@:2}"; }

# summary [--json FILE] [--checked KIND...]: of all parts; its exit code is the run's. Keeps reports where COMMMAP_REPORTS says.
summary() {
    [ -z "${COMMMAP_REPORTS:-}" ] || find "$RESULTS" -name '*.xml' -exec cp -t "$COMMMAP_REPORTS" {} +
    /usr/bin/python3 "$ROOT/scripts/lib/summary.py" "$RESULTS" --seconds "$SECONDS" --commit "$COMMIT" "$@"
}
