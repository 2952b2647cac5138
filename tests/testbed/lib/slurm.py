# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Slurm: configuration from the shape, one slurmctld, one slurmd per node in its own namespaces."""

import os
import subprocess

import confine
import devices
import network
import patience
import roots
import shim
from problem import Problem
from processes import environment, inside, start, until

NICE = "-5"  # daemons keep answering while ranks fill the CPUs

CONF = """\
ClusterName=commmap
SlurmctldHost=ctl({controller})
SlurmctldPort=6817
SlurmdPort=6818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge/sock
StateSaveLocation={dir}/state
SlurmctldPidFile={dir}/slurmctld.pid
SlurmctldLogFile={dir}/log/slurmctld.log
SlurmdSpoolDir={dir}/nodes/%n/spool
SlurmdPidFile={dir}/nodes/%n/slurmd.pid
SlurmdLogFile={dir}/log/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
TopologyPlugin=topology/tree
MpiDefault={mpi}
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MessageTimeout=60
PlugStackConfig={dir}/plugstack.conf
"""

# Within the new mount, UTS and IPC namespaces. The testbed's directory and this checkout are bound into the node's
# private /tmp where they are under /tmp, which would hide them. In /run/commmap is what commmap keeps of a node. cpus.so
# finds the node's CPUs in /dev/shm/.testbed; without them it does nothing, and the node has the machine's (confine.py).
NODE = """\
set -e
node=$1 dir=$2 cpus=$3 checkout=$4 group=$5; shift 5
hostname "$node"
mount --bind "$dir/etc/hosts" /etc/hosts
mount --bind "$dir/nodes/$node/munge" "$dir/munge"
mount -t tmpfs -o mode=1777 none /dev/shm
mkdir -p /run/commmap
mount -t tmpfs -o mode=755 none /run/commmap
if [ -n "$cpus" ]; then
    mkdir -m 777 /dev/shm/.testbed
    echo "$cpus" > /dev/shm/.testbed/topology
fi
for seen in "$dir" "$checkout"; do
    case $seen in /tmp/*)
        mkdir -p "$dir/nodes/$node$seen"
        mount --rbind "$seen" "$dir/nodes/$node$seen";;
    esac
done
mount --rbind "$dir/nodes/$node/tmp" /tmp
"""

CONTROLLER = """\
set -e
hostname ctl
mount --bind "$1/etc/hosts" /etc/hosts
"""

# slave: what the host mounts and unmounts later is seen here too, but nothing done here is seen there
UNSHARE = ["unshare", "--mount", "--propagation", "slave", "--uts", "--ipc"]


def configure(state, shape, release):
    addresses, controller, login = network.addresses(shape, state.number)
    lines = [CONF.format(dir=state.dir, controller=controller, mpi=release.mpi)]
    gres = ""
    if state.record.get("devices"):
        lines.append(devices.TYPES)
        gres = devices.OF_A_NODE
        state.write("gres.conf", devices.gres_conf(shape))
    for node, address in zip(shape.nodes, addresses):
        cpus = node.cpus
        lines.append(f"NodeName={node.name} NodeAddr={address} NodeHostname={node.name} CPUs={cpus.pus} Boards=1 "
                     f"SocketsPerBoard={cpus.sockets} CoresPerSocket={cpus.cores} ThreadsPerCore={cpus.threads} "
                     f"RealMemory={shape.memory}{gres}\n")
    names = ",".join(node.name for node in shape.nodes)
    # 22.05's slurmctld finds an srun that waits for CPUs only when srun's host is a node that it knows (srun_step_signal
    # takes the address from slurm_conf_get_nodeaddr): without this line such an srun sleeps its full minute.
    lines.append(f"NodeName={network.LOGIN} NodeAddr={login} NodeHostname={network.LOGIN} CPUs=1 State=DOWN Reason=login_host\n")
    lines.append(f"PartitionName=main Nodes={names} Default=YES State=UP MaxTime=INFINITE\n")
    state.write("slurm.conf", "".join(lines))
    state.write("topology.conf", _topology(shape))
    state.write("cgroup.conf", _cgroup(release))
    if release.mpi_conf:
        state.write("mpi.conf", release.mpi_conf)
    pairs = list(zip(addresses, names.split(","))) + [(controller, "ctl"), (login, network.LOGIN)]
    state.write("etc/hosts", _hosts(pairs))


def _topology(shape):
    lines = []
    for switch in shape.switches:
        nodes = ",".join(node.name for node in shape.nodes if node.switch == switch.name)
        if nodes:
            lines.append(f"SwitchName={switch.name} Nodes={nodes}")
        # Slurm's switches have nodes or switches; one with both hands its nodes to a leaf of their own
        if switch.children:
            children = switch.children + ([switch.name + "-nodes"] if nodes else [])
            if nodes:
                lines[-1] = f"SwitchName={switch.name}-nodes Nodes={nodes}"
            lines.append(f"SwitchName={switch.name} Switches={','.join(children)}")
    return "\n".join(lines) + "\n"


def _cgroup(release):
    """No plugin in use needs control groups, but slurmd loads the one that is configured, and refuses v2 beside v1."""
    if confine.version() == 2:
        lines, automount = ["CgroupPlugin=cgroup/v2", "IgnoreSystemd=yes", "ConstrainRAMSpace=yes"], "yes"  # it enables controllers
    else:
        lines, automount = ["CgroupPlugin=cgroup/v1"], "no"
    if release.cgroup_automount:
        lines.append(f"CgroupAutomount={automount}")
    lines.append("ConstrainCores=yes")  # like ConstrainRAMSpace by task/cgroup only
    return "\n".join(lines) + "\n"


def _hosts(pairs):
    ours = {name for _, name in pairs}
    lines = [f"{address} {name}" for address, name in pairs]
    with open("/etc/hosts", encoding="utf-8") as file:
        lines += [line.rstrip() for line in file if not ours & set(line.split()[1:])]
    return "\n".join(lines) + "\n"


def _daemon(state, release, script, words, daemon, before=(), namespaces=()):
    """The shell script with its words, which then becomes the daemon, in the release's root. Words before it, and more of
    its namespaces, are options of unshare's."""
    lines, chroot = roots.script(release, [state.dir])
    become = " ".join([*chroot, "nice", "-n", NICE, *daemon])
    return [*before, *UNSHARE, *namespaces, "sh", "-c", f"{script}{lines}exec {become}", *words]


def start_controller(state, release):
    for directory in ("state", "log"):
        os.makedirs(state.path(directory), exist_ok=True)
    return start(state, inside(state) + _daemon(state, release, CONTROLLER, ["ctl", state.dir], ["slurmctld", "-D"]),
                 state.path("log", "slurmctld.out"))


def start_nodes(state, shape, release):
    started = []
    for node in shape.nodes:
        for directory in ("spool", "tmp"):
            os.makedirs(state.path("nodes", node.name, directory))
        os.chmod(state.path("nodes", node.name, "tmp"), 0o1777)
        cpus = f"{node.cpus.pus} {node.cpus.synthetic}"
        variables = [f"HWLOC_SYNTHETIC={node.cpus.synthetic}", "HWLOC_THISSYSTEM=1", f"LD_PRELOAD={shim.path(state, 'cpus')}"]
        if state.record.get("real_cpus"):
            variables, cpus = [], ""
        group, before, namespaces, see = confine.make(state, node.name)
        command = _daemon(state, release, NODE + see, ["node", node.name, state.dir, cpus, roots.CHECKOUT, group, *variables],
                          ["env", '"$@"', "slurmd", "-D", "-N", node.name], before, namespaces)
        started.append(start(state, inside(state, node.name) + command, state.path("log", f"slurmd.{node.name}.out")))
    return started


def node_states(state):
    """{node: state} as slurmctld sees it, {} when it does not answer"""
    try:
        command = inside(state, network.LOGIN) + roots.command(state, ["sinfo", "-hN", "-o", "%N %T"])
        done = patience.run(command, seconds=20, capture_output=True, text=True, env=environment(state))
    except subprocess.TimeoutExpired:
        return {}
    return dict(line.split() for line in done.stdout.splitlines()) if done.returncode == 0 else {}


def _first_complaint(directory):
    """The log itself goes with the testbed, unless it was asked to be kept."""
    for word in ("fatal:", "error:"):
        for name in sorted(os.listdir(directory)):
            with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
                for line in file:
                    if word in line:
                        return f"{name}: {line.strip()}"
    return f"see {directory} (testbed up --keep)"


def wait_idle(state, daemons, seconds):
    def all_idle():
        if any(process.poll() is not None for process in daemons):
            raise Problem(f"a Slurm daemon ended at once: {_first_complaint(state.path('log'))}")
        states = node_states(state)
        return states and all(value == "idle" for value in states.values())

    until(all_idle, seconds, lambda: f"nodes do not become idle: {_summary(node_states(state))}; see "
                                     f"{state.path('log')}", interval=0.1)


def _summary(states):
    return " ".join(f"{node}={value}" for node, value in states.items()) or "slurmctld does not answer"


# plug-ins of srun and slurmstepd; both read the file anew at each step

def set_plugstack(state, source):
    """source: a file with plugstack lines, or None for none"""
    text = "# none\n"
    if source:
        try:
            with open(source, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise Problem(f"plugstack {source}: {getattr(error, 'strerror', error)}")
    state.write("plugstack.conf.d/testbed.conf", text)
    state.write("plugstack.conf", f"include {state.path('plugstack.conf.d')}/*.conf\n")
