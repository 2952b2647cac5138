# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The emulated network: one namespace with all switches, one per node, and one for the login host.

    [ PREFIX-login ] eth0 (.254) -- login [ PREFIX: br-ROOT (.253, slurmctld) -- br-SWITCH -- NODE ] -- eth0 [ PREFIX-NODE ]

Switches are bridges. Every port is a veth pair; a token bucket on each of its ends has the rate of the link in
that direction. Nothing of it is on the host, so names, firewall rules and other testbeds do not matter. The login host
has ports of its own: what slurmstepds still send to an srun that was killed must not reach one of another testbed that
was given its port (srun 22.05 takes the first four bytes that come to PMIx's abort port for its exit code).
"""

import glob
import os
import subprocess

from problem import Problem

RUN = "/run/netns"
LOGIN = "login"
QUEUE = "50ms"  # longest time in a token bucket's queue


def namespace(state, node=None):
    return f"{state.prefix}-{node}" if node else state.prefix


def namespaces(state):
    found = glob.glob(os.path.join(RUN, state.prefix)) + glob.glob(os.path.join(RUN, state.prefix + "-*"))
    return [os.path.basename(path) for path in found]


def addresses(shape, number):
    """(of the nodes, of slurmctld, of the login host) in the testbed's /24"""
    base = shape.subnets.network_address + 256 * number
    return [str(base + i + 1) for i in range(len(shape.nodes))], str(base + 253), str(base + 254)


def subnet_count(shape):
    return 2 ** (24 - shape.subnets.prefixlen)


def _batch(tool, commands, inside=None):
    command = [tool] + (["-n", inside] if inside else []) + ["-batch", "-"]
    done = subprocess.run(command, input="\n".join(commands) + "\n", capture_output=True, text=True)
    if done.returncode:
        raise Problem(f"{tool}: {' '.join(done.stderr.split())}")


def _tbf(device, rate, burst):
    if rate is None:
        return []
    return [f"qdisc add dev {device} root tbf rate {int(rate)}bit burst {burst} latency {QUEUE}"]


def build(state, shape):
    nodes, controller, login = addresses(shape, state.number)
    fabric = namespace(state)
    hosts = [node.name for node in shape.nodes] + [LOGIN]
    _batch("ip", [f"netns add {fabric}"] + [f"netns add {namespace(state, name)}" for name in hosts])
    links, queues = ["link set lo up"], []
    for switch in shape.switches:
        links += [f"link add br-{switch.name} type bridge", f"link set br-{switch.name} addrgenmode none up"]
    for switch in shape.switches:
        if switch.parent is None:
            continue
        up, down = f"{switch.name}-up", f"{switch.name}-dn"
        links += [f"link add {up} type veth peer name {down}",
                  f"link set {up} master br-{switch.name} addrgenmode none up",
                  f"link set {down} master br-{switch.parent} addrgenmode none up"]
        if switch.uplink:
            queues += _tbf(up, switch.uplink.out, shape.burst) + _tbf(down, switch.uplink.into, shape.burst)
    for node in shape.nodes:
        links += [f"link add {node.name} type veth peer name eth0 netns {namespace(state, node.name)}",
                  f"link set {node.name} master br-{node.switch} addrgenmode none up"]
        queues += _tbf(node.name, node.port.into, shape.burst)
    root = f"br-{shape.root.name}"
    links += [f"link add {LOGIN} type veth peer name eth0 netns {namespace(state, LOGIN)}",
              f"link set {LOGIN} master {root} addrgenmode none up",
              f"addr add {controller}/24 dev {root}"]
    _batch("ip", links, fabric)
    _batch("tc", queues, fabric)
    for name, address in zip(hosts, nodes + [login]):
        _batch("ip", ["link set lo up", "link set eth0 addrgenmode none up", f"addr add {address}/24 dev eth0"],
               namespace(state, name))
    for node in shape.nodes:
        _batch("tc", _tbf("eth0", node.port.out, shape.burst) or ["qdisc show"], namespace(state, node.name))


def remove(state):
    names = namespaces(state)
    if names:
        _batch("ip", [f"netns del {name}" for name in names])
