"""Slurm: configuration from the shape, one slurmctld, one slurmd per node in its own namespaces."""

import os
import subprocess
from pathlib import Path

import network
import shim
from problem import Problem
from processes import environment, inside, start, until

CHECKOUT = str(Path(__file__).resolve().parents[3])
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
MpiDefault=pmix
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MessageTimeout=60
PlugStackConfig={dir}/plugstack.conf
"""

# The tree fence of mpi/pmix 22.05 (and its default) now and then lets ranks out of MPI_Init while others still wait in
# it: one first step of new slurmds in five. Those get a message that ob1 has no callback for yet: signal 11.
MPI_CONF = "PMIxCollFence=ring\n"

# Within the new mount, UTS and IPC namespaces. The testbed's directory and this checkout are bound into the node's
# private /tmp where they are under /tmp, which would hide them. cpus.so finds the node's CPUs in /dev/shm/.testbed.
NODE = """\
set -e
node=$1 dir=$2 cpus=$3 nice=$4 checkout=$5; shift 5
hostname "$node"
mount --bind "$dir/etc/hosts" /etc/hosts
mount --bind "$dir/nodes/$node/munge" "$dir/munge"
mount -t tmpfs -o mode=1777 none /dev/shm
mkdir -m 777 /dev/shm/.testbed
echo "$cpus" > /dev/shm/.testbed/topology
for seen in "$dir" "$checkout"; do
    case $seen in /tmp/*)
        mkdir -p "$dir/nodes/$node$seen"
        mount --rbind "$seen" "$dir/nodes/$node$seen";;
    esac
done
mount --rbind "$dir/nodes/$node/tmp" /tmp
exec nice -n "$nice" env "$@" slurmd -D -N "$node"
"""

CONTROLLER = """\
set -e
hostname ctl
mount --bind "$1/etc/hosts" /etc/hosts
exec nice -n "$2" slurmctld -D
"""

# slave: what the host mounts and unmounts later is seen here too, but nothing done here is seen there
UNSHARE = ["unshare", "--mount", "--propagation", "slave", "--uts", "--ipc"]


def configure(state, shape):
    addresses, controller, login = network.addresses(shape, state.number)
    lines = [CONF.format(dir=state.dir, controller=controller)]
    for node, address in zip(shape.nodes, addresses):
        cpus = node.cpus
        lines.append(f"NodeName={node.name} NodeAddr={address} NodeHostname={node.name} CPUs={cpus.pus} Boards=1 "
                     f"SocketsPerBoard={cpus.sockets} CoresPerSocket={cpus.cores} ThreadsPerCore={cpus.threads} "
                     f"RealMemory={shape.memory}\n")
    names = ",".join(node.name for node in shape.nodes)
    # 22.05's slurmctld finds an srun that waits for CPUs only when srun's host is a node that it knows (srun_step_signal
    # takes the address from slurm_conf_get_nodeaddr): without this line such an srun sleeps its full minute.
    lines.append(f"NodeName=login NodeAddr={login} NodeHostname=login CPUs=1 State=DOWN Reason=login_host\n")
    lines.append(f"PartitionName=main Nodes={names} Default=YES State=UP MaxTime=INFINITE\n")
    state.write("slurm.conf", "".join(lines))
    state.write("topology.conf", _topology(shape))
    state.write("cgroup.conf", _cgroup())
    state.write("mpi.conf", MPI_CONF)
    pairs = list(zip(addresses, names.split(","))) + [(controller, "ctl"), (login, "login")]
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


def _cgroup():
    """No plugin in use needs control groups, but slurmd loads the one that is configured, and refuses v2 beside v1."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        only_v2 = all(line.startswith("0::") for line in file)
    if only_v2 and os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        return "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\nCgroupAutomount=no\n"
    return "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n"


def _hosts(pairs):
    ours = {name for _, name in pairs}
    lines = [f"{address} {name}" for address, name in pairs]
    with open("/etc/hosts", encoding="utf-8") as file:
        lines += [line.rstrip() for line in file if not ours & set(line.split()[1:])]
    return "\n".join(lines) + "\n"


def start_controller(state):
    for directory in ("state", "log"):
        os.makedirs(state.path(directory), exist_ok=True)
    return start(state, inside(state) + UNSHARE + ["sh", "-c", CONTROLLER, "ctl", state.dir, NICE],
                 state.path("log", "slurmctld.out"))


def start_nodes(state, shape):
    started = []
    for node in shape.nodes:
        for directory in ("spool", "tmp"):
            os.makedirs(state.path("nodes", node.name, directory))
        os.chmod(state.path("nodes", node.name, "tmp"), 0o1777)
        cpus = f"{node.cpus.pus} {node.cpus.synthetic}"
        command = ["sh", "-c", NODE, "node", node.name, state.dir, cpus, NICE, CHECKOUT,
                   f"HWLOC_SYNTHETIC={node.cpus.synthetic}", "HWLOC_THISSYSTEM=1", f"LD_PRELOAD={shim.path(state, 'cpus')}"]
        started.append(start(state, inside(state, node.name) + UNSHARE + command,
                             state.path("log", f"slurmd.{node.name}.out")))
    return started


def node_states(state, timeout=20):
    """{node: state} as slurmctld sees it, {} when it does not answer"""
    try:
        done = subprocess.run(["sinfo", "-hN", "-o", "%N %T"], capture_output=True, text=True, timeout=timeout,
                              env=environment(state))
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
