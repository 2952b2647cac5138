# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash # scripts source this file, which has no #! line
# Debian packages that the scripts need. Sourced by common.sh.

# build-packages: also what a root of another Slurm release has
mapfile -t BUILD_PACKAGES < <(tr -s '[:space:]' '\n' <"$ROOT/scripts/lib/build-packages")

# scripts/demo: without COMMMAP_IMPORT, and with no test
DEMO_PACKAGES=(
    slurm-wlm slurm-client munge iproute2 openmpi-bin lammps python3-yaml
)
for package in "${BUILD_PACKAGES[@]}"; do
    case $package in libotf2-trace-dev | libpugixml-dev) ;; *) DEMO_PACKAGES+=("$package") ;; esac
done
unset package

# scripts/test, scripts/bench, scripts/fuzz
PACKAGES=(
    "${BUILD_PACKAGES[@]}"
    git ccache gfortran libgtest-dev libgmock-dev clang clang-format clang-tidy libclang-rt-14-dev cmake-format flake8 shellcheck reuse
    slurm-wlm slurm-client slurmdbd mariadb-server munge iproute2 openmpi-bin mpich hwloc lammps hpcc metis scotch libscotch-dev libbz2-dev liblzma-dev xxhash eztrace strace debootstrap musl-tools
    python3-scipy python3-yaml python3-pytest python3-pytest-xdist
    chromium chromium-driver python3-selenium # pages in a real browser
)

# scripts/bench estimate, beside PACKAGES: programs from elsewhere, and what draws
# shellcheck disable=SC2034 # scripts/bench installs them
ESTIMATE_PACKAGES=(quantum-espresso quantum-espresso-data meep-mpi-default gnuplot-nox)

# scripts/bench calibrate, beside PACKAGES
# shellcheck disable=SC2034 # scripts/bench installs them
CALIBRATE_PACKAGES=(netpipe-openmpi)

# scripts/test --vm, beside PACKAGES
# shellcheck disable=SC2034 # scripts/test installs them
VM_PACKAGES=(qemu-system-x86 qemu-system-common busybox-static cpio kmod)

# install_packages [PACKAGE...]: those, or PACKAGES. Installs only what is missing, so that a second run asks no network.
install_packages() {
    local missing=() package
    [ $# -gt 0 ] || set -- "${PACKAGES[@]}"
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    say "installing ${#missing[@]} packages: ${missing[*]}"
    # The packages' own services must not start: the emulated cluster brings its own daemons.
    local policy=/usr/sbin/policy-rc.d made_policy=0
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made_policy=1
        # left behind it would keep every later package from starting its service
        trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    fi
    local log status=0
    log=$(mktemp)
    with_progress "$log" install_them "${missing[@]}" || status=$?
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

install_them() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q && apt-get install -q -y --no-install-recommends "$@"
}
